"""A direction from pairs of vectors, how words lie along it, and what can still be read off vectors."""

from typing import NamedTuple

import numpy as np

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats

Labels = np.ndarray


class Direction(NamedTuple):
    """A unit vector from the second of each pair to the first, and its share of the pairs' variance."""

    vector: Floats
    share: float


def pair_direction(first: Floats, second: Floats) -> Direction:
    """The first principal component of the pairs, each around its own middle (Bolukbasi et al. 2016)."""
    halves = (first - second) / 2
    # The two halves of a pair are each other's negative, so those of one side have the same components.
    _, sizes, axes = np.linalg.svd(halves, full_matrices=False)
    if sizes[0] == 0:
        raise UserError("The two words of every pair have the same vector.", "Give other pairs.")
    axis = axes[0] * (1.0 if (halves @ axes[0]).sum() >= 0 else -1.0)
    return Direction(axis, float(sizes[0] ** 2 / (sizes**2).sum()))


def cosines_with(vectors: Floats, direction: Floats) -> Floats:
    """The cosine of every vector with a direction; NaN for one without length."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(direction)
    return np.divide(vectors @ direction, lengths, out=np.full(len(vectors), np.nan), where=lengths > 0)


def mean_products(vectors: Floats, first: Floats, second: Floats) -> Floats:
    """The mean over pairs of the inner product with the pair's unit difference (Ethayarajh et al. 2019)."""
    differences = first - second
    lengths = np.linalg.norm(differences, axis=1, keepdims=True)
    units = differences[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]
    products: Floats = (vectors @ units.T).mean(axis=1)
    return products


def nearest(vectors: Floats, count: int) -> np.ndarray:
    """The numbers of the `count` others with the highest cosine, for every vector."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -np.inf)
    ranked: np.ndarray = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return ranked


def two_clusters(vectors: Floats, *, seed: int = 0, starts: int = 20) -> Labels:
    """0 or 1 for every vector: 2-means on unit vectors, the best of several seeded starts."""
    from scipy.cluster.vq import kmeans2

    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    rng, best, least = np.random.default_rng(seed), np.zeros(len(units), dtype=int), np.inf
    for _ in range(starts):
        chosen = units[rng.choice(len(units), 2, replace=False)]
        centres, labels = kmeans2(units, chosen, minit="matrix", missing="warn", iter=50)
        cost = float(((units - centres[labels]) ** 2).sum())
        if cost < least:
            best, least = labels, cost
    return best


def held_out_decisions(
    vectors: Floats, signs: Floats, *, kernel: str, folds: int = 10, seed: int = 0
) -> Floats:
    """For every vector the decision of a kernel ridge classifier that was fitted without its fold.

    Folds hold as equal parts of both signs as they can. The kernel is linear or Gaussian with the median
    squared distance as its width, on standardised vectors; the ridge is the kernel's mean diagonal.
    """
    parts = _folds(signs, folds, seed)
    decisions = np.full(len(signs), np.nan)
    for part in range(folds):
        held = parts == part
        if held.any() and len(set(signs[~held])) == 2:
            decisions[held] = _decisions(vectors, signs, held, kernel)
    return decisions


def _decisions(vectors: Floats, signs: Floats, held: np.ndarray, kernel: str) -> Floats:
    """What a classifier fitted on the rest says of the held-out vectors."""
    from scipy.spatial.distance import cdist

    mean, spread = vectors[~held].mean(axis=0), vectors[~held].std(axis=0)
    scaled = (vectors - mean) / np.where(spread > 0, spread, 1.0)
    known, new = scaled[~held], scaled[held]
    if kernel == "linear":
        inner, outer = known @ known.T, new @ known.T
    else:
        squares = cdist(known, known, "sqeuclidean")
        width = np.median(squares[squares > 0]) if (squares > 0).any() else 1.0
        inner, outer = np.exp(-squares / width), np.exp(-cdist(new, known, "sqeuclidean") / width)
    # Classes weigh the same however many words they have, so that guessing the larger gains nothing.
    weights = np.where(signs[~held] > 0, 1 / (signs[~held] > 0).mean(), 1 / (signs[~held] < 0).mean()) / 2
    ridge = max(float(np.trace(inner)) / len(inner), 1e-12)
    fitted = np.linalg.solve(inner + ridge * np.diag(1 / weights), signs[~held])
    said: Floats = outer @ fitted
    return said


def _folds(signs: Floats, folds: int, seed: int) -> np.ndarray:
    """A fold for every vector, each sign dealt out evenly."""
    rng, parts = np.random.default_rng(seed), np.zeros(len(signs), dtype=int)
    for sign in (1.0, -1.0):
        places = rng.permutation(np.flatnonzero(signs == sign))
        parts[places] = np.arange(len(places)) % folds
    return parts
