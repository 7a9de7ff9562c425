"""Correlations and their intervals."""

from math import atanh, isnan, sqrt, tanh

import numpy as np
import pytest
import scipy.stats

from equipoise.errors import UserError
from equipoise.stats.correlation import pearson, spearman


def pair(rng, n, rho):
    x = rng.normal(size=n)
    return x, rho * x + sqrt(1 - rho**2) * rng.normal(size=n)


def test_pearson_agrees_with_scipy():
    x, y = pair(np.random.default_rng(0), 40, 0.6)
    theirs = scipy.stats.pearsonr(x, y)
    found = pearson(x, y, level=0.9)
    assert (found.value, found.p, found.n) == (theirs.statistic, theirs.pvalue, 40)
    assert found.interval == pytest.approx(tuple(theirs.confidence_interval(0.9)))


def test_spearman_by_hand():
    # Ranks 1 2 3 4 5 against 2 1 4 3 5: squared differences sum to 4, so 1 - 6 * 4 / 120.
    found = spearman([10, 20, 30, 40, 50], [0.2, 0.1, 7, 3, 100])
    assert found.value == pytest.approx(0.8)
    half = scipy.stats.norm.ppf(0.975) * sqrt((1 + 0.8**2 / 2) / 2)
    assert found.interval == pytest.approx((tanh(atanh(0.8) - half), tanh(atanh(0.8) + half)))


def test_the_intervals_cover():
    rng = np.random.default_rng(3)
    of_ranks = 6 / np.pi * np.arcsin(0.7 / 2)
    hits = np.zeros(2)
    for _ in range(500):
        x, y = pair(rng, 60, 0.7)
        linear, ranked = pearson(x, y).interval, spearman(x, y).interval
        hits += [linear.low <= 0.7 <= linear.high, ranked.low <= of_ranks <= ranked.high]
    assert ((hits / 500 > 0.92) & (hits / 500 < 0.98)).all()


@pytest.mark.parametrize("correlation", [pearson, spearman])
def test_what_cannot_be_correlated_is_nan(correlation):
    assert isnan(correlation([1, 1, 1, 1], [1, 2, 3, 4]).value)
    assert isnan(correlation([1, 2], [1, 2]).p)
    three = correlation([1, 2, 3], [1, 3, 2])
    assert three.value == pytest.approx(0.5)
    assert isnan(three.interval.low)
    with pytest.raises(UserError, match="4 and 3 values"):
        correlation([1, 2, 3, 4], [1, 2, 3])


@pytest.mark.parametrize("correlation", [pearson, spearman])
def test_incomplete_pairs_are_left_out_and_a_straight_line_is_one(correlation):
    found = correlation([1, 2, 3, 4, np.nan, 6], [2, 4, 6, 8, 1, np.nan])
    assert found.value == pytest.approx(1.0)
    assert found.n == 4
    assert found.interval.high == pytest.approx(1.0)
