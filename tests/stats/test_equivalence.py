"""Equivalence, detectable differences and the four words."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import nct, t, ttest_1samp
from statsmodels.stats.weightstats import DescrStatsW

from equipoise.errors import UserError
from equipoise.stats.equivalence import detectable_difference, verdict_on
from equipoise.stats.means import mean_with_interval, t_interval


def sample(mean, sd, n):
    """n numbers with exactly this mean and standard deviation."""
    raw = np.random.default_rng(n).normal(size=n)
    return mean + sd * (raw - raw.mean()) / raw.std(ddof=1)


def verdict(differences, margin, factors=()):
    """The verdict on the mean of paired differences in their clusters."""
    return verdict_on(mean_with_interval(differences, factors), margin)


def smallest_detectable(sd, n, **asked):
    """What n independent differences of this spread can show."""
    return detectable_difference(sd / sqrt(n), n - 1, **asked)


def of_two_tests(differences, factors=()):
    """The interval that belongs to two one-sided tests at 5 %."""
    return t_interval(mean_with_interval(differences, factors), 0.9)


@pytest.mark.parametrize("margin", [0.1, 0.3, 0.6])
def test_both_one_sided_tests_agree_with_statsmodels(margin):
    differences = sample(0.2, 0.8, 40)
    p, above, below = DescrStatsW(differences).ttost_mean(-margin, margin)
    assert verdict(differences, margin).p_equivalence == pytest.approx(p)
    assert p == pytest.approx(max(above[1], below[1]))


@given(st.floats(-0.5, 0.5), st.floats(0.05, 1.0), st.integers(5, 60))
@settings(max_examples=60, deadline=None)
def test_the_interval_lies_inside_the_margin_exactly_when_both_tests_reject(mean, margin, n):
    differences = sample(mean, 0.7, n)
    interval = of_two_tests(differences)
    inside = -margin < interval.low and interval.high < margin
    assert inside == (verdict(differences, margin).p_equivalence < 0.05)


def test_tests_at_five_per_cent_go_with_a_ninety_per_cent_interval():
    differences = sample(0.2, 0.8, 40)
    half = t.ppf(0.95, 39) * 0.8 / sqrt(40)
    assert of_two_tests(differences) == pytest.approx((0.2 - half, 0.2 + half))
    assert 0.025 < verdict(differences, 0.44).p_equivalence < 0.05


def test_equal_clusters_are_tested_by_their_means():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(10, 6)) + rng.normal(size=(10, 1))
    factors = [np.repeat(np.arange(10), 6)]
    found = verdict(table.ravel(), 0.9, factors=factors)
    of_means = verdict(table.mean(axis=1), 0.9)
    assert found.p_equivalence == pytest.approx(of_means.p_equivalence)
    assert of_two_tests(table.ravel(), factors) == pytest.approx(of_two_tests(table.mean(axis=1)))
    assert (found.n, found.n_clusters) == (60, 10)


def test_unlike_models_at_the_margin_are_called_equivalent_one_time_in_twenty():
    rng = np.random.default_rng(5)
    wrongly = 0
    for _ in range(600):
        codes = np.repeat(np.arange(25), rng.integers(2, 9, size=25))
        differences = 0.5 + 0.4 * rng.normal(size=25)[codes] + rng.normal(size=len(codes))
        wrongly += verdict(differences, 0.5, factors=[codes]).p_equivalence < 0.05
    assert 0.02 < wrongly / 600 < 0.085


def test_a_margin_must_be_positive():
    for margin in (0, -0.1, float("nan")):
        with pytest.raises(UserError, match="margin"):
            verdict([1.0, 2.0], margin)


@pytest.mark.parametrize(("n", "power", "alpha"), [(5, 0.8, 0.05), (34, 0.8, 0.05), (500, 0.9, 0.01)])
def test_the_detectable_difference_has_the_asked_power(n, power, alpha):
    shift = smallest_detectable(2.0, n, power=power, alpha=alpha) / 2.0 * sqrt(n)
    edge = t.ppf(1 - alpha / 2, n - 1)
    reached = nct.sf(edge, n - 1, shift) + nct.cdf(-edge, n - 1, shift)
    assert reached == pytest.approx(power, abs=1e-5)


def test_thirty_four_pairs_show_half_a_standard_deviation_and_thirty_three_do_not():
    # The textbook sample size for d = 0.5, two-sided 5 %, power 80 %.
    assert smallest_detectable(1.0, 34) < 0.5 < smallest_detectable(1.0, 33)


def test_one_item_shows_nothing():
    assert isnan(verdict([1.0], 0.5).detectable)
    assert isnan(smallest_detectable(float("nan"), 10))


@pytest.mark.parametrize(
    ("mean", "sd", "n", "word"),
    [
        (0.5, 1.0, 100, "higher"),
        (-0.5, 1.0, 100, "lower"),
        (0.01, 0.2, 100, "equivalent"),
        (0.1, 1.0, 30, "not enough items"),
    ],
)
def test_the_four_words(mean, sd, n, word):
    differences = sample(mean, sd, n)
    found = verdict(differences, 0.1)
    assert found.word == word
    assert found.difference == pytest.approx(mean)
    assert found.p_difference == pytest.approx(ttest_1samp(differences, 0).pvalue)
    assert found.detectable == pytest.approx(smallest_detectable(sd, n))
    assert (found.interval.low > 0 or found.interval.high < 0) == (found.p_difference < 0.05)


def test_a_significant_trifle_is_equivalent_and_keeps_its_direction():
    found = verdict(sample(-0.02, 0.1, 2000), 0.1)
    assert found.p_difference < 1e-10
    assert found.word == "equivalent"
    assert found.interval.high < 0


def test_items_that_share_a_cluster_do_not_count_as_many():
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(5), 200)
    differences = np.array([1.0, -0.4, 0.8, -0.2, 0.3])[codes] + 0.1 * rng.normal(size=1000)
    assert verdict(differences, 0.05).word == "higher"
    clustered = verdict(differences, 0.05, factors=[iter(codes)])
    assert clustered.word == "not enough items"
    assert (clustered.n, clustered.n_clusters) == (1000, 5)
    assert clustered.detectable > 0.5


@pytest.mark.parametrize("differences", [[], [0.3], [np.nan, 0.3], [0.3, 0.3]])
def test_one_cluster_is_never_enough(differences):
    found = verdict(differences, 1.0, factors=[["a"] * len(differences)])
    assert found.word == "not enough items"
    assert isnan(found.p_equivalence)
    assert isnan(found.interval.low)
    assert isnan(found.detectable)


def test_items_that_never_flipped_prove_as_much_as_their_number():
    # Without a flip among n, at most 1 - 0.05 ** (1 / n) of all items flip, at 95 %.
    assert 1 - 0.05 ** (1 / 58) > 0.05 > 1 - 0.05 ** (1 / 59)
    assert verdict([0] * 58, 0.05).word == "not enough items"
    found = verdict([0] * 59, 0.05)
    assert found.word == "equivalent"
    assert found.p_equivalence == pytest.approx(0.95**59)
    assert found.p_difference == 1.0


def test_the_same_difference_everywhere_is_judged_by_the_sign_test():
    found = verdict([0.1] * 8, 0.05)
    assert (found.word, found.p_difference) == ("higher", 2 / 2**8)
    assert verdict([-0.1] * 4, 0.05).word == "not enough items"
    assert verdict([-3.0] * 8, 10.0).p_equivalence == 2**-8


def test_unanswered_items_are_left_out():
    differences = sample(0.5, 1.0, 50)
    with_gaps = np.insert(differences, [0, 20], np.nan)
    assert verdict(with_gaps, 0.1) == verdict(differences, 0.1)


@pytest.mark.parametrize("names", [["profession"], ["profession", "template"]])
def test_all_of_a_verdict_stands_on_the_mean_that_is_measured(names):
    rng = np.random.default_rng(8)
    labels = {"profession": np.repeat(np.arange(12), 9), "template": np.tile(np.arange(9), 12)}
    differences = 0.3 + 0.4 * rng.normal(size=9)[labels["template"]] + rng.normal(size=108)
    differences[rng.random(108) < 0.3] = np.nan
    factors = [labels[name] for name in names]
    mean = mean_with_interval(differences, factors)
    found = verdict(differences, 0.2, factors=factors)
    assert (found.difference, found.interval, found.n) == (mean.value, mean.interval, mean.n)
    assert found.n_clusters == mean.n_clusters == (12 if len(names) == 1 else 9)
    assert found.p_difference == pytest.approx(2 * t.sf(abs(mean.value) / mean.standard_error, mean.df))
    above = t.sf((0.2 + mean.value) / mean.standard_error, mean.df)
    below = t.sf((0.2 - mean.value) / mean.standard_error, mean.df)
    assert found.p_equivalence == pytest.approx(max(above, below))
    edge = t.ppf(0.975, mean.df)
    assert nct.sf(edge, mean.df, found.detectable / mean.standard_error) == pytest.approx(0.8, abs=1e-6)


def test_templates_that_pull_apart_are_not_hidden_by_many_professions():
    rng = np.random.default_rng(9)
    profession, template = np.repeat(np.arange(60), 6), np.tile(np.arange(6), 60)
    differences = np.array([0.9, -0.5, 0.7, -0.4, 0.8, -0.3])[template] + 0.2 * rng.normal(size=360)
    assert verdict(differences, 0.01, factors=[profession]).word == "higher"
    assert verdict(differences, 0.01, factors=[profession, template]).word == "not enough items"


def test_below_five_clusters_nothing_is_claimed():
    rng = np.random.default_rng(10)
    codes = np.arange(200) % 4
    found = verdict(5 + rng.normal(size=200), 0.1, factors=[codes])
    assert (found.word, found.n, found.n_clusters) == ("not enough items", 200, 4)
    assert np.isnan([found.p_difference, found.p_equivalence, found.detectable, *found.interval]).all()
    assert verdict(5 + rng.normal(size=200), 0.1, factors=[np.arange(200) % 5]).word == "higher"
