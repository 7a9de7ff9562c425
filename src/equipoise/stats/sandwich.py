"""How uncertain a mean, or a difference of two means, is when items come in clusters.

One factor: the cluster-robust ("sandwich") variance with the correction CR2 of Bell and McCaffrey 2002. For a
mean it has a closed form: a cluster that holds a share h of the items shrinks its own residuals by 1 - h. Few
or very unequal clusters leave few degrees of freedom. Without a factor they are those of Bell and McCaffrey
(Satterthwaite's; for two sides that is close to Welch's test).

A mean in standard errors of equal clusters has Student's t. For unequal ones Satterthwaite's degrees of
freedom are a rough stand-in (with five clusters of 1 to 60 items their 97.5 % quantile is 5.9 where the true
one is 3.9). So the quantile itself is worked out, for normal items that are as alike within clusters as the
data allow: the square of the mean and the sum of squared cluster scores are quadratic forms, and the chance
that one is larger than so many times the other is an integral over their characteristic function (Imhof
1961). Degrees of freedom are those of the t distribution that has this quantile. How alike items are (the
intraclass correlation) is taken at the upper quartile of what the data allow: an estimate from few clusters
is often 0 where the truth is not, and would give too short intervals.

Two crossed factors: V_a + V_b - V_ab (Cameron, Gelbach and Miller 2011), where ab are the combinations of
both, with Satterthwaite degrees of freedom of that sum. Where neither factor matters the sum is mostly noise,
so it is never taken below a floor of 0.8 V_ab. By simulation of 5 x 5 to 10 x 10 items (20,000 draws a case)
95 % intervals cover .935 to .967 with that floor, and .935 to .973 with V_ab as the floor.
`benchmarks/coverage.py` has the coverage of all of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import NDArray

from equipoise.stats.clusters import Codes, Floats

Complex = NDArray[np.complex128]

FIRST_LESS_SECOND = np.array([1.0, -1.0])
"""How often the mean of each side counts in a mean, or in a difference of two."""

TAIL = 0.025
"""The tail on either side at which the quantile is matched: that of a 95 % interval."""

QUARTILE = 0.25
"""Of the ratio of mean squares; divided by this quantile it gives the upper quartile of the likeness."""

MOST_DF = 1e6
"""So many degrees of freedom that nobody can tell them from the normal distribution."""

MOST_ALIKE = 1 - 1e-6
"""Wholly alike items on both sides of every cluster would leave no variance to speak of."""

LEAST_NODE = 1e-8
FADED = 25.0
"""From such a negative logarithm on the characteristic function is as good as 0."""

LARGEST_QUANTILE = 1e6


@dataclass(frozen=True)
class ClusterDesign:
    """Items by cluster and side `[clusters, sides]`, and what a residual weighs in its cluster's score.

    `counts` says how often the mean of each side counts in the estimate.
    """

    sizes: Floats
    weights: Floats
    counts: Floats = field(default_factory=FIRST_LESS_SECOND.copy)

    @cached_property
    def totals(self) -> Floats:
        """The items of each side."""
        totals: Floats = self.sizes.sum(axis=0)
        return totals

    @property
    def signs(self) -> Floats:
        """What the sum over a side counts for in the estimate."""
        return self.counts[: len(self.totals)] / self.totals


def likeness(design: ClusterDesign, sums: Floats, square: float) -> float:
    """The upper quartile of the intraclass correlation, by an analysis of variance of the residuals.

    `sums` are the clusters' sums of residuals, `square` is the sum of all their squares. Residuals that are
    all zero do not tell: then the items of a cluster are taken to be wholly alike.
    """
    from scipy.special import fdtri

    of_cluster = design.sizes.sum(axis=1)
    parts = design.sizes / design.totals
    lost = (design.sizes * parts).sum(axis=1)
    between = len(lost) - float((lost / of_cluster).sum())
    within = float(design.totals.sum()) - len(design.totals) - between
    if square == 0 or within < 0.5:
        return 1.0 if square == 0 else 0.0
    # How far a variance of 1 between clusters shows in the sum of squares between them.
    moved = of_cluster**2 - 2 * of_cluster * lost
    moved += ((parts @ (design.sizes.T @ design.sizes)) * parts).sum(axis=1)
    squares = float((sums**2 / of_cluster).sum())
    inside = max(square - squares, 0.0) / within
    outside = squares / float(fdtri(between, within, QUARTILE))
    variance = max(outside - between * inside, 0.0) / float((moved / of_cluster).sum())
    return variance / (variance + inside) if variance > 0 else 0.0


def degrees_of_freedom(design: ClusterDesign, alike: float) -> float:
    """Those of the t distribution with the quantile that items this alike within clusters have."""
    from scipy.special import stdtridf

    quantile = _quantile(_distribution(design, min(alike, MOST_ALIKE)))
    return float(np.fmin(stdtridf(1 - TAIL, quantile), MOST_DF)) if quantile > 0 else MOST_DF


def _quantile(distribution: "_Distribution") -> float:
    """What the statistic exceeds on either side with the chance TAIL; 0 if that is below the normal quantile.

    Newton's steps, and halves of what remains where such a step leads out of it.
    """
    from scipy.special import ndtri

    low, high = float(np.log(ndtri(1 - TAIL))), float(np.log(LARGEST_QUANTILE))
    here = low
    for _ in range(100):
        excess, slope = distribution.excess(here)
        if here == low and excess <= 0:
            return 0.0
        if abs(excess) < 1e-10:
            break
        low, high = (here, high) if excess > 0 else (low, here)
        there = here - excess / slope if slope else low
        here = there if low < there < high else (low + high) / 2
    return float(np.exp(here))


@dataclass(frozen=True)
class _Distribution:
    """The characteristic function of the summed squared scores at every node, and the estimate beside them.

    `rest` is the estimate's variance where the scores' part of it is weighted by that function.
    """

    nodes: Floats
    step: float
    amplitude: Complex
    rest: Complex

    def excess(self, log_quantile: float) -> tuple[float, float]:
        """By how much the chance to lie beyond a quantile is above twice TAIL, and how it changes with it."""
        shift = 1j * np.exp(-2 * log_quantile) * self.nodes * self.rest
        values = self.amplitude / np.sqrt(1 - shift)
        slope = -(values * shift / (1 - shift)).imag.sum()
        chance = 0.5 + values.imag.sum() * self.step / np.pi
        return float(chance - 2 * TAIL), float(slope * self.step / np.pi)


def _distribution(design: ClusterDesign, alike: float) -> _Distribution:
    """The distribution of the estimate's square by the sum of squared scores.

    A cluster's score is u - P S: u its own weighted sums, S the sums of the sides over all clusters, P its
    part of them. The covariance of the scores is a diagonal and a matrix of rank 2 per side (`vectors`,
    `core`), so that determinant and inverse are cheap. Clusters of one shape are gone through once.
    """
    sizes, weights, counts = _shapes(design)
    with_sums = (1 - alike) * sizes * weights + alike * sizes * (sizes * weights).sum(axis=1, keepdims=True)
    own = (weights * with_sums).sum(axis=1)
    scale = 1 / (counts @ own)
    step, nodes = _nodes(own * scale, counts)
    covariance = (1 - alike) * np.diag(design.totals) + alike * design.sizes.T @ design.sizes
    n_sides = len(covariance)
    core = -np.roll(np.eye(2 * n_sides), n_sides, axis=0)
    core[n_sides:, n_sides:] = covariance
    vectors = np.hstack([with_sums, weights * sizes / design.totals])
    turned = nodes[:, None] * own * scale
    pairs = (counts[:, None, None] * vectors[:, :, None] * vectors[:, None, :]).reshape(len(sizes), -1)
    # Not a matrix product: that would start threads, which take longer than the product itself.
    products = np.einsum("ns,sp->np", scale / (1 + 1j * turned), pairs).reshape(-1, *core.shape)
    small = np.eye(len(core)) + 1j * nodes[:, None, None] * (core @ products)
    real, imaginary = (counts * np.log1p(turned**2)).sum(axis=1) / 2, (counts * np.arctan(turned)).sum(axis=1)
    logarithm = real + 1j * imaginary + np.log(np.linalg.det(small))
    towards = np.concatenate([design.signs, -covariance @ design.signs])
    solved = np.linalg.solve(small, np.broadcast_to(towards[:, None], (len(nodes), len(core), 1)))
    explained = (products @ solved)[..., 0] @ towards
    rest = scale * (design.signs @ covariance @ design.signs - 1j * nodes * explained)
    return _Distribution(nodes, step, np.exp(-logarithm / 2), rest)


def _nodes(variances: Floats, counts: Floats) -> tuple[float, Floats]:
    """Where the integral is evaluated: evenly on the scale of logarithms, on which it converges fast.

    The more clusters there are, the faster the function turns and the sooner it fades.
    """
    ends = 10.0 ** np.arange(1, 9)
    faded = (counts * np.log1p((ends[:, None] * variances) ** 2)).sum(axis=1) / 4 > FADED
    step = float(min(0.3, 1.6 / np.sqrt(counts.sum())))
    last = ends[np.argmax(faded)] if faded.any() else ends[-1]
    return step, np.exp(np.arange(np.log(LEAST_NODE), np.log(last), step))


def _shapes(design: ClusterDesign) -> tuple[Floats, Floats, Floats]:
    """Sizes and weights of every shape of a cluster, and how many clusters have it."""
    keys = design.sizes
    if (
        keys.shape[1] <= 2
    ):  # one number stands for a shape, which is quicker to sort; of more it would overflow
        keys = keys @ (design.totals.max() + 1) ** np.arange(keys.shape[1])
    _, places, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    return design.sizes[places], design.weights[places], counts.astype(np.float64)


ROUNDING = 1e-12
"""Sums of residuals below this share of the largest value are rounding, not spread."""

FLOOR = 0.8
"""A crossed variance never falls below this share of the variance under independence."""


@dataclass(frozen=True)
class Spread:
    """The variance of an estimate and its degrees of freedom."""

    variance: float
    df: float


def spread_of_means(
    values: Floats, sides: Codes, factors: Sequence[Codes], counts: Floats = FIRST_LESS_SECOND
) -> Spread:
    """The spread of the mean (all sides 0), of the mean of side 0 minus that of side 1, or of another sum.

    `factors` holds none, one or two lists of cluster codes without gaps, each with two levels or more;
    `counts` says how often the mean of each side counts in the sum.
    """
    residuals = values - (np.bincount(sides, weights=values) / np.bincount(sides))[sides]
    noise = ROUNDING * float(np.abs(values).max())
    if not factors:
        return _one_way(*_scored(residuals, sides, np.arange(len(values)), noise, counts))
    if len(factors) == 1:
        design, sums = _scored(residuals, sides, factors[0], noise, counts)
        return _clustered(design, sums, float(residuals @ residuals))
    both = np.unique(factors[0] * (factors[1].max() + 1) + factors[1], return_inverse=True)[1]
    spreads = [_one_way(*_scored(residuals, sides, codes, noise, counts)) for codes in (*factors, both)]
    return _crossed(*spreads)


def _clustered(design: ClusterDesign, sums: Floats, square: float) -> Spread:
    """CR2 where items of different clusters are independent, and the degrees of freedom of its t."""
    variance = _variance(design, sums)
    if np.isnan(variance):
        return Spread(nan, nan)
    if design.sizes.shape[1] == 1 and np.ptp(design.sizes) == 0:
        return Spread(variance, len(design.sizes) - 1.0)
    alike = likeness(design, sums.sum(axis=1), square)
    return Spread(variance, degrees_of_freedom(design, alike))


def _one_way(design: ClusterDesign, sums: Floats) -> Spread:
    """CR2 and Satterthwaite's degrees of freedom of the variance itself."""
    variance = _variance(design, sums)
    df = nan if np.isnan(variance) else _satterthwaite(design)
    return Spread(variance, df)


def _scored(
    residuals: Floats, sides: Codes, codes: Codes, noise: float, counts: Floats
) -> tuple[ClusterDesign, Floats]:
    """Sizes, weights and sums of residuals; a side in one cluster alone has an infinite weight."""
    shape = int(codes.max()) + 1, int(sides.max()) + 1
    cells = codes * shape[1] + sides
    sizes = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    sums = np.bincount(cells, weights=residuals, minlength=sizes.size).reshape(shape).astype(np.float64)
    sums[np.abs(sums) <= noise * sizes] = 0.0
    totals = sizes.sum(axis=0)
    with np.errstate(divide="ignore"):
        weights = counts[: shape[1]] / totals / np.sqrt(1 - sizes / totals)
    return ClusterDesign(sizes, weights, counts), sums


def _variance(design: ClusterDesign, sums: Floats) -> float:
    """The sum of squared cluster scores; NaN where a side lies in one cluster alone."""
    if not np.isfinite(design.weights).all():
        return nan
    return float(((design.weights * sums).sum(axis=1) ** 2).sum())


def _satterthwaite(design: ClusterDesign) -> float:
    """Degrees of freedom of the sum of squared cluster scores, if all items had the same variance.

    The scores then have the covariance D - v v', a diagonal and one vector a side: no matrix is needed.
    """
    diagonal = (design.weights**2 * design.sizes).sum(axis=1)
    vectors = design.weights * design.sizes / np.sqrt(design.totals)
    lengths = (vectors**2).sum(axis=1)
    trace = (diagonal - lengths).sum()
    of_square = (diagonal**2 - 2 * diagonal * lengths).sum() + ((vectors.T @ vectors) ** 2).sum()
    return float(trace**2 / of_square)


def _crossed(first: Spread, second: Spread, both: Spread) -> Spread:
    """The two-way variance from those of the factors and of their combinations."""
    variance = first.variance + second.variance - both.variance
    floor = FLOOR * both.variance
    # Written so that a NaN on either side stays one.
    if not variance > floor:
        return Spread(max(variance, floor), both.df)
    noise = sum(part.variance**2 / part.df for part in (first, second, both))
    df = max(variance**2 / noise, min(first.df, second.df))
    return Spread(variance, df)
