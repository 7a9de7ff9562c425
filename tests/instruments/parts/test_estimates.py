"""Estimates from specifications: means, shares and contrasts by scipy, the workforce correlation by hand."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from equipoise.instruments.parts.estimates import (
    Spec,
    contrast_estimate,
    correlation_estimate,
    count_estimate,
    crossed,
    estimate,
    grouped,
    mean_estimate,
    percent_estimate,
    share_estimate,
    workforce_correlations,
)
from equipoise.stats.correlation import pearson

SPEC = Spec("mean", "a mean", "nats", neutral=0.5, better="lower", headline=True)
CLUSTERED = pd.DataFrame(
    {
        "cluster": [name for name in "abcdef" for _ in range(3)],
        "value": np.random.default_rng(1).normal(size=18),
    }
)


def test_an_estimate_carries_its_specification() -> None:
    one = estimate(SPEC.at({"category": "x"}), 1.0, (0.5, 1.5), n=7, dropped=2)
    assert (one.key, one.label, one.unit, one.neutral, one.better) == ("mean", "a mean", "nats", 0.5, "lower")
    assert (one.by, one.level, one.n, one.dropped) == ("category", "x", 7, 2)
    assert not one.headline
    assert SPEC.at({}).headline


def test_a_mean_without_factors_is_that_of_a_t_test() -> None:
    one = mean_estimate(SPEC, CLUSTERED["value"], CLUSTERED)
    expected = stats.ttest_1samp(CLUSTERED["value"], 0).confidence_interval(0.95)
    assert (one.low, one.high) == pytest.approx((expected.low, expected.high))
    assert one.value == pytest.approx(CLUSTERED["value"].mean())


def test_clusters_of_one_size_count_as_their_means() -> None:
    one = mean_estimate(SPEC, CLUSTERED["value"], CLUSTERED, ("cluster",))
    means = CLUSTERED.groupby("cluster")["value"].mean()
    expected = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert (one.low, one.high) == pytest.approx((expected.low, expected.high))
    assert (one.n, one.dropped) == (18, 0)


def test_what_was_not_answered_is_counted_as_dropped() -> None:
    values = CLUSTERED["value"].where(CLUSTERED.index % 3 > 0)
    one = mean_estimate(SPEC, values, CLUSTERED, ("cluster",))
    assert (one.n, one.dropped) == (12, 6)
    assert one.value == pytest.approx(values.dropna().mean())


def test_four_clusters_are_too_few_to_tell() -> None:
    few = CLUSTERED[CLUSTERED["cluster"] < "e"]
    one = mean_estimate(SPEC, few["value"], few, ("cluster",))
    assert math.isnan(one.low)
    assert math.isnan(one.high)
    assert one.value == pytest.approx(few["value"].mean())


def test_a_share_without_factors_is_wilsons_and_per_cent_is_a_hundred_times_it() -> None:
    hits = pd.Series([1.0] * 7 + [0.0] * 3 + [np.nan])
    rows = pd.DataFrame(index=hits.index)
    one, other = share_estimate(SPEC, hits, rows), percent_estimate(SPEC, hits, rows)
    wilson = stats.binomtest(7, 10).proportion_ci(method="wilson")
    assert (one.low, one.value, one.high) == pytest.approx((wilson.low, 0.7, wilson.high))
    assert (other.low, other.value, other.high) == pytest.approx((100 * wilson.low, 70, 100 * wilson.high))
    assert (other.unit, other.n, other.dropped) == ("%", 10, 1)


def test_a_contrast_has_welchs_standard_error_where_items_are_independent() -> None:
    """With the degrees of freedom that Bell and McCaffrey give it: Welch's, were both variances equal."""
    values = CLUSTERED["value"]
    is_first = pd.Series(CLUSTERED.index < 8)
    one = contrast_estimate(SPEC, values, is_first, rows=CLUSTERED)
    difference = values[:8].mean() - values[8:].mean()
    error = math.sqrt(values[:8].var() / 8 + values[8:].var() / 10)
    df = (1 / 8 + 1 / 10) ** 2 / (1 / (8**2 * 7) + 1 / (10**2 * 9))
    assert one.value == pytest.approx(difference)
    assert (one.low, one.high) == pytest.approx(stats.t.interval(0.95, df, difference, error))


def test_a_count_has_no_interval_and_no_good_way() -> None:
    one = count_estimate(SPEC, 3, n=5)
    assert (one.value, one.better) == (3.0, "none")
    assert math.isnan(one.low)


def test_a_correlation_counts_its_complete_pairs() -> None:
    x, y = np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan]), np.array([2.0, 1.0, 4.0, 3.0, 6.0, 1.0])
    one = correlation_estimate(Spec("r"), pearson(x, y), 6)
    assert one.value == pytest.approx(np.corrcoef(x[:5], y[:5])[0, 1])
    assert (one.n, one.dropped, one.unit) == (5, 1, "r")


def workforce_rows() -> pd.DataFrame:
    """Five kinds of physician share one line of the statistics; four occupations have their own."""
    table = [(f"physician {kind}", "Physicians", 45.0, 0.1 * kind) for kind in range(5)]
    table += [("nurse", "Nurses", 87.0, -0.5), ("pilot", "Pilots", 9.0, 0.6)]
    table += [("clerk", "Clerks", 70.0, -0.1), ("cook", "", 40.0, 0.3)]
    columns = ["profession", "title", "percent_women", "score"]
    rows = pd.DataFrame(table, columns=columns)
    # A second template for every profession, which moves nothing on the mean, and one without a profession.
    again = pd.concat([rows.assign(score=rows["score"] - 0.2), rows.assign(score=rows["score"] + 0.2)])
    nobody = pd.DataFrame([("", "", np.nan, 9.0)], columns=columns)
    return pd.concat([again, nobody], ignore_index=True)


def test_five_professions_of_one_title_are_one_point() -> None:
    """By hand: the physicians are one point at their mean, (0 + .1 + .2 + .3 + .4) / 5 = .2."""
    shares, scores = [45.0, 87.0, 9.0, 70.0, 40.0], [0.2, -0.5, 0.6, -0.1, 0.3]
    linear, ranks = workforce_correlations(workforce_rows(), "score")
    assert linear.value == pytest.approx(np.corrcoef(shares, scores)[0, 1])
    assert ranks.value == pytest.approx(stats.spearmanr(shares, scores).statistic)
    assert (linear.n, linear.dropped, ranks.n) == (5, 0, 5)
    assert (linear.key, ranks.key) == (
        "correlation-with-share-of-women",
        "rank-correlation-with-share-of-women",
    )


def test_without_titles_every_profession_is_a_point() -> None:
    rows = workforce_rows().drop(columns="title")
    (linear, _) = workforce_correlations(rows, "score")
    shares = [45.0] * 5 + [87.0, 9.0, 70.0, 40.0]
    scores = [0.0, 0.1, 0.2, 0.3, 0.4, -0.5, 0.6, -0.1, 0.3]
    assert linear.n == 9
    assert linear.value == pytest.approx(np.corrcoef(shares, scores)[0, 1])


def test_an_unpublished_share_is_counted_as_dropped() -> None:
    rows = workforce_rows()
    rows.loc[rows["profession"] == "cook", "percent_women"] = np.nan
    (linear, _) = workforce_correlations(rows, "score", groups={"referent": "occupation"})
    assert (linear.n, linear.dropped) == (4, 1)
    assert (linear.by, linear.level) == ("referent", "occupation")


def test_groups_in_the_order_of_the_rows() -> None:
    rows = pd.DataFrame({"a": ["y", "x", "y", ""], "b": ["1", "1", "2", "2"]})
    assert [(dict(groups), len(part)) for groups, part in grouped(rows, "a", "b")] == [
        ({}, 4),
        ({"a": "y"}, 2),
        ({"a": "x"}, 1),
        ({"b": "1"}, 2),
        ({"b": "2"}, 2),
    ]
    assert next(iter(grouped(rows, "a", whole=False)))[0] == {"a": "y"}
    assert [dict(groups) for groups, _ in crossed(rows.head(3), "a", "b")] == [
        {"a": "y", "b": "1"},
        {"a": "x", "b": "1"},
        {"a": "y", "b": "2"},
    ]
