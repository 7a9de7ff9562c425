"""Wilson's interval against printed ones and its own equation; the expanded percentiles by hand."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from equipoise.errors import UserError
from equipoise.stats.clusters import expanded_percentile, wilson


@pytest.mark.parametrize("n_clusters", [5, 9, 60])
def test_tails_are_moved_outward_for_few_clusters(n_clusters):
    draws = np.random.default_rng(0).normal(size=20_001)
    tail = norm.cdf(-sqrt(n_clusters / (n_clusters - 1)) * t.ppf(0.975, n_clusters - 1))
    expected = np.quantile(draws, [tail, 1 - tail])
    assert expanded_percentile(draws, n_clusters, 0.95) == pytest.approx(tuple(expected))
    plain = np.quantile(draws, [0.025, 0.975])
    assert expected[0] < plain[0]
    assert expected[1] > plain[1]


def test_draws_without_a_value_are_left_out():
    draws = np.array([1.0, np.nan, 1.0, np.nan])
    assert expanded_percentile(draws, 6, 0.95) == (1.0, 1.0)
    assert np.isnan(expanded_percentile(np.full(4, np.nan), 6, 0.95)).all()


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_intervals_of_newcombe_1998(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500), st.data())
def test_wilson_solves_its_own_equation_and_stays_inside(n, data):
    successes = data.draw(st.integers(0, n))
    z = norm.ppf(0.95)
    for end in wilson(successes, n, level=0.9):
        assert 0 <= end <= 1
        distance = (successes / n - end) ** 2 * n
        assert distance == pytest.approx(z**2 * end * (1 - end), abs=1e-9 * n)


def test_wilson_of_nothing_is_unknown_and_of_nonsense_refused():
    assert np.isnan(wilson(0, 0)).all()
    with pytest.raises(UserError, match="5 successes out of 3"):
        wilson(5, 3)
    with pytest.raises(UserError, match="level"):
        wilson(1, 3, level=95)
