"""Erasure: what a map must leave and take away, checked by other arithmetic."""

import numpy as np
import pytest

from equipoise.stats.erasure import (
    equalised,
    graded_rotation,
    inlp,
    leace,
    logistic_direction,
    principal_directions,
    unit_rows,
    without_directions,
)

RNG = np.random.default_rng(0)
LABELS = RNG.random(400) < 0.5
SHIFT = RNG.normal(size=12)
VECTORS = RNG.normal(size=(400, 12)) @ RNG.normal(size=(12, 12)) + np.outer(LABELS, SHIFT) + 3.0


def test_nothing_is_left_along_a_removed_direction() -> None:
    directions = RNG.normal(size=(2, 12))
    mapped = without_directions(directions)
    assert np.abs(mapped.of(VECTORS) @ directions.T).max() < 1e-6
    orthogonal = np.linalg.svd(directions)[2][2:]
    np.testing.assert_allclose(mapped.of(orthogonal), orthogonal, atol=1e-12)


def test_the_first_direction_is_that_of_the_differences() -> None:
    axis = np.eye(12)[3]
    differences = np.outer(RNG.normal(size=50), axis) + 0.01 * RNG.normal(size=(50, 12))
    assert abs(principal_directions(differences, 1)[0] @ axis) == pytest.approx(1.0, abs=1e-3)


def test_equalised_pairs_differ_along_the_direction_alone() -> None:
    direction = np.eye(12)[2]
    first, second = unit_rows(VECTORS[:20]), unit_rows(VECTORS[20:40])
    one, other = equalised(first, second, direction)
    np.testing.assert_allclose(np.linalg.norm(np.vstack([one, other]), axis=1), 1.0)
    apart = one - other
    assert np.abs(np.delete(apart, 2, axis=1)).max() < 1e-12
    np.testing.assert_array_equal(np.sign(apart[:, 2]), np.sign((first - second)[:, 2]))
    neutral = without_directions(direction).of(VECTORS[100:])
    distances = [np.linalg.norm(neutral[:, None] - pair, axis=2) for pair in (one, other)]
    np.testing.assert_allclose(*distances, atol=1e-12)
    np.testing.assert_allclose((one + other) / 2, np.where(np.eye(12)[2], 0, (first + second) / 2))


def test_a_row_without_length_stays() -> None:
    np.testing.assert_array_equal(unit_rows(np.array([[0.0, 0.0], [3.0, 4.0]])), [[0, 0], [0.6, 0.8]])


def test_leace_leaves_no_covariance_and_moves_least() -> None:
    mapped = leace(VECTORS, LABELS)
    erased = mapped.of(VECTORS)
    assert np.abs(np.cov(erased.T, LABELS)[-1, :-1]).max() < 1e-6
    np.testing.assert_allclose(erased.mean(axis=0), VECTORS.mean(axis=0))
    assert np.abs(erased[LABELS].mean(axis=0) - erased[~LABELS].mean(axis=0)).max() < 1e-6
    # A projection along the difference of means erases as well, and moves the vectors further.
    difference = VECTORS[LABELS].mean(axis=0) - VECTORS[~LABELS].mean(axis=0)
    other = without_directions(difference).of(VECTORS - VECTORS.mean(axis=0)) + VECTORS.mean(axis=0)
    assert ((erased - VECTORS) ** 2).sum() < ((other - VECTORS) ** 2).sum()


def test_leace_without_a_difference_changes_nothing() -> None:
    vectors = np.vstack([VECTORS[:50], VECTORS[:50]])
    labels = np.arange(100) < 50
    np.testing.assert_allclose(leace(vectors, labels).of(vectors), vectors, atol=1e-9)


def test_classifiers_find_nothing_after_inlp() -> None:
    mapped = inlp(VECTORS, LABELS, 6)
    before, after = (
        logistic_direction(one - one.mean(axis=0), LABELS, 1.0) for one in (VECTORS, mapped.of(VECTORS))
    )
    right = [
        ((VECTORS - VECTORS.mean(axis=0)) @ before > 0) == LABELS,
        (mapped.of(VECTORS) @ after > 0) == LABELS,
    ]
    assert right[0].mean() > 0.8
    assert right[1].mean() < 0.62
    assert np.linalg.matrix_rank(mapped.matrix) == 6


def test_a_graded_rotation_makes_two_directions_orthogonal() -> None:
    fixed, turned = np.eye(12)[0], np.array([np.cos(1.2), np.sin(1.2), *[0.0] * 10])
    rotated = graded_rotation(np.vstack([fixed, turned, -turned, VECTORS]), fixed, turned)
    np.testing.assert_allclose(rotated[0], fixed, atol=1e-12)
    assert abs(rotated[1] @ fixed) < 1e-12
    np.testing.assert_allclose(rotated[2], -rotated[1], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(rotated[3:], axis=1), np.linalg.norm(VECTORS, axis=1))
    np.testing.assert_allclose(rotated[3:, 2:], VECTORS[:, 2:])
