"""Adjusted p values for many tests at once; a NaN stays NaN and does not count as a test."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """P values that bound the share of false findings (Benjamini and Hochberg 1995)."""
    return _adjusted(p, "fdr_bh")


def holm(p: ArrayLike) -> Floats:
    """P values that bound the chance of even one false finding (Holm 1979)."""
    return _adjusted(p, "holm")


def _adjusted(p: ArrayLike, method: Literal["fdr_bh", "holm"]) -> Floats:
    from statsmodels.stats.multitest import multipletests

    adjusted = np.array(p, dtype=np.float64)
    known = ~np.isnan(adjusted)
    if known.any():
        adjusted[known] = multipletests(adjusted[known], method=method)[1]
    return adjusted
