"""How near vectors are to two sets of others, by four measures, and the size of the effect.

A distance is taken with its sign turned, so that larger is nearer whatever the measure. Mahalanobis'
distance uses the covariance of all vectors given, shrunk towards a multiple of the identity by Ledoit and
Wolf's (2004) weight: there are usually fewer vectors than numbers in each.
"""

from math import nan

import numpy as np
from numpy.typing import NDArray

from equipoise.stats.clusters import UNKNOWN, Codes, Floats, Interval, expanded_percentile
from equipoise.stats.means import FEWEST_CLUSTERS
from equipoise.stats.resampling import cluster_counts

MEASURES = ("cosine", "euclidean", "manhattan", "mahalanobis")


def nearness(vectors: Floats, others: Floats, measure: str, *, whitening: Floats | None = None) -> Floats:
    """How near each vector is to each of the others `[vectors, others]` by a measure; larger is nearer."""
    from scipy.spatial.distance import cdist

    if measure == "cosine":
        return _unit(vectors) @ _unit(others).T
    if measure == "mahalanobis":
        if whitening is None:
            raise ValueError("Mahalanobis' distance needs the whitening of the vectors")
        vectors, others = vectors @ whitening, others @ whitening
    return -cdist(vectors, others, "cityblock" if measure == "manhattan" else "euclidean")


def whitening_of(vectors: Floats) -> Floats:
    """The matrix that turns vectors so that their shrunk covariance becomes the identity."""
    values, axes = np.linalg.eigh(shrunk_covariance(vectors))
    return axes / np.sqrt(np.maximum(values, np.finfo(np.float64).tiny))


def shrunk_covariance(vectors: Floats) -> Floats:
    """Ledoit and Wolf's covariance: pulled towards its mean variance by a weight worked out from the data."""
    centred = vectors - vectors.mean(axis=0)
    n, width = centred.shape
    sample = centred.T @ centred / n
    mean_variance = float(np.trace(sample)) / width
    target = mean_variance * np.eye(width)
    spread = float(((sample - target) ** 2).sum())
    if spread == 0:
        return target if mean_variance > 0 else np.eye(width)
    squared = centred**2
    noise = float((squared.T @ squared / n - sample**2).sum()) / n
    weight = min(1.0, noise / spread)
    shrunk: Floats = weight * target + (1 - weight) * sample
    return shrunk


def effect_size(associations: Floats, is_first: NDArray[np.bool_], *, ddof: int = 1) -> float:
    """The difference of the two groups' means in standard deviations of all (Caliskan et al. 2017)."""
    first = is_first
    if min(first.sum(), (~first).sum()) < 1 or len(associations) <= ddof:
        return nan
    spread = float(associations.std(ddof=ddof))
    difference = float(associations[first].mean() - associations[~first].mean())
    return difference / spread if spread > 0 else nan


def effect_size_draws(
    associations: Floats, is_first: NDArray[np.bool_], clusters: Codes, *, ddof: int = 1, seed: int = 0
) -> Floats:
    """The effect size in bootstrap samples that draw whole clusters anew within each group."""
    first = is_first
    weights = [_weights(clusters[side], seed + place) for place, side in enumerate((first, ~first))]
    sums = [weight.sum(axis=1) for weight in weights]
    values = [associations[first], associations[~first]]
    means = [weight @ value / total for weight, value, total in zip(weights, values, sums, strict=True)]
    n = sums[0] + sums[1]
    mean = (means[0] * sums[0] + means[1] * sums[1]) / n
    squares = sum(weight @ value**2 for weight, value in zip(weights, values, strict=True))
    variance = np.maximum(squares - n * mean**2, 0) / (n - ddof)
    return np.divide(means[0] - means[1], np.sqrt(variance), out=np.full(len(n), nan), where=variance > 1e-24)


def interval_of_draws(draws: Floats, clusters: int, *, level: float = 0.95) -> Interval:
    """The interval of bootstrap draws of so many clusters in the smaller group; none of fewer than five."""
    return expanded_percentile(draws, clusters, level) if clusters >= FEWEST_CLUSTERS else UNKNOWN


def _weights(clusters: Codes, seed: int) -> Floats:
    """How often each item was drawn with its cluster `[draws, items]`."""
    _, codes = np.unique(clusters, return_inverse=True)
    counts = np.concatenate(list(cluster_counts(int(codes.max()) + 1, seed=seed)))
    drawn: Floats = counts[:, codes]
    return drawn


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.full_like(vectors, nan), where=lengths > 0)
