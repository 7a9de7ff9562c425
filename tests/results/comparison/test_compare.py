"""Comparing results: every pair, every quantity, margins by instrument, and one correction over all."""

import numpy as np
import pandas as pd
import pytest
from made_results import made_result

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.results import Quantity, Result
from equipoise.results.comparison import COLUMNS, compare
from equipoise.results.quantity import Contrast

N = 60
LEAN = Quantity("lean", "lean", 0.05, factors=("group",))
GUARD = Quantity("guard", "guard", 0.1, column="own_side", better="higher", part="guard", factors=("group",))


def result(
    shift: float, model: str, *quantities: Quantity, instrument: str = "x", noise: float = 0.01
) -> Result:
    """Items around a shift: the same base for every model, and noise of its own."""
    base = np.random.default_rng(3).normal(0.3, 0.1, N)
    own = np.random.default_rng(sum(map(ord, model))).normal(0, noise, N)
    columns = {
        "group": [f"g{number % 20}" for number in range(N)],
        "score": base + shift + own,
        "own_side": base + 0.3 + own,
    }
    return made_result(columns, *(quantities or (LEAN,)), model=model, instrument=instrument)


def test_a_row_holds_both_values_and_the_difference_second_minus_first() -> None:
    first, second = result(0.0, "a"), result(-0.2, "b")
    table = compare(first, second).table
    assert list(table.columns) == list(COLUMNS)
    (row,) = table.to_dict("records")
    assert (row["first"], row["second"], row["quantity"], row["part"]) == ("a", "b", "lean", "bias")
    assert row["first_value"] == pytest.approx(first.items["score"].mean())
    assert row["second_value"] == pytest.approx(second.items["score"].mean())
    assert row["difference"] == pytest.approx(row["second_value"] - row["first_value"])
    assert row["difference"] < 0
    assert row["low"] < row["difference"] < row["high"]
    assert (row["n"], row["unpaired"], row["margin"]) == (N, 0, 0.05)
    turned = compare(second, first).table.iloc[0]
    assert turned["difference"] == pytest.approx(-row["difference"])
    assert (row["verdict"], turned["verdict"]) == ("lower", "higher")


def test_items_that_only_one_result_holds_are_counted() -> None:
    first, second = result(0.0, "a"), result(0.1, "b")
    second.items = second.items.iloc[:-7]
    row = compare(first, second).table.iloc[0]
    assert (row["n"], row["unpaired"]) == (N - 7, 7)


def test_clusters_make_a_trifle_no_finding() -> None:
    """The same sixty differences: one for each of sixty items, or six told ten times each."""
    gaps = np.repeat([0.5, 0.1, -0.2, 0.3, -0.1, 0.2], 10)

    def verdict(factors: tuple[str, ...]) -> str:
        quantity = Quantity("lean", "lean", 0.05, factors=factors)
        group = np.repeat(list("uvwxyz"), 10)
        both = [
            made_result({"group": group, "score": score}, quantity, model=name)
            for name, score in (("a", np.zeros(N)), ("b", gaps))
        ]
        return str(compare(*both).table["verdict"].iloc[0])

    assert verdict(()) == "higher"
    assert verdict(("group",)) == "not enough items"


def test_the_correction_is_holm_s_over_every_row() -> None:
    """Two instruments of two quantities and three models: twelve tests, corrected as one family."""
    results = [
        result(shift, model, LEAN, GUARD, instrument=instrument, noise=noise)
        for instrument, noise in (("x", 0.05), ("y", 0.2))
        for model, shift in (("a", 0.0), ("b", 0.02), ("c", 0.05))
    ]
    corrected = compare(results).table
    assert len(corrected) == 2 * 2 * 3
    alone = []
    for row in corrected.to_dict("records"):
        both = [
            made_result(one.items, *[q for q in one.quantities if q.key == row["quantity"]], model=one.model)
            for one in results
            if one.instrument == row["instrument"] and one.model in (row["first"], row["second"])
        ]
        alone.append(float(compare(both).table["p_holm"].iloc[0]))
    order = np.argsort(alone)
    by_hand = np.minimum(1, np.maximum.accumulate(np.array(alone)[order] * np.arange(12, 0, -1)))
    assert corrected["p_holm"].to_numpy()[order] == pytest.approx(by_hand)
    assert (corrected["p_holm"].to_numpy()[order] > np.array(alone)[order]).any()


def test_a_finding_that_many_tests_could_bring_by_chance_is_withdrawn() -> None:
    small = Quantity("lean", "lean", 0.001, factors=("group",))
    first, second = result(0.0, "a", small, noise=0.05), result(0.008, "b", small, noise=0.05)
    row = compare(first, second).table.iloc[0]
    assert 0.004 < row["p_holm"] < 0.04
    assert row["verdict"] == "higher"
    many = [Quantity(f"lean-{number}", "lean", 0.001, factors=("group",)) for number in range(20)]
    comparison = compare(*(made_result(one.items, *many, model=one.model) for one in (first, second)))
    crowd, said = comparison.table, comparison.sentences()[0]
    assert set(crowd["verdict"]) == {"not enough items"}
    assert "b (0.312) may or may not differ from a (0.286): " in said
    assert f"with all tests of this comparison counted p = {crowd['p_holm'].iloc[0]:.3f};" in said
    assert "not enough items" not in said
    assert crowd["p_holm"].iloc[0] == pytest.approx(20 * row["p_holm"])


def test_three_models_are_three_pairs() -> None:
    three = compare(result(0, "a"), result(0.2, "b"), result(0.4, "c"))
    pairs = three.table[["first", "second"]].to_numpy().tolist()
    assert pairs == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert len(str(three).splitlines()) == 3


def test_the_guard_of_one_instrument_is_not_said_of_another() -> None:
    guarded = [result(shift, model, LEAN, GUARD) for shift, model in ((0.0, "a"), (-0.2, "b"))]
    others = [result(shift, model, instrument="y") for shift, model in ((0.0, "a"), (-0.2, "b"))]
    of_x, of_y = compare(guarded, others).sentences()
    assert "guard" in of_x
    assert "guard" not in of_y


def test_lists_and_single_results_may_be_mixed() -> None:
    audits = [
        [result(shift, model, instrument=name) for name in "xy"] for model, shift in (("a", 0), ("b", 1))
    ]
    assert compare(audits[0], audits[1]).table["instrument"].tolist() == ["x", "y"]
    assert compare(audits[0], *audits[1]).table["instrument"].tolist() == ["x", "y"]


def test_an_instrument_that_one_model_alone_has_is_said_not_dropped() -> None:
    comparison = compare([result(0, "a"), result(0, "a", instrument="y")], result(0.2, "b"))
    assert comparison.table["instrument"].tolist() == ["x"]
    assert comparison.alone == ("y",)
    assert comparison.sentences()[-1] == "y: not compared, because only one result of it was given."


def test_one_result_is_nothing_to_compare() -> None:
    with pytest.raises(UserError, match=r"nothing to compare: 1 result\(s\) of x"):
        compare(result(0, "a"))
    with pytest.raises(UserError, match="nothing to compare"):
        compare(result(0, "a"), result(0, "b", instrument="y"))


@pytest.mark.parametrize(
    ("margin", "expected"),
    [
        (None, {("x", "lean"): 0.05, ("x", "guard"): 0.1, ("y", "lean"): 0.05, ("y", "guard"): 0.1}),
        (0.5, {("x", "lean"): 0.5, ("x", "guard"): 0.1, ("y", "lean"): 0.5, ("y", "guard"): 0.1}),
        ({"y": 0.5}, {("x", "lean"): 0.05, ("x", "guard"): 0.1, ("y", "lean"): 0.5, ("y", "guard"): 0.1}),
    ],
)
def test_margins_are_by_instrument_and_never_the_guard_s(
    margin: float | dict[str, float] | None, expected: dict[tuple[str, str], float]
) -> None:
    results = [result(s, m, LEAN, GUARD, instrument=i) for i in "xy" for m, s in (("a", 0.0), ("b", 0.2))]
    table = compare(results, margin=margin).table
    assert table.set_index(["instrument", "quantity"])["margin"].to_dict() == expected
    lean = table[table["quantity"] == "lean"].set_index("instrument")["verdict"]
    for name in "xy":
        assert lean[name] == ("equivalent" if expected[name, "lean"] == 0.5 else "higher")


def test_a_margin_for_an_instrument_that_is_not_there() -> None:
    with pytest.raises(UserError, match="'tbee'") as error:
        compare(result(0, "a", instrument="tbe"), result(0, "b", instrument="tbe"), margin={"tbee": 1.0})
    assert "Did you mean 'tbe'" in error.value.hint


@pytest.mark.parametrize("margin", ["0.1", {"x": "wide"}, [0.1]])
def test_a_margin_that_is_no_number(margin: object) -> None:
    with pytest.raises(UserError, match="The margin is"):
        compare(result(0, "a"), result(0.2, "b"), margin=margin)


def test_a_quantity_without_items_has_no_row() -> None:
    first, second = (result(0, model, LEAN, GUARD) for model in "ab")
    first.items["own_side"] = np.nan
    assert compare(first, second).table["quantity"].tolist() == ["lean"]


def test_the_contrast_is_compared_beside_the_mean() -> None:
    """A model whose classes moved apart while its mean stayed is not the same model."""
    care = np.repeat(["caring", "aggressive"], 30)
    contrast = Quantity(
        "care", "caring - aggressive", 0.05, contrast=Contrast("care", "caring", "aggressive")
    )
    mean = Quantity("lean", "lean", 0.05)
    noise = np.random.default_rng(0).normal(0, 0.01, (2, N))
    scores = {"a": 0.5 + noise[0], "b": 0.5 + np.where(care == "caring", 0.2, -0.2) + noise[1]}
    both = [
        made_result({"care": care, "score": score}, contrast, mean, model=name)
        for name, score in scores.items()
    ]
    rows = compare(*both).table.set_index("quantity")
    assert rows.loc["lean", "verdict"] == "equivalent"
    assert rows.loc["care", "verdict"] in ("higher", "leans the other way")
    assert rows.loc["care", "difference"] == pytest.approx(0.4, abs=0.01)


def told(name: str, male: float, female: float, *, actress: float) -> TableModel:
    """He and she by two numbers everywhere, but beside 'actress' she by one of its own."""
    words = {"he": male, "him": male, "his": male, "she": female, "her": female}
    words |= {"they": 0.01, "them": 0.01, "their": 0.01}
    guard = words | {"he": 0.01, "she": actress}
    fills = {f"[MASK] {verb} an actress.": guard for verb in VERBS}
    return TableModel(fills, words=words, name=name)


VERBS = ("is", "was", "became", "remained", "stayed", "played", "met", "saw", "heard", "knew")


def test_a_whole_measurement_that_lost_what_it_should_know() -> None:
    """All pronouns made equal: the lean is gone, and so is the knowledge that an actress is a woman."""
    rows = [
        {
            "id": f"t{place}",
            "category": kind,
            "form": "subject",
            "template": f"[MASK] {verb} {noun}.",
            "gender": side,
        }
        for kind, noun, side in (("work", "a nurse", ""), ("word", "an actress", "female"))
        for place, verb in enumerate(VERBS, start=0 if kind == "work" else 50)
    ]
    table = pd.DataFrame(rows)
    plain = measure(told("plain", 0.2, 0.5, actress=0.77), "tbe", data=table)
    levelled = measure(told("levelled", 0.3, 0.3, actress=0.01), "tbe", data=table)
    kept = measure(told("kept", 0.31, 0.3, actress=0.77), "tbe", data=table)
    (said,) = [text for text in compare(plain, levelled).sentences() if "tbe, APPD" in text]
    assert (
        "levelled (0.000) is higher than plain (-0.300), nearer to neutral, and the model lost what it"
        in said
    )
    assert "should know: guard 0.76 to 0.00" in said
    (said,) = [text for text in compare(plain, kept).sentences() if "tbe, APPD" in text]
    assert "now leans the other way than plain (-0.300) (guard 0.76 to 0.76," in said
