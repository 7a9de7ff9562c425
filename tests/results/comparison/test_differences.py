"""Differences: filtered, averaged, made absolute, contrasted and clustered, each worked out another way."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_results import made_result
from scipy import stats

from equipoise.data.reading import TABLES
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import audit
from equipoise.results import Quantity, Result
from equipoise.results.comparison import compare
from equipoise.results.comparison.differences import (
    Difference,
    difference_between,
    difference_of,
    value_of,
)
from equipoise.results.comparison.pairing import pair
from equipoise.results.quantity import Contrast
from equipoise.stats.means import difference_of_means, mean_with_interval, share_with_interval

TEMPLATES, PROFESSIONS = 8, 10
CROSSED = ("template", "profession")
SCORE = Quantity("score", "score", 0.05)


def crossed_items(shift: float, seed: int) -> pd.DataFrame:
    """Every template with every profession; templates and professions move together in their levels."""
    rng = np.random.default_rng(seed)
    template = np.repeat(np.arange(TEMPLATES), PROFESSIONS)
    profession = np.tile(np.arange(PROFESSIONS), TEMPLATES)
    effects = rng.normal(0, 0.3, TEMPLATES)[template] + rng.normal(0, 0.2, PROFESSIONS)[profession]
    return pd.DataFrame(
        {
            "text": [f"t{number}" for number in range(len(template))],
            "template": [f"template {number}" for number in template],
            "profession": [f"profession {number}" for number in profession],
            "part": np.where(profession < 8, "occupation", "guard"),
            "score": shift + effects + rng.normal(0, 0.05, len(template)),
        }
    )


def difference(first: pd.DataFrame, second: pd.DataFrame, quantity: Quantity) -> Difference:
    gap = difference_of(pair(made_result(first), made_result(second, model="b")), quantity)
    assert gap is not None
    return gap


def test_one_factor_is_a_t_interval_over_the_clusters() -> None:
    """With clusters of one size the interval is that of their means, n - 1 degrees of freedom."""
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2)
    by_template = difference(first, second, replace(SCORE, factors=("template",)))
    means = (second["score"] - first["score"]).groupby(first["template"]).mean()
    low, high = stats.t.interval(0.95, TEMPLATES - 1, loc=means.mean(), scale=stats.sem(means))
    interval = by_template.verdict.interval
    assert (interval.low, interval.high) == pytest.approx((low, high))
    assert by_template.verdict.difference == pytest.approx(means.mean())
    assert by_template.verdict.n_clusters == TEMPLATES


def test_without_factors_every_item_stands_for_itself() -> None:
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2)
    gaps = second["score"] - first["score"]
    low, high = stats.t.interval(0.95, len(gaps) - 1, loc=gaps.mean(), scale=stats.sem(gaps))
    assert difference(first, second, SCORE).verdict.interval == pytest.approx((low, high))


def test_crossed_factors_both_count() -> None:
    """The interval is that of the paired differences with both factors, wider than with either."""
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2)
    crossed = difference(first, second, replace(SCORE, factors=CROSSED)).verdict.interval
    gaps = second["score"] - first["score"]
    expected = mean_with_interval(gaps, [first["template"], first["profession"]])
    assert crossed == pytest.approx((expected.low, expected.high))
    for factor in CROSSED:
        one_way = difference(first, second, replace(SCORE, factors=(factor,))).verdict.interval
        assert crossed.high - crossed.low > one_way.high - one_way.low


def test_both_values_rest_on_the_paired_items_with_the_same_clusters() -> None:
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2).iloc[10:]
    both = difference(
        first, second.assign(item=second.index.map("i{}".format)), replace(SCORE, factors=CROSSED)
    )
    rows = first.iloc[10:]
    expected = mean_with_interval(rows["score"], [rows["template"], rows["profession"]])
    assert both.first.value == pytest.approx(rows["score"].mean())
    assert both.first.interval == pytest.approx((expected.low, expected.high))
    assert both.second.value == pytest.approx(second["score"].mean())
    assert both.verdict.n == 70


def test_only_the_rows_of_the_filter_count() -> None:
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2)
    guard = difference(first, second, replace(SCORE, where={"part": "guard"}))
    rows = first["part"] == "guard"
    assert guard.verdict.n == 2 * TEMPLATES
    assert guard.first.value == pytest.approx(first.loc[rows, "score"].mean())
    assert guard.second.value == pytest.approx(second.loc[rows, "score"].mean())


def test_a_row_must_pass_the_filter_on_both_sides() -> None:
    """Items paired by text may be an original in one file and a changed form in the other."""
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2)
    second.loc[:4, "part"] = "other"
    for both in ((first, second), (second, first)):
        assert difference(*both, replace(SCORE, where={"part": "occupation"})).verdict.n == 8 * TEMPLATES - 5


def test_a_filter_on_a_missing_column_is_refused() -> None:
    with pytest.raises(UserError, match="no column 'variation'"):
        difference(crossed_items(0, 1), crossed_items(0, 2), replace(SCORE, where={"variation": "original"}))


def test_nothing_to_compare_gives_nothing() -> None:
    first, second = made_result(crossed_items(0, 1)), made_result(crossed_items(0, 2), model="b")
    both = pair(first, second)
    assert difference_of(both, replace(SCORE, where={"part": "none of this name"})) is None
    assert difference_of(both, replace(SCORE, column="own_side")) is None
    both.items["score_second"] = np.nan
    assert difference_of(both, SCORE) is None


def test_an_item_that_one_model_could_not_answer_is_left_out_of_both_values() -> None:
    first, second = crossed_items(0.3, 1), crossed_items(0.1, 2)
    first.loc[0, "score"], second.loc[1, "score"] = np.nan, np.nan
    both = difference(first, second, SCORE)
    assert both.verdict.n == TEMPLATES * PROFESSIONS - 2
    assert both.first.value == pytest.approx(first["score"].iloc[2:].mean())
    assert both.second.value == pytest.approx(second["score"].iloc[2:].mean())


def test_distances_from_neutral_are_taken_of_each_model_before_they_are_subtracted() -> None:
    first, second = crossed_items(0.5, 1), crossed_items(0.5, 2)
    sized = difference(first, second, replace(SCORE, kind="size", neutral=0.5, better="lower"))
    expected = (second["score"] - 0.5).abs() - (first["score"] - 0.5).abs()
    assert sized.verdict.difference == pytest.approx(expected.mean())
    assert sized.first.value == pytest.approx((first["score"] - 0.5).abs().mean())


def test_items_are_averaged_by_profession_before_they_are_made_absolute() -> None:
    first, second = crossed_items(0.0, 1), crossed_items(0.0, 2)
    quantity = replace(SCORE, over="profession", kind="size", better="lower", factors=("profession",))
    sizes = [frame.groupby("profession")["score"].mean().abs() for frame in (first, second)]
    both = difference(first, second, quantity)
    assert (both.first.value, both.second.value) == pytest.approx((sizes[0].mean(), sizes[1].mean()))
    gaps = sizes[1] - sizes[0]
    low, high = stats.t.interval(0.95, PROFESSIONS - 1, loc=gaps.mean(), scale=stats.sem(gaps))
    assert both.verdict.interval == pytest.approx((low, high))
    assert both.verdict.n == PROFESSIONS


def test_rows_without_a_profession_are_not_one_more_profession() -> None:
    first, second = crossed_items(0.0, 1), crossed_items(0.0, 2)
    first.loc[:9, "profession"] = second.loc[:9, "profession"] = ""
    quantity = replace(SCORE, over="profession", kind="size", factors=("profession",))
    assert difference(first, second, quantity).verdict.n == PROFESSIONS


CARE = Contrast("care", "caring", "aggressive")


def classed_items(caring: float, aggressive: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    care = np.repeat(["caring", "aggressive", "neutral"], 30)
    level = pd.Series(care).map({"caring": caring, "aggressive": aggressive, "neutral": 40.0})
    return pd.DataFrame({"care": care, "score": level + rng.normal(0, 0.01, len(care))})


def test_a_contrast_subtracts_one_class_from_the_other() -> None:
    """0.6 - 0.4 becomes 0.5 - 0.5: the mean stays, the stereotype is gone; other classes do not matter."""
    first, second = classed_items(0.6, 0.4, 1), classed_items(0.5, 0.5, 2)
    both = difference(first, second, replace(SCORE, contrast=CARE))
    assert both.first.value == pytest.approx(0.2, abs=0.01)
    assert both.second.value == pytest.approx(0.0, abs=0.01)
    assert both.verdict.difference == pytest.approx(-0.2, abs=0.01)
    assert both.verdict.n == 60
    gaps = np.where(first["care"] == "neutral", np.nan, second["score"] - first["score"])
    expected = difference_of_means(gaps, first["care"] == "caring")
    assert both.verdict.interval == pytest.approx((expected.low, expected.high))


def test_the_interval_of_a_contrast_is_clustered_too() -> None:
    first, second = classed_items(0.6, 0.4, 1), classed_items(0.5, 0.5, 2)
    clusters = np.arange(len(first)) % 6
    first, second = (frame.assign(cluster=clusters) for frame in (first, second))
    both = difference(first, second, replace(SCORE, contrast=CARE, factors=("cluster",)))
    assert both.verdict.n_clusters == 6


def hits_of(chance: float, seed: int) -> pd.DataFrame:
    """Zeros and ones in clusters of 1 to 12 items."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(8), [1, 2, 3, 5, 8, 9, 10, 12])
    return pd.DataFrame({"cluster": cluster, "score": (rng.random(50) < chance).astype(float)})


def test_a_quantity_of_hits_has_the_interval_of_a_share_and_its_difference_that_of_a_mean() -> None:
    first, second = hits_of(0.1, 1), hits_of(0.4, 2)
    clustered = replace(SCORE, kind="share", factors=("cluster",))
    both = difference(first, second, clustered)
    for side, table in ((both.first, first), (both.second, second)):
        assert side == share_with_interval(table["score"], [table["cluster"]])
        assert side.low > mean_with_interval(table["score"], [table["cluster"]]).low
    assert value_of(first, clustered) == both.first
    gaps = mean_with_interval(second["score"] - first["score"], [first["cluster"]])
    assert both.verdict.interval == gaps.interval


def test_the_kind_is_declared_and_not_guessed_from_the_values() -> None:
    """An averaged model scores exactly 0 everywhere: a mean of 0 without width, not a share of no hits."""
    zeros = hits_of(0.4, 1).assign(score=0.0)
    assert value_of(zeros, replace(SCORE, factors=("cluster",))).interval == (0.0, 0.0)
    share = value_of(zeros, replace(SCORE, kind="share", factors=("cluster",)))
    assert share.high > 0.1


def test_a_probability_has_an_interval_that_ends_at_one() -> None:
    table = pd.DataFrame({"score": [1.0, 1.0, 1.0, 1.0, 1.0, 0.1]})
    mean, bounded = value_of(table, SCORE), value_of(table, replace(SCORE, kind="probability"))
    assert (bounded.value, bounded.low, bounded.high) == (mean.value, mean.low, 1.0)
    assert mean.high > 1.2


def test_a_contrast_of_zeros_and_ones_is_no_share() -> None:
    table = hits_of(0.4, 2).assign(care=np.tile(["caring", "aggressive"], 25))
    contrast = value_of(table, replace(SCORE, contrast=CARE, factors=("cluster",)))
    expected = difference_of_means(table["score"], table["care"] == "caring", [table["cluster"]])
    assert contrast == expected


def test_the_value_of_one_model_rests_on_the_rows_of_the_filter() -> None:
    items = crossed_items(0.3, 1)
    guard = value_of(items, replace(SCORE, where={"part": "guard"}, factors=CROSSED))
    rows = items[items["part"] == "guard"]
    assert (guard.value, guard.n) == (pytest.approx(rows["score"].mean()), 2 * TEMPLATES)


def test_fewer_than_five_clusters_have_no_interval() -> None:
    first, second = crossed_items(0.3, 1).iloc[:40], crossed_items(-0.5, 2).iloc[:40]
    few = difference(first, second, replace(SCORE, factors=("template",)))
    assert few.verdict.n_clusters == 4
    assert few.verdict.word == "not enough items"
    assert np.isnan(few.verdict.interval.low)


def test_the_margin_is_the_quantity_s_own_unless_another_is_given() -> None:
    both = pair(made_result(crossed_items(0, 1)), made_result(crossed_items(0, 2), model="b"))
    own, given = difference_of(both, SCORE), difference_of(both, SCORE, 0.7)
    assert own is not None
    assert given is not None
    assert (own.margin, given.margin) == (0.05, 0.7)
    assert own.verdict.p_equivalence > given.verdict.p_equivalence


@pytest.fixture(scope="module")
def two_draws(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Result], dict[str, Result]]:
    """Real measurements of two small models with random weights, on a part of the shipped templates."""
    folder = tmp_path_factory.mktemp("templates")
    for name in ("templates.csv", "professions.csv"):
        table = pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)
        table[~table["category"].isin(LEFT_OUT)].to_csv(folder / name, index=False)
    settings = {"tbe": Settings(data=folder)}
    first, second = (
        {result.instrument: result for result in audit(draw, ("tbe", "traits"), settings)}
        for draw in ("random", "random:2")
    )
    return first, second


LEFT_OUT = ("computer", "engineering", "food-service", "office", "protective-service", "science")
ESTIMATED = [("tbe", "appd"), ("tbe", "mean-abs-appd"), ("tbe", "guard"), ("traits", "care-contrast")]


@pytest.mark.parametrize(("instrument", "key"), ESTIMATED)
def test_measure_and_compare_give_the_same_interval(
    instrument: str, key: str, two_draws: tuple[dict[str, Result], dict[str, Result]]
) -> None:
    """One way to an interval: the estimate, the ranked value and both sides of a comparison agree."""
    first, second = two_draws[0][instrument], two_draws[1][instrument]
    (quantity,) = [quantity for quantity in first.quantities if quantity.key == key]
    estimate = first.estimate(key)
    expected = pytest.approx((estimate["value"], estimate["low"], estimate["high"]))
    alone = value_of(first.items, quantity)
    assert (alone.value, alone.low, alone.high) == expected
    both = difference_of(pair(first, second), quantity)
    assert both is not None
    assert (both.first.value, both.first.low, both.first.high) == expected


def test_a_real_difference_is_clustered_by_template_and_profession(
    two_draws: tuple[dict[str, Result], dict[str, Result]],
) -> None:
    first, second = (draw["tbe"] for draw in two_draws)
    row = compare(first, second).table.set_index("quantity").loc["appd"]
    both = first.items.merge(second.items, on="item", suffixes=("", "_second"))
    both = both[(both["part"] == "occupation") & (both["variation"] == "original")]
    gaps = both["score_second"] - both["score"]
    expected = mean_with_interval(gaps, [both["template"], both["profession"]])
    assert (row["difference"], row["low"], row["high"]) == pytest.approx(
        (gaps.mean(), expected.low, expected.high)
    )
    unclustered = mean_with_interval(gaps)
    assert row["high"] - row["low"] > 1.2 * (unclustered.high - unclustered.low)


def test_the_interval_of_a_mean_size_ends_at_zero_in_either_model() -> None:
    size = Quantity("size", "mean |lean|", 0.05, kind="size", better="lower")
    small = made_result({"score": [0.001, -0.001, 0.002, 0.0, 0.9]}, size, model="a")
    assert value_of(small.items, size).low == 0.0
    other = made_result({"score": [0.001, -0.002, 0.001, 0.0, 0.8]}, size, model="b")
    difference = difference_of(pair(small, other), size)
    assert difference is not None
    assert (difference.first.low, difference.second.low) == (0.0, 0.0)
    assert difference.verdict.interval.low < 0  # a difference has two sides


@pytest.mark.parametrize("missing", [[np.nan] * 6, None])
def test_a_side_without_a_value_is_no_difference_between_corpora(missing: list[float] | None) -> None:
    lean = Quantity("lean", "lean", 0.05, column="lean")
    known = made_result({"lean": np.arange(6.0)}, lean).items
    unknown = known.assign(lean=missing) if missing else known.drop(columns="lean")
    assert difference_between(known, known, lean) is not None
    assert difference_between(known, unknown, lean) is None
    assert difference_between(unknown, known, lean) is None
