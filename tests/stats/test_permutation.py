"""The permutation test counts every assignment as brute force does, and random assignments come near."""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.stats import permutation
from equipoise.stats.permutation import two_sample_permutation


def all_mean_differences(a, b):
    pool = [*a, *b]
    for chosen in combinations(range(len(pool)), len(a)):
        rest = [pool[i] for i in range(len(pool)) if i not in chosen]
        yield np.mean([pool[i] for i in chosen]) - np.mean(rest)


def test_two_samples_are_enumerated_when_few():
    a, b = [3.1, 2.2, 5.0, 4.4], [1.0, 2.0, 2.9]
    observed = np.mean(a) - np.mean(b)
    everything = list(all_mean_differences(a, b))
    greater = np.mean([value >= observed - 1e-9 for value in everything])
    test = two_sample_permutation(a, b, alternative="greater")
    assert (test.exact, test.error, test.assignments) == (True, 0.0, comb(7, 4))
    assert len(everything) == comb(7, 4)
    assert test.p == pytest.approx(greater)
    assert test.statistic == pytest.approx(observed)
    assert two_sample_permutation(a, b).p == pytest.approx(2 * greater)
    assert two_sample_permutation(b, a, alternative="less").p == pytest.approx(greater)


@given(
    st.lists(st.integers(-9, 9), min_size=2, max_size=6), st.lists(st.integers(-9, 9), min_size=2, max_size=5)
)
@settings(max_examples=60, deadline=None)
def test_counting_halves_is_brute_force(a, b):
    """Whole numbers tie often, which is where counting goes wrong."""
    observed = np.mean(a) - np.mean(b)
    everything = np.array(list(all_mean_differences(a, b)))
    for alternative, hits in (
        ("greater", everything >= observed - 1e-9),
        ("less", everything <= observed + 1e-9),
    ):
        assert two_sample_permutation(a, b, alternative=alternative).p == pytest.approx(hits.mean())


def test_sums_that_tie_in_tenths_tie_as_in_whole_numbers():
    # In binary tenths, sums that should tie miss each other by an ulp: 61 of 126 assignments, not 77.
    a, b = np.array([3, 1, 1, 3]), np.array([1, 1, 0, 4, 4])
    whole = [value >= 0 - 1e-9 for value in all_mean_differences(a, b)]
    assert two_sample_permutation(a, b, alternative="greater").p == np.mean(whole)
    assert two_sample_permutation(a / 10 + 0.3, b / 10 + 0.3, alternative="greater").p == np.mean(whole)


def test_thirty_six_values_are_counted_exactly():
    """Ranks: the exact null of Wilcoxon and Mann and Whitney, known to scipy by another way."""
    rng = np.random.default_rng(5)
    ranks = rng.permutation(36) + 1.0
    a, b = ranks[:18], ranks[18:]
    test = two_sample_permutation(a, b, alternative="greater")
    expected = scipy.stats.mannwhitneyu(a, b, alternative="greater", method="exact").pvalue
    assert test.assignments == comb(36, 18)
    assert test.p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n_a", "n_b"), [(12, 9), (9, 12)])
@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_random_assignments_come_near_the_exact_p(n_a, n_b, alternative, monkeypatch):
    rng = np.random.default_rng(8)
    a, b = rng.normal(0.6, size=n_a), rng.normal(size=n_b)
    exact = two_sample_permutation(a, b, alternative=alternative)
    monkeypatch.setattr(permutation, "LARGEST_EXACT", 4)
    drawn = two_sample_permutation(a, b, alternative=alternative, draws=40_000, seed=2)
    assert not drawn.exact
    sides = 2 if alternative == "two-sided" else 1
    tail = exact.p / sides
    assert drawn.error == pytest.approx(sides * sqrt(tail * (1 - tail) / 40_000), rel=0.05)
    assert abs(drawn.p - exact.p) < 4 * drawn.error
    assert drawn.interval.low <= exact.p <= drawn.interval.high


def test_no_value_is_drawn_twice(monkeypatch):
    """With powers of two as values, a hand's sum tells its cards: each has the right number of ones."""
    monkeypatch.setattr(permutation, "LARGEST_EXACT", 4)
    values = 2.0 ** np.arange(20)
    sums = []
    real = np.argpartition

    def watching(keys, *args, **options):
        drawn = real(keys, *args, **options)
        sums.extend(values[drawn[:, :8]].sum(axis=1).astype(int).tolist())
        return drawn

    monkeypatch.setattr(np, "argpartition", watching)
    two_sample_permutation(values[:8], values[8:], draws=500)
    assert len(sums) == 500
    assert {bin(total).count("1") for total in sums} == {8}
    assert len(set(sums)) > 450


def test_random_assignments_count_the_observed_one_too():
    """Of samples that lie apart no other assignment reaches the sum: p is 1 of 1,000, not 0 of 999."""
    apart = two_sample_permutation(range(100, 120), range(20), draws=999, alternative="greater")
    assert not apart.exact
    assert apart.p == pytest.approx(1 / 1000)


def test_the_seed_decides_the_hands():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=30), rng.normal(size=30)
    once, again, other = (two_sample_permutation(a, b, draws=999, seed=s).p for s in (4, 4, 5))
    assert once == again != other


@given(
    st.lists(st.floats(-50, 50), min_size=2, max_size=24),
    st.lists(st.floats(-50, 50), min_size=2, max_size=24),
)
@settings(max_examples=60, deadline=None)
def test_p_lies_above_zero_and_at_most_at_one(a, b):
    assert 0 < two_sample_permutation(a, b, draws=60).p <= 1


def test_one_value_against_many_is_not_tested():
    assert np.isnan(two_sample_permutation([1.0], [2.0, 3.0]).p)
