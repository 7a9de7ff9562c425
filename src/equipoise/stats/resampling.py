"""Intervals of numbers other than means: ratios, F1 scores, rank correlations, agreement of annotators.

Clusters are drawn with replacement as often as there are clusters. A statistic that is a function of sums
(a ratio of two, say) needs no items for that: each cluster's sums are formed once, every draw is a sum of
cluster sums, and the statistic is called once with all draws in one array.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import UserError
from equipoise.stats.clusters import (
    NUMBERS_AT_ONCE,
    UNKNOWN,
    Floats,
    Interval,
    check_level,
    cluster_codes,
    expanded_percentile,
    fewest_on_a_side,
    without_gaps,
)
from equipoise.stats.means import FEWEST_CLUSTERS

DRAWS = 2000


@dataclass(frozen=True)
class Resampled:
    """The columns' sums in every draw [draws, columns], and how many clusters were drawn from.

    `can_tell` is whether each side of the statistic has clusters enough for an interval.
    """

    sums: Floats
    n_clusters: int
    can_tell: bool

    def interval(self, values: Floats, *, level: float = 0.95) -> Interval:
        """The interval of a statistic from its value in every draw; draws with NaN are left out."""
        check_level(level)
        if not self.can_tell:
            return UNKNOWN
        return expanded_percentile(values, self.n_clusters, level)

    def lowest_if_perfect(self, perfect: float, *, level: float = 0.95) -> float:
        """The lower end of a score that every cluster reaches in full, where resampling shows no spread.

        The share of clusters that would do so is at least this, by the exact binomial interval.
        """
        check_level(level)
        if not self.can_tell:
            return float("nan")
        return perfect * ((1 - level) / 2) ** (1 / self.n_clusters)


def resampled_sums(
    cells: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    *,
    sides: Iterable[Hashable] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Resampled:
    """Draw whole clusters of rows and sum the columns; for several statistics of the same draws.

    `cells` has one row per item, or per cluster where the caller has summed already; a column of ones gives
    the number of items drawn. Rows with a NaN are left out. `sides` names the side of every row where the
    statistic sets one against another.
    """
    rows = np.atleast_2d(np.asarray(cells, dtype=np.float64))
    known = ~np.isnan(rows).any(axis=1)
    codes = without_gaps(cluster_codes(clusters, len(rows))[known])
    n_clusters = int(codes.max(initial=-1)) + 1
    if n_clusters < 1:
        return Resampled(np.full((draws, rows.shape[1]), np.nan), 0, can_tell=False)
    of_clusters = np.column_stack(
        [np.bincount(codes, weights=column) for column in rows[known].T],
    )
    parts = [counts @ of_clusters for counts in cluster_counts(n_clusters, draws=draws, seed=seed)]
    of_sides = cluster_codes([""] * len(rows) if sides is None else sides, len(rows))[known]
    can_tell = fewest_on_a_side(codes, of_sides) >= FEWEST_CLUSTERS
    return Resampled(np.concatenate(parts), n_clusters, can_tell)


def bootstrap_of(
    statistic: Callable[[Floats], Floats],
    cells: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    *,
    sides: Iterable[Hashable] | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """95 % interval of a function of the columns' sums: it is given [draws, columns] and gives [draws]."""
    resampled = resampled_sums(cells, clusters, sides=sides, draws=draws, seed=seed)
    return resampled.interval(statistic(resampled.sums))


def cluster_counts(n_clusters: int, *, draws: int = DRAWS, seed: int = 0) -> Iterable[Floats]:
    """How often each cluster was drawn, as arrays [some draws, clusters] that fit in memory."""
    if draws < 1:
        raise UserError(f"{draws} draws were asked for.", "Give a number such as 2000.")
    rng = np.random.default_rng(seed)
    at_once = max(1, NUMBERS_AT_ONCE // n_clusters)
    for start in range(0, draws, at_once):
        batch = min(at_once, draws - start)
        picked = rng.integers(n_clusters, size=(batch, n_clusters))
        picked += np.arange(batch)[:, None] * n_clusters
        counts = np.bincount(picked.ravel(), minlength=batch * n_clusters)
        yield counts.reshape(batch, n_clusters).astype(np.float64)


def rank_biserial_bootstrap(
    differences: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Interval:
    """Interval of the matched-pairs rank-biserial correlation, resampling whole clusters of pairs."""
    values = np.asarray(differences, dtype=np.float64).ravel()
    known = ~np.isnan(values)
    codes = without_gaps(cluster_codes(clusters, len(values))[known])
    n_clusters = int(codes.max(initial=-1)) + 1
    if n_clusters < FEWEST_CLUSTERS:
        return UNKNOWN
    check_level(level)
    parts = [
        _rank_biserial_of(values[known], counts[:, codes])
        for counts in cluster_counts(n_clusters, draws=draws, seed=seed)
    ]
    return expanded_percentile(np.concatenate(parts), n_clusters, level)


def _rank_biserial_of(values: Floats, counts: Floats) -> Floats:
    """The correlation in every draw, each value counted as often as it was drawn; NaN if all are zero.

    Equal sizes share the mean of their ranks, so a size that was drawn c times after b smaller ones has
    the rank b + (c + 1) / 2.
    """
    differing = values != 0
    if not differing.any():
        return np.full(len(counts), np.nan)
    sizes = np.abs(values[differing])
    order = np.argsort(sizes, kind="stable")
    starts = np.flatnonzero(np.diff(sizes[order], prepend=-1.0))
    weights = counts[:, differing][:, order]
    signed = weights * np.sign(values[differing][order])
    drawn, balance = (np.add.reduceat(part, starts, axis=1) for part in (weights, signed))
    ranks = np.cumsum(drawn, axis=1) - drawn + (drawn + 1) / 2
    whole = (ranks * drawn).sum(axis=1)
    return np.divide((ranks * balance).sum(axis=1), whole, out=np.full(len(counts), np.nan), where=whole > 0)


def quantile_difference(
    first: ArrayLike, second: ArrayLike, at: float, *, draws: int = DRAWS, seed: int = 0
) -> tuple[float, Interval]:
    """The difference of two quantiles of paired values, with the percentile interval over resampled pairs."""
    pairs = np.column_stack([np.asarray(values, dtype=np.float64) for values in (first, second)])
    pairs = pairs[~np.isnan(pairs).any(axis=1)]
    if not len(pairs):
        return float("nan"), UNKNOWN
    high, low = np.quantile(pairs, at, axis=0)
    if len(pairs) < FEWEST_CLUSTERS:
        return float(high - low), UNKNOWN
    picked = np.random.default_rng(seed).integers(len(pairs), size=(draws, len(pairs)))
    quantiles = np.quantile(pairs[picked], at, axis=1)
    return float(high - low), expanded_percentile(quantiles[:, 0] - quantiles[:, 1], len(pairs), 0.95)
