"""Taking a concept out of vectors: directions, equalised pairs, LEACE, INLP, and OSCaR's graded rotation."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]
SMALL = 1e-8


class Affine(NamedTuple):
    """A map from x to `matrix @ x + shift`."""

    matrix: Floats
    shift: Floats

    def of(self, vectors: Floats) -> Floats:
        """The map of every row."""
        return np.asarray(vectors @ self.matrix.T + self.shift)

    def removed(self) -> tuple[Floats, Floats]:
        """What it takes away, as `outward.T @ inward`: few rows each where few directions go."""
        away, sizes, inward = np.linalg.svd(np.eye(len(self.shift)) - self.matrix)
        kept = sizes > SMALL * max(1.0, sizes.max())
        return np.asarray((away[:, kept] * sizes[kept]).T), np.asarray(inward[kept])


def without_directions(directions: Floats) -> Affine:
    """The projection onto what is orthogonal to every direction (rows)."""
    basis = _orthonormal(np.atleast_2d(directions))
    width = basis.shape[1]
    return Affine(np.eye(width) - basis.T @ basis, np.zeros(width))


def principal_directions(differences: Floats, count: int) -> Floats:
    """The first principal directions of differences between partners, taken with either sign."""
    _, _, rows = np.linalg.svd(np.asarray(differences, dtype=float), full_matrices=False)
    return np.asarray(rows[:count])


def equalised(first: Floats, second: Floats, direction: Floats) -> tuple[Floats, Floats]:
    """Return pairs of unit vectors (rows) that differ only along a unit direction.

    Bolukbasi et al. 2016: the middle of a pair without the direction is kept, and the two stand on either
    side of it, each on the side where it was. What is orthogonal to the direction is equally near to both.
    """
    middle = without_directions(direction).of((first + second) / 2)
    height = np.sqrt(np.maximum(0.0, 1.0 - (middle**2).sum(axis=1)))
    signs = np.where((first - second) @ direction >= 0, 1.0, -1.0)
    apart = (signs * height)[:, None] * direction
    return middle + apart, middle - apart


def unit_rows(vectors: Floats) -> Floats:
    """Every row with length 1; one without length stays as it is."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))


def leace(vectors: Floats, is_first: Labels) -> Affine:
    """The least-squares affine map after which no linear function tells the classes apart.

    Belrose et al. 2023, theorem 4.3, for two classes: with the whitening W of the vectors and their
    covariance with the label, x -> x - W^+ P W (x - mean), where P projects onto W times that covariance.
    """
    mean = vectors.mean(axis=0)
    centred = vectors - mean
    covariance = centred.T @ centred / len(vectors)
    with_label = centred.T @ (is_first - is_first.mean()) / len(vectors)
    values, axes = np.linalg.eigh(covariance)
    kept = values > SMALL * values.max()
    root = np.sqrt(values[kept])
    whiten = (axes[:, kept] / root) @ axes[:, kept].T
    colour = (axes[:, kept] * root) @ axes[:, kept].T
    direction = whiten @ with_label
    size = float(direction @ direction)
    if size < SMALL**2:
        return Affine(np.eye(len(mean)), np.zeros(len(mean)))
    matrix = np.eye(len(mean)) - colour @ np.outer(direction, direction) @ whiten / size
    return Affine(matrix, mean - matrix @ mean)


def inlp(vectors: Floats, is_first: Labels, rounds: int, *, strength: float = 1.0) -> Affine:
    """Iterative null-space projection: what each of several classifiers reads is projected away in turn."""
    directions: list[Floats] = []
    left = vectors - vectors.mean(axis=0)
    for _ in range(rounds):
        weights = logistic_direction(left, is_first, strength)
        if np.linalg.norm(weights) < SMALL:
            break
        directions.append(weights)
        left = without_directions(np.array(directions)).of(vectors - vectors.mean(axis=0))
    if not directions:
        return Affine(np.eye(vectors.shape[1]), np.zeros(vectors.shape[1]))
    return without_directions(np.array(directions))


def logistic_direction(vectors: Floats, is_first: Labels, strength: float) -> Floats:
    """The weights of a logistic regression with an L2 penalty."""
    from scipy.optimize import minimize
    from scipy.special import expit

    signs = np.where(is_first, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = signs * (vectors @ weights[:-1] + weights[-1])
        slopes = -signs * expit(-margins) / len(signs)
        penalty = strength * weights[:-1] / len(signs)
        gradient = np.append(vectors.T @ slopes + penalty, slopes.sum())
        value = np.logaddexp(0, -margins).mean() + 0.5 * strength * weights[:-1] @ weights[:-1] / len(signs)
        return float(value), gradient

    solved = minimize(loss, np.zeros(vectors.shape[1] + 1), jac=True, method="L-BFGS-B")
    return np.asarray(solved.x[:-1])


def graded_rotation(vectors: Floats, fixed: Floats, turned: Floats) -> Floats:
    """OSCaR (Dev et al. 2021): in the plane of two directions, `turned` becomes orthogonal to `fixed`.

    A vector near `turned` turns with it, one along `fixed` stays, those between turn by degrees; what is
    outside the plane stays, and no vector changes its length.
    """
    first = fixed / np.linalg.norm(fixed)
    other = turned / np.linalg.norm(turned)
    second = other - (other @ first) * first
    if np.linalg.norm(second) < SMALL:
        return np.asarray(vectors, dtype=float)
    second = second / np.linalg.norm(second)
    inner = float(np.arccos(np.clip(other @ first, -1, 1)))
    x, y = vectors @ first, vectors @ second
    angle = np.arctan2(y, x)
    turn = _turns(angle, inner)
    new_x, new_y = x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)
    return np.asarray(vectors + np.outer(new_x - x, first) + np.outer(new_y - y, second))


def _turns(angle: Floats, inner: float) -> Floats:
    """By how much a vector at an angle turns: all of what is missing to a right angle at `inner`."""
    missing = np.pi / 2 - inner
    size = np.abs(angle)
    upper = np.where(size <= inner, size / inner, (np.pi - size) / (np.pi - inner))
    beyond = np.pi - inner
    lower = np.where(size >= beyond, (np.pi - size) / inner, size / beyond)
    return missing * np.where(angle >= 0, upper, lower)


def _orthonormal(directions: Floats) -> Floats:
    """An orthonormal basis of the rows' span."""
    _, values, rows = np.linalg.svd(np.asarray(directions, dtype=float), full_matrices=False)
    return np.asarray(rows[values > SMALL * values.max()])
