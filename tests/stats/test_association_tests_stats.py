"""Nearness by four measures and the effect size, against slow loops and another library's formulas."""

import numpy as np
import pytest
from scipy.spatial import distance

from equipoise.stats.association import (
    effect_size,
    effect_size_draws,
    interval_of_draws,
    nearness,
    shrunk_covariance,
    whitening_of,
)

RNG = np.random.default_rng(4)
ONE, OTHER = RNG.normal(size=(5, 3)), RNG.normal(size=(4, 3))


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "manhattan", "mahalanobis"])
def test_nearness_is_the_distance_turned(measure):
    both = np.concatenate([ONE, OTHER])
    inverse = np.linalg.inv(shrunk_covariance(both))
    slow = {
        "cosine": lambda a, b: 1 - distance.cosine(a, b),
        "euclidean": lambda a, b: -distance.euclidean(a, b),
        "manhattan": lambda a, b: -distance.cityblock(a, b),
        "mahalanobis": lambda a, b: -distance.mahalanobis(a, b, inverse),
    }[measure]
    table = nearness(ONE, OTHER, measure, whitening=whitening_of(both))
    np.testing.assert_allclose(table, [[slow(a, b) for b in OTHER] for a in ONE], rtol=1e-9)


def test_a_vector_without_length_has_no_cosine():
    assert np.isnan(nearness(np.zeros((1, 3)), OTHER, "cosine")).all()


def test_shrinking_is_ledoit_and_wolfs():
    """Their weight written out as sums over the sample, as in section 3.3 of the paper."""
    x = RNG.normal(size=(12, 7)) * np.arange(1, 8)
    centred = x - x.mean(axis=0)
    sample = sum(np.outer(row, row) for row in centred) / 12
    mean = np.trace(sample) / 7
    d2 = ((sample - mean * np.eye(7)) ** 2).sum() / 7
    b2 = sum(((np.outer(row, row) - sample) ** 2).sum() / 7 for row in centred) / 12**2
    weight = min(b2, d2) / d2
    assert 0 < weight < 1
    expected = weight * mean * np.eye(7) + (1 - weight) * sample
    np.testing.assert_allclose(shrunk_covariance(x), expected, rtol=1e-10)


def test_vectors_without_spread_can_be_whitened():
    assert np.isfinite(whitening_of(np.ones((4, 3)))).all()


def test_the_effect_size_by_hand():
    values, first = np.array([3.0, 5.0, 1.0, 3.0]), np.array([True, True, False, False])
    assert effect_size(values, first, ddof=0) == pytest.approx(2 / np.sqrt(2))
    assert effect_size(values, first, ddof=1) == pytest.approx(2 / np.sqrt(8 / 3))
    assert np.isnan(effect_size(np.ones(4), first))


def test_the_draws_are_the_effect_size_of_each_sample():
    """Clusters of two items each: a draw is the effect size of the items written out as often as drawn."""
    values = RNG.normal(size=20)
    first, clusters = np.arange(20) < 8, np.arange(20) // 2
    from equipoise.stats import association

    draws = effect_size_draws(values, first, clusters, seed=3)
    weights = [association._weights(clusters[side], 3 + place) for place, side in enumerate((first, ~first))]
    for number in (0, 7, 1999):
        one, other = (
            np.repeat(values[side], weight[number].astype(int))
            for side, weight in zip((first, ~first), weights, strict=True)
        )
        pooled = np.concatenate([one, other])
        expected = (one.mean() - other.mean()) / pooled.std(ddof=1)
        assert draws[number] == pytest.approx(expected)
    assert weights[0].sum(axis=1).tolist() == [8] * 2000


def test_the_interval_covers_about_as_often_as_it_says():
    rng, hits = np.random.default_rng(9), 0
    truth = 1.0 / np.sqrt(1 + 0.25)  # means one apart, spread one, half of the items each
    for _ in range(200):
        values = np.concatenate([rng.normal(1.0, size=20), rng.normal(0.0, size=20)])
        draws = effect_size_draws(values, np.arange(40) < 20, np.arange(40))
        low, high = interval_of_draws(draws, 20)
        hits += low <= truth <= high
    assert 180 <= hits <= 199


def test_four_words_are_too_few_for_an_interval():
    assert np.isnan(interval_of_draws(np.arange(10.0), 4).low)
