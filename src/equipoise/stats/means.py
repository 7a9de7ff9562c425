"""Means and differences of means with one kind of interval, whatever clusters the items come in."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import UserError
from equipoise.stats.clusters import Codes, Floats, cluster_codes, fewest_on_a_side, without_gaps
from equipoise.stats.intervals import UNKNOWN, Interval, check_level
from equipoise.stats.sandwich import FIRST_LESS_SECOND, Spread, spread_of_means

FEWEST_CLUSTERS = 5
"""With fewer clusters than this an interval would say little but how it was worked out: there is none."""

Factors = Sequence[Iterable[Hashable]]
"""For each factor one label an item: items with the same label share a template, a profession or a text."""


@dataclass(frozen=True)
class Mean:
    """A mean with its interval; both ends are NaN where there are too few clusters to tell.

    `n` counts the items that were answered, `n_clusters` the levels of the factor that has the fewest (the
    items themselves where there is no factor), on the side of a difference that has the fewest.
    """

    value: float
    low: float
    high: float
    standard_error: float
    df: float
    n: int
    n_clusters: int

    @property
    def interval(self) -> Interval:
        """The two ends."""
        return Interval(self.low, self.high)


def mean_with_interval(values: ArrayLike, factors: Factors = (), *, level: float = 0.95) -> Mean:
    """The mean of the values that are not NaN, with a t interval over their clusters.

    Up to two factors, crossed as they like. A factor with a single level says nothing of other levels and
    is left out, unless no factor would remain: items of one cluster alone have no interval. Values that do
    not differ between clusters give an interval without width.
    """
    check_level(level)
    numbers, codes = answered(values, factors)
    return _with_interval(plain_mean(numbers, np.zeros(len(numbers), dtype=np.intp), codes), level)


def size_with_interval(values: ArrayLike, factors: Factors = (), *, level: float = 0.95) -> Mean:
    """The mean absolute value with the interval of a mean, which ends at 0: no size is below it."""
    return _inside(
        mean_with_interval(np.abs(np.asarray(values, dtype=np.float64)), factors, level=level), inf
    )


def probability_with_interval(values: ArrayLike, factors: Factors = (), *, level: float = 0.95) -> Mean:
    """The mean of numbers from 0 to 1 with the interval of a mean, which ends where they do."""
    return _inside(mean_with_interval(values, factors, level=level), 1.0)


def _inside(mean: Mean, most: float) -> Mean:
    return replace(mean, low=float(np.maximum(mean.low, 0.0)), high=float(np.minimum(mean.high, most)))


def difference_of_means(
    values: ArrayLike, is_first: ArrayLike, factors: Factors = (), *, level: float = 0.95
) -> Mean:
    """The mean of the items marked as first minus that of the others, with the interval of the mean.

    Items of one cluster may lie on both sides. Where a side is empty the value is NaN, and where one lies
    in fewer than five clusters the interval is.
    """
    check_level(level)
    marks = np.asarray(is_first, dtype=bool).ravel()
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if len(marks) != len(numbers):
        raise UserError(
            f"There are {len(numbers)} values but {len(marks)} marks of the side they are on.",
            "Give one mark per value, in the same order.",
        )
    sides = (~marks[~np.isnan(numbers)]).astype(np.intp)
    known, codes = answered(numbers, factors)
    if len(np.unique(sides)) < 2:
        return Mean(nan, nan, nan, nan, nan, len(known), _fewest(codes, len(known)))
    return _with_interval(plain_mean(known, sides, codes), level)


def sum_of_means(
    values: ArrayLike, sides: Codes, counts: Sequence[float], factors: Factors = (), *, level: float = 0.95
) -> Mean:
    """The means of several sides, each as often as it counts: a difference of differences has 1, -1, -1, 1.

    A side that counts 0 is left out. Where a side is empty the value is NaN, and where one lies in fewer
    than five clusters the interval is.
    """
    check_level(level)
    numbers = np.asarray(values, dtype=np.float64).ravel()
    weighed = np.asarray(counts, dtype=np.float64)
    numbers = np.where(weighed[sides] != 0, numbers, nan)
    wanted = np.flatnonzero(weighed)
    known, codes = answered(numbers, factors)
    places = np.searchsorted(wanted, sides[~np.isnan(numbers)])
    if len(np.unique(places)) < len(wanted):
        return Mean(nan, nan, nan, nan, nan, len(known), _fewest(codes, len(known)))
    return _with_interval(plain_mean(known, places, codes, weighed[wanted]), level)


def difference_apart(first: Mean, second: Mean, *, level: float = 0.95) -> Mean:
    """The second mean minus the first, of items that have nothing in common: Welch's t interval."""
    check_level(level)
    variances = first.standard_error**2, second.standard_error**2
    total = sum(variances)
    parts = sum(
        variance**2 / mean.df for variance, mean in zip(variances, (first, second), strict=True) if variance
    )
    df = total**2 / parts if parts else min(first.df, second.df)
    n, clusters = first.n + second.n, min(first.n_clusters, second.n_clusters)
    return _with_interval(Mean(second.value - first.value, nan, nan, sqrt(total), df, n, clusters), level)


def t_interval(mean: Mean, level: float) -> Interval:
    """The interval of a mean at another level."""
    from scipy.special import stdtrit

    if mean.n_clusters < FEWEST_CLUSTERS or isnan(mean.standard_error):
        return UNKNOWN
    half = float(stdtrit(mean.df, (1 + level) / 2)) * mean.standard_error
    return Interval(mean.value - half, mean.value + half)


def _with_interval(mean: Mean, level: float) -> Mean:
    low, high = t_interval(mean, level)
    return replace(mean, low=low, high=high)


def plain_mean(
    numbers: Floats, sides: Codes, codes: Sequence[Codes], counts: Floats = FIRST_LESS_SECOND
) -> Mean:
    """The mean, the difference of the two sides' means, or another sum of means, still without ends."""
    n = len(numbers)
    if n == 0:
        return Mean(nan, nan, nan, nan, nan, 0, 0)
    n_clusters = min(fewest_on_a_side(one, sides) for one in codes or [np.arange(n)])
    means = np.bincount(sides, weights=numbers) / np.bincount(sides)
    value = float(means @ counts[: len(means)])
    if n_clusters < 2:
        return Mean(value, nan, nan, nan, nan, n, n_clusters)
    spread: Spread = spread_of_means(numbers, sides, codes, counts)
    return Mean(value, nan, nan, sqrt(spread.variance), spread.df, n, n_clusters)


def answered(values: ArrayLike, factors: Factors) -> tuple[Floats, list[Codes]]:
    """The values that are not NaN, and their codes by every factor that has two levels, or by one of one."""
    numbers = np.asarray(values, dtype=np.float64).ravel()
    if len(factors) > 2:
        raise UserError(
            f"The items are crossed by {len(factors)} factors; an interval takes up to two.",
            "Leave out the factors with the most levels.",
        )
    kept = ~np.isnan(numbers)
    codes = [without_gaps(cluster_codes(labels, len(numbers))[kept]) for labels in factors]
    varying = [one for one in codes if one.max(initial=0) > 0]
    return numbers[kept], varying or codes[:1]


def _fewest(codes: Sequence[Codes], n: int) -> int:
    return min((int(one.max(initial=-1)) + 1 for one in codes), default=n)
