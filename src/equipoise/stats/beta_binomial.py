"""A share of hits in clusters with chances of their own: the beta-binomial model, by quadrature."""

import numpy as np

from equipoise.stats.clusters import Floats
from equipoise.stats.intervals import Interval

LIKENESS_NODES = 24
FARTHEST = 18.0
"""Log-odds beyond which no share is looked for."""

COARSE, FINE, ENOUGH = 73, 161, 60
NEGLIGIBLE = 14.0
"""Below the highest log density by this much a share has no mass worth counting."""


def share_interval(hits: Floats, sizes: Floats, level: float) -> Interval:
    """The central interval of the share, given the hits and the items of every cluster: some of both kinds.

    Jeffreys' prior for the share, and any intraclass correlation (how alike the items of a cluster are) as
    likely as any other.
    """
    from scipy.special import expit

    log_odds = np.linspace(-FARTHEST, FARTHEST, COARSE)
    density = _log_density(log_odds, hits, sizes)
    for _ in range(8):
        near = np.flatnonzero(density > density.max() - NEGLIGIBLE)
        if len(near) >= ENOUGH:
            break
        first, last = max(near[0] - 1, 0), min(near[-1] + 1, len(log_odds) - 1)
        log_odds = np.linspace(log_odds[first], log_odds[last], FINE)
        density = _log_density(log_odds, hits, sizes)
    mass = np.exp(density - density.max())
    below = (np.cumsum(mass) - mass / 2) / mass.sum()
    ends = expit(np.interp([(1 - level) / 2, (1 + level) / 2], below, log_odds))
    return Interval(float(ends[0]), float(ends[1]))


def _log_density(log_odds: Floats, hits: Floats, sizes: Floats) -> Floats:
    """The log posterior density of the log-odds of a share, up to a constant."""
    from scipy.special import betaln, expit, logsumexp

    likeness, weights = _likenesses()
    certainty = (1 - likeness) / likeness
    ahead, behind = (expit(side)[:, None] * certainty for side in (log_odds, -log_odds))
    kinds, counts = np.unique(np.stack([hits, sizes - hits]), axis=1, return_counts=True)
    total = -counts.sum() * betaln(ahead, behind)
    for (hit, missed), count in zip(kinds.T, counts, strict=True):
        total += count * betaln(ahead + hit, behind + missed)
    jeffreys = (np.log(expit(log_odds)) + np.log(expit(-log_odds))) / 2
    density: Floats = logsumexp(total, b=weights, axis=1) + jeffreys
    return density


def _likenesses() -> tuple[Floats, Floats]:
    """Intraclass correlations, dense near 0, and what each weighs."""
    nodes, weights = np.polynomial.legendre.leggauss(LIKENESS_NODES)
    roots = (1 + nodes) / 2
    likeness = roots**2
    return likeness, weights * roots
