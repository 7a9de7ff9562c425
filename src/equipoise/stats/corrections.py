"""Adjusted p values for many tests at once; a NaN stays NaN and does not count as a test."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """P values that bound the share of false findings (Benjamini and Hochberg 1995).

    The k-th smallest of m is taken times m / k, and no smaller p ends above a larger one.
    """
    return _adjusted(p, lambda p: np.minimum.accumulate((p * len(p) / _ranks(p))[::-1])[::-1])


def holm(p: ArrayLike) -> Floats:
    """P values that bound the chance of even one false finding (Holm 1979).

    The k-th smallest of m is taken times m - k + 1, and no larger p ends below a smaller one.
    """
    return _adjusted(p, lambda p: np.maximum.accumulate(p * (len(p) + 1 - _ranks(p))))


def _adjusted(p: ArrayLike, of_sorted: Callable[[Floats], Floats]) -> Floats:
    adjusted = np.array(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(adjusted))
    if len(known):
        order = known[np.argsort(adjusted[known], kind="stable")]
        adjusted[order] = np.minimum(of_sorted(adjusted[order]), 1.0)
    return adjusted


def _ranks(p: Floats) -> Floats:
    return np.arange(1.0, len(p) + 1)
