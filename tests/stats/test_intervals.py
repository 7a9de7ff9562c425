"""Bootstrap and Wilson intervals against closed forms, plain loops and simulated coverage."""

import time
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm, t

from equipoise.errors import UserError
from equipoise.stats.intervals import (
    cluster_bootstrap,
    cluster_bootstrap_of,
    two_way_cluster_bootstrap,
    wilson,
)


def clustered(rng, n_clusters, *, between=1.0):
    """Items around zero whose clusters, of unequal size, each have a shift of their own."""
    codes = np.repeat(np.arange(n_clusters), rng.integers(3, 15, size=n_clusters))
    return rng.normal(size=len(codes)) + between * rng.normal(size=n_clusters)[codes], codes


def expanded_tail(n_clusters, level=0.95):
    return norm.cdf(-sqrt(n_clusters / (n_clusters - 1)) * t.ppf((1 + level) / 2, n_clusters - 1))


def test_the_mean_is_resampled_as_a_plain_loop_would():
    values, codes = clustered(np.random.default_rng(0), 9)
    rng = np.random.default_rng(5)
    means = []
    for _ in range(400):
        picked = rng.integers(9, size=9)
        means.append(np.concatenate([values[codes == code] for code in picked]).mean())
    tail = expanded_tail(9)
    low, high = np.quantile(means, [tail, 1 - tail])
    assert cluster_bootstrap(values, codes, draws=400, seed=5) == pytest.approx((low, high))


def test_any_statistic_agrees_with_the_quick_way_for_the_mean():
    values, codes = clustered(np.random.default_rng(1), 30)
    slow = cluster_bootstrap_of(lambda items: values[items].mean(), codes, draws=300, seed=2)
    assert slow == pytest.approx(cluster_bootstrap(values, codes, draws=300, seed=2))


def test_the_interval_of_a_ratio_brackets_the_ratio():
    rng = np.random.default_rng(7)
    below = rng.uniform(1, 2, size=200)
    above = 3 * below + rng.normal(size=200)
    low, high = cluster_bootstrap_of(
        lambda items: above[items].sum() / below[items].sum(), np.arange(200) // 4
    )
    assert low < above.sum() / below.sum() < high
    assert high - low < 0.5


def test_draws_without_a_value_are_left_out():
    values = np.array([np.nan, 1.0, 1.0, 1.0])

    def first(items):
        return float(values[items[0]])

    assert cluster_bootstrap_of(first, "abcd", draws=50) == (1.0, 1.0)
    assert np.isnan(cluster_bootstrap_of(lambda _: float("nan"), "abcd", draws=5)).all()


def test_many_equal_clusters_give_the_t_interval():
    rng = np.random.default_rng(4)
    shifts = rng.normal(size=400)
    values = np.repeat(shifts, 5) + 0.1 * rng.normal(size=2000)
    low, high = cluster_bootstrap(values, np.repeat(np.arange(400), 5), draws=8000)
    means = values.reshape(400, 5).mean(axis=1)
    half = t.ppf(0.975, 399) * means.std(ddof=1) / sqrt(400)
    assert (low, high) == pytest.approx((means.mean() - half, means.mean() + half), abs=half / 12)


def test_items_alone_give_the_width_of_scipys_bootstrap():
    values = np.random.default_rng(8).exponential(size=500)
    ours = cluster_bootstrap(values, draws=6000)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=6000, rng=1).confidence_interval
    assert ours.high - ours.low == pytest.approx(theirs.high - theirs.low, rel=0.05)
    assert cluster_bootstrap(values, range(500), draws=6000) == ours


def test_coverage_holds_for_clusters_and_fails_without_them():
    rng = np.random.default_rng(11)
    with_clusters = without = 0
    for seed in range(1000):
        values, codes = clustered(rng, 15)
        low, high = cluster_bootstrap(values, codes, draws=400, seed=seed)
        with_clusters += low <= 0 <= high
        low, high = cluster_bootstrap(values, draws=400, seed=seed)
        without += low <= 0 <= high
    # Over 12,000 such samples it covers 94 % of the time; three standard errors of 1,000 are 2.3 %.
    assert with_clusters / 1000 > 0.917
    assert without / 1000 < 0.7


@given(
    st.lists(st.tuples(st.floats(-100, 100), st.integers(0, 8)), min_size=2, max_size=60),
    st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_the_interval_contains_the_mean_and_comes_back_with_the_seed(items, seed):
    values, labels = zip(*items, strict=True)
    found = cluster_bootstrap(values, labels, draws=200, seed=seed)
    if len(set(labels)) < 2:
        assert np.isnan(found).all()
    else:
        assert found.low - 1e-9 <= np.mean(values) <= found.high + 1e-9
        assert found == cluster_bootstrap(values, labels, draws=200, seed=seed)


def test_nan_is_dropped_before_resampling():
    values, codes = clustered(np.random.default_rng(2), 12)
    with_gaps = np.append(values, [np.nan] * 3)
    assert cluster_bootstrap(with_gaps, [*codes, 0, 1, 99]) == cluster_bootstrap(values, codes)


@pytest.mark.parametrize(("values", "labels"), [([], []), ([1.0, 2.0], "aa"), ([np.nan, 1], "ab")])
def test_fewer_than_two_clusters_give_no_interval_rather_than_a_narrow_one(values, labels):
    assert np.isnan(cluster_bootstrap(values, labels)).all()
    assert np.isnan(two_way_cluster_bootstrap(values, (labels, labels))).all()
    assert np.isnan(cluster_bootstrap_of(lambda _: 1.0, ["a"] * len(values))).all()


def test_two_thousand_draws_of_ten_thousand_items_are_quick():
    rng = np.random.default_rng(0)
    values, labels = rng.normal(size=10_000), rng.integers(300, size=10_000)
    cluster_bootstrap(values, labels)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        cluster_bootstrap(values, labels)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.1


def test_two_way_weights_are_those_of_a_plain_loop_over_items():
    rng = np.random.default_rng(6)
    rows, columns = rng.integers(6, size=80), rng.integers(9, size=80)
    values = rng.normal(size=80) + rows
    means = []
    for _ in range(4000):
        of_row = np.bincount(rng.integers(6, size=6), minlength=6)
        of_column = np.bincount(rng.integers(9, size=9), minlength=9)
        weights = [of_row[r] * of_column[c] for r, c in zip(rows, columns, strict=True)]
        if sum(weights):
            means.append(np.average(values, weights=weights))
    tail = expanded_tail(6, 0.5)
    expected = np.quantile(means, [tail, 1 - tail])
    found = two_way_cluster_bootstrap(values, (rows, columns), level=0.5, draws=4000)
    assert found == pytest.approx(expected, abs=0.08 * np.std(means))


def test_two_way_covers_where_templates_and_professions_both_matter():
    rng = np.random.default_rng(21)
    rows, columns = np.repeat(np.arange(8), 30), np.tile(np.arange(30), 8)
    two_way = by_column = 0
    for seed in range(250):
        values = rng.normal(size=8)[rows] + rng.normal(size=30)[columns] + rng.normal(size=240)
        low, high = two_way_cluster_bootstrap(values, (rows, columns), draws=400, seed=seed)
        two_way += low <= 0 <= high
        low, high = cluster_bootstrap(values, columns, draws=400, seed=seed)
        by_column += low <= 0 <= high
    assert two_way / 250 > 0.91
    assert by_column / 250 < 0.8


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
