"""How two lists of numbers go together: correlations and a straight line, each with its interval."""

from dataclasses import dataclass
from math import atanh, nan, sqrt, tanh
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from equipoise.stats.clusters import UNKNOWN, Floats, Interval, complete_pairs


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


FEWEST = 5


class Slope(NamedTuple):
    """How much of one number is left in another, the level it starts from, and the uncertainty of both."""

    value: float
    low: float
    high: float
    intercept: float
    n: int


def slope_of(first: npt.ArrayLike, second: npt.ArrayLike, *, level: float = 0.95) -> Slope:
    """The least-squares slope of the second on the first, over complete pairs; NaN below five or a point."""
    from scipy import stats

    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < FEWEST or np.ptp(x) == 0:
        return Slope(np.nan, np.nan, np.nan, np.nan, len(x))
    if np.ptp(y) == 0:  # a level line without any residual
        return Slope(0.0, 0.0, 0.0, float(y[0]), len(x))
    line = stats.linregress(x, y)
    reach = float(stats.t.ppf((1 + level) / 2, len(x) - 2) * line.stderr)
    return Slope(
        float(line.slope), float(line.slope) - reach, float(line.slope) + reach, float(line.intercept), len(x)
    )
