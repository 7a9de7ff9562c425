"""A share of hits in clusters with chances of their own: the beta-binomial model, by quadrature."""

import numpy as np

from equipoise.stats.clusters import Codes, Floats
from equipoise.stats.intervals import Interval

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
