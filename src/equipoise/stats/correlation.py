"""Correlations of two lists of numbers, with their intervals."""

from dataclasses import dataclass
from math import atanh, nan, sqrt, tanh

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats
from equipoise.stats.intervals import UNKNOWN, Interval
from equipoise.stats.pairs import complete_pairs


@dataclass(frozen=True)
class Correlation:
    """A correlation, its interval, its two-sided p against none, and the complete pairs."""

    value: float
    interval: Interval
    p: float
    n: int


def pearson(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Pearson's r with Fisher's z interval; NaN below three pairs or where a side never varies."""
    from scipy.stats import pearsonr

    one, other = complete_pairs(x, y)
    if not _varies(one, other):
        return Correlation(nan, UNKNOWN, nan, len(one))
    test = pearsonr(one, other)
    r, n = float(test.statistic), len(one)
    return Correlation(r, _fisher_interval(r, 1.0, n=n, level=level), float(test.pvalue), n)


def spearman(x: ArrayLike, y: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Spearman's rank correlation with the Fisher z interval of Bonett and Wright 2000.

    Ranks are a little noisier than normal values: the variance on the z scale is (1 + r**2 / 2) /
    (n - 3).
    """
    from scipy.stats import spearmanr

    one, other = complete_pairs(x, y)
    if not _varies(one, other):
        return Correlation(nan, UNKNOWN, nan, len(one))
    test = spearmanr(one, other)
    r, n = float(test.statistic), len(one)
    return Correlation(r, _fisher_interval(r, 1 + r * r / 2, n=n, level=level), float(test.pvalue), n)


def _varies(one: Floats, other: Floats) -> bool:
    return len(one) >= 3 and all(np.ptp(side) > 1e-12 * np.abs(side).max() for side in (one, other))


def _fisher_interval(r: float, variance: float, *, n: int, level: float) -> Interval:
    """Back from the z scale, where r spreads like a normal variable; unknown below four pairs."""
    from scipy.special import ndtri

    if n < 4:
        return UNKNOWN
    if abs(r) >= 1:
        return Interval(r, r)
    half = float(ndtri((1 + level) / 2)) * sqrt(variance / (n - 3))
    return Interval(tanh(atanh(r) - half), tanh(atanh(r) + half))
