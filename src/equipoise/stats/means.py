"""Means, differences of means and shares of hits, with intervals for items in clusters."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import UserError
from equipoise.stats.clusters import (
    UNKNOWN,
    Codes,
    Floats,
    Interval,
    check_level,
    cluster_codes,
    fewest_on_a_side,
    without_gaps,
)
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


def share_with_interval(hits: ArrayLike, factors: Factors = (), *, level: float = 0.95) -> Mean:
    """The share of answered items that are hits (1, not 0), with an interval inside [0, 1].

    Where no two items share a cluster it is Wilson's. Where all items are hits or none is, nothing tells
    how alike the items of a cluster are, and they are taken to be wholly alike: Wilson's interval for as many
    items as there would be clusters. Else it is that of the clusters' mean, with the quantile it has there,
    on the scale of log-odds, or another where that one does not hold the truth as often as it should: see
    `_one_way_interval` and `_crossed_interval`.
    """
    check_level(level)
    numbers, codes = answered(hits, factors)
    if not np.isin(numbers, (0.0, 1.0)).all():
        odd = numbers[~np.isin(numbers, (0.0, 1.0))][0]
        raise UserError(f"A share was asked of values such as {odd:g}.", "Give 1 for a hit and 0 for none.")
    mean = plain_mean(numbers, np.zeros(len(numbers), dtype=np.intp), codes)
    if mean.n_clusters < FEWEST_CLUSTERS or isnan(mean.value):
        return mean
    if mean.n_clusters == mean.n:
        share = mean.value
        mean = replace(mean, standard_error=sqrt(share * (1 - share) / mean.n), df=inf)
        low, high = _wilson(share, mean.n, mean.df, level)
    elif mean.value in (0.0, 1.0):
        alike = min(mean.n**2 / float((np.bincount(one) ** 2.0).sum()) for one in codes)
        low, high = _wilson(mean.value, alike, mean.df, level)
    elif len(codes) == 1:
        low, high = _one_way_interval(mean, numbers, codes[0], level)
    else:
        low, high = _crossed_interval(mean, level)
    return replace(mean, low=low, high=high)


def _one_way_interval(mean: Mean, numbers: Floats, codes: Codes, level: float) -> Interval:
    """The interval of log-odds or of the beta-binomial model, which `benchmarks/coverage.py` holds up.

    Where at most half of the clusters hold a hit, or a miss, so few do not tell how far clusters differ, and
    log-odds would be too narrow. Else it is the shorter one: with few clusters log-odds are too wide for rare
    hits, the model is so for clusters that are alike. Clusters count alike in the model: where a large one
    holds most hits, the share of items may lie outside.
    """
    of_log_odds = _log_odds_interval(mean, level)
    hits: Floats = np.bincount(codes, weights=numbers).astype(np.float64)
    sizes: Floats = np.bincount(codes).astype(np.float64)
    of_model = share_interval(hits, sizes, level)
    holds_share = of_model.low <= mean.value <= of_model.high
    if 2 * min(np.count_nonzero(hits), np.count_nonzero(sizes - hits)) > len(sizes):
        return min(of_log_odds, of_model, key=_length) if holds_share else of_log_odds
    if holds_share:
        return of_model
    return Interval(min(of_model.low, of_log_odds.low), max(of_model.high, of_log_odds.high))


def _crossed_interval(mean: Mean, level: float) -> Interval:
    """That of log-odds; Wilson's where rows and columns differ no more than those of independent items."""
    of_an_item = mean.value * (1 - mean.value)
    they_differ = mean.standard_error**2 * mean.n > of_an_item
    if they_differ or mean.standard_error == 0:
        return _log_odds_interval(mean, level)
    return _wilson(mean.value, of_an_item / mean.standard_error**2, mean.df, level)


def _length(interval: Interval) -> float:
    """How long an interval of a share is on the scale of log-odds."""
    from scipy.special import logit

    return float(logit(interval.high) - logit(interval.low))


def _log_odds_interval(mean: Mean, level: float) -> Interval:
    """The t interval of a share's log-odds, turned back into shares."""
    from scipy.special import expit, logit, stdtrit

    spread = mean.value * (1 - mean.value)
    # Every cluster has the same share, by design or by luck: the items are then as good as independent.
    error = mean.standard_error if mean.standard_error > 0 else sqrt(spread / mean.n)
    half = float(stdtrit(mean.df, (1 + level) / 2)) * error / spread
    middle = float(logit(mean.value))
    return Interval(float(expit(middle - half)), float(expit(middle + half)))


def _wilson(share: float, n: float, df: float, level: float) -> Interval:
    """Wilson's score interval, n and the quantile of any size; a t without end is the normal one."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    square = float(ndtri(upper) if df == inf else stdtrit(df, upper)) ** 2
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = sqrt(square * (share * (1 - share) / n + square / (4 * n * n))) / (1 + square / n)
    return Interval(max(0.0, centre - half), min(1.0, centre + half))


FARTHEST = 18.0
"""Log-odds beyond which no share is looked for."""

STRAIGHT = np.pi / 2
"""The intraclass correlation is the squared sine of an angle: 0 to a right one."""

COARSE, FINE, ENOUGH, ROUNDS = (49, 13), (129, 49), (61, 21), 8
"""Points of the first and of later grids over log-odds and angles; how many must lie where there is mass."""

NEGLIGIBLE = 14.0
"""Below the highest log density by this much there is no mass worth counting."""


def share_interval(hits: Floats, sizes: Floats, level: float) -> Interval:
    """The central interval of the share, given the hits and the items of every cluster: some of both kinds.

    The arcsine law, which is Jeffreys' prior, is the prior of the share; that of the intraclass correlation
    (how alike the items of a cluster are) is its product with the correlation, a beta distribution of 3/2 and
    1/2: few clusters show little of how alike their items are, and the arcsine law itself is too narrow then.
    """
    from scipy.special import expit, logsumexp

    log_odds, angles = np.linspace(-FARTHEST, FARTHEST, COARSE[0]), _middles(0.0, STRAIGHT, COARSE[1])
    for _ in range(ROUNDS):
        density = _log_density(log_odds, angles, hits, sizes)
        near = [_near(density, axis) for axis in (0, 1)]
        if all(len(places) >= enough for places, enough in zip(near, ENOUGH, strict=True)):
            break
        log_odds = np.linspace(*_around(log_odds, near[0]), FINE[0])
        first, last = _around(angles, near[1])
        angles = _middles(max(first, 0.0), min(last, STRAIGHT), FINE[1])
    mass = np.exp(logsumexp(density, axis=1) - density.max())
    below = (np.cumsum(mass) - mass / 2) / mass.sum()
    low, high = expit(np.interp([(1 - level) / 2, (1 + level) / 2], below, log_odds))
    return Interval(float(low), float(high))


def _log_density(log_odds: Floats, angles: Floats, hits: Floats, sizes: Floats) -> Floats:
    """The log posterior density of log-odds and angles up to a constant, `[log-odds, angles]`."""
    from scipy.special import expit

    certainty = np.tan(angles) ** -2.0
    hit_at, missed_at = (expit(side)[:, None] * certainty for side in (log_odds, -log_odds))
    density: Floats = _rising(hit_at, hits) + _rising(missed_at, sizes - hits) - _rising(certainty, sizes)
    jeffreys = (np.log(expit(log_odds)) + np.log(expit(-log_odds))) / 2
    return density + jeffreys[:, None] + 2 * np.log(np.sin(angles))


def _rising(start: Floats, steps: Floats) -> Floats:
    """The log of the rising factorials start (start + 1) ... of so many steps, multiplied over clusters."""
    from scipy.special import gammaln

    kinds, counts = np.unique(steps[steps > 0], return_counts=True)
    total: Floats = -counts.sum() * gammaln(start)
    for kind, count in zip(kinds, counts, strict=True):
        total += count * gammaln(start + kind)
    return total


def _near(density: Floats, axis: int) -> Codes:
    """The places along an axis where there is mass."""
    highest = density.max(axis=1 - axis)
    return np.flatnonzero(highest > highest.max() - NEGLIGIBLE)


def _around(points: Floats, near: Codes) -> tuple[float, float]:
    """One step beyond the places with mass, on either side."""
    step = points[1] - points[0]
    return float(points[near[0]] - step), float(points[near[-1]] + step)


def _middles(first: float, last: float, parts: int) -> Floats:
    """The middles of equal parts of a range of angles, in which the arcsine law is even."""
    return first + (np.arange(parts) + 0.5) * (last - first) / parts
