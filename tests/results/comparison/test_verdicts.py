"""Verdicts: the word, what it means for a reader, and the sentence, each at its border."""

from dataclasses import replace

import numpy as np
import pytest
from made_results import made_result

from equipoise.results import Quantity
from equipoise.results.comparison import Comparison, compare
from equipoise.results.comparison.differences import (
    Difference,
    _neither_has_it,
    change_of,
    corrected_word,
    difference_of,
)
from equipoise.results.comparison.pairing import pair
from equipoise.results.estimate import Estimate, estimates_table

N = 60
LEAN = Quantity("lean", "lean", 0.05)
SIZE = replace(LEAN, key="size", label="mean |lean|", kind="size", better="lower")
SHARE = Quantity("women", "share of women", 0.05, neutral=0.5)
GUARD = Quantity("guard", "guard", 0.1, column="own_side", better="higher", part="guard")
ABILITY = replace(GUARD, key="ability", label="ability", column="right", part="ability")


def around(mean: float, seed: int, spread: float = 0.01) -> np.ndarray:
    """Sixty values whose mean is exactly the given one."""
    noise = np.random.default_rng(seed).normal(0, spread, N)
    return mean + noise - noise.mean()


def moved(
    first: float, second: float, quantity: Quantity = LEAN, **columns: tuple[float, float]
) -> Comparison:
    """A comparison of two models whose items lie around two means, beside other columns that move."""
    pairs = {"score": (first, second), **columns}
    beside = [quantity for quantity in (GUARD, ABILITY) if quantity.column in columns]
    results = [
        made_result(
            {
                name: around(ends[side], seed=10 * side + place)
                for place, (name, ends) in enumerate(pairs.items())
            },
            quantity,
            *beside,
            model="ab"[side],
        )
        for side in (0, 1)
    ]
    return compare(*results)


def word_and_change(first: float, second: float, quantity: Quantity = LEAN) -> tuple[str, str]:
    row = moved(first, second, quantity).table.iloc[0]
    return row["verdict"], row["change"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (0.3, 0.1, ("lower", "better")),
        (0.1, 0.3, ("higher", "worse")),
        (-0.3, -0.1, ("higher", "better")),
        (-0.1, -0.3, ("lower", "worse")),
        (0.3, 0.31, ("equivalent", "same")),
        (0.3, 0.0, ("lower", "better")),
        (0.3, -0.3, ("leans the other way", "other side")),
        (-0.3, 0.2, ("leans the other way", "other side")),
    ],
)
def test_signed_leans(first: float, second: float, expected: tuple[str, str]) -> None:
    assert word_and_change(first, second) == expected


def test_an_overshoot_of_a_share_crosses_a_half() -> None:
    """17 % female to 82 % female is not a fall of anything."""
    assert word_and_change(0.17, 0.82, SHARE) == ("leans the other way", "other side")
    assert word_and_change(0.17, 0.45, SHARE) == ("higher", "better")
    assert word_and_change(0.82, 0.95, SHARE) == ("higher", "worse")
    (said,) = moved(0.17, 0.82, SHARE).sentences()
    assert "share of women: b (0.820) now leans the other way than a (0.170);" in said


def test_a_second_mean_that_may_be_neutral_does_not_lean_the_other_way() -> None:
    quantity = replace(LEAN, margin=0.01)
    first, second = around(0.5, 1, 0.3), around(-0.02, 2, 0.3)
    row = compare(
        made_result({"score": first}, quantity), made_result({"score": second}, quantity, model="b")
    ).table.iloc[0]
    assert row["second_value"] < 0
    assert (row["verdict"], row["change"]) == ("lower", "better")


def test_a_distance_from_neutral_has_no_other_side() -> None:
    assert word_and_change(0.3, -0.1, SIZE) == ("lower", "better")
    assert word_and_change(0.1, -0.3, SIZE) == ("higher", "worse")
    assert word_and_change(0.3, -0.3, SIZE) == ("equivalent", "same")


def test_a_distance_has_none_even_where_its_value_passes_the_neutral_number() -> None:
    """0.7 and 0.1 from a half: both are distances, although one number is above a half and one below."""
    assert word_and_change(1.2, 0.6, replace(SHARE, kind="size"))[0] == "lower"


def test_a_quantity_that_should_be_high() -> None:
    higher = replace(LEAN, better="higher")
    assert word_and_change(0.3, -0.3, higher) == ("lower", "worse")
    assert word_and_change(-0.1, 0.3, higher) == ("higher", "better")


def test_too_few_items_are_unknown_not_the_same() -> None:
    wide = [around(mean, seed, spread=2.0) for mean, seed in ((0.0, 1), (0.1, 2))]
    comparison = compare(
        made_result({"score": wide[0]}, LEAN), made_result({"score": wide[1]}, LEAN, model="b")
    )
    row = comparison.table.iloc[0]
    assert (row["verdict"], row["change"]) == ("not enough items", "unknown")
    assert row["detectable"] > 0.1
    assert f"60 could have shown a difference of {row['detectable']:.3f}" in str(comparison)


def a_difference(first: float, second: float) -> Difference:
    both = pair(
        made_result({"score": around(first, 1)}), made_result({"score": around(second, 2)}, model="b")
    )
    gap = difference_of(both, LEAN)
    assert gap is not None
    return gap


def test_a_difference_that_does_not_survive_the_correction_is_not_claimed() -> None:
    clear = a_difference(0.3, 0.1)
    assert corrected_word(clear, 0.049) == "lower"
    assert corrected_word(clear, 0.05) == "not enough items"
    assert corrected_word(clear, float("nan")) == "not enough items"
    assert corrected_word(a_difference(0.3, -0.3), 0.2) == "not enough items"
    assert corrected_word(a_difference(0.3, 0.3), 1.0) == "equivalent"


@pytest.mark.parametrize(("better", "expected"), [("lower", "better"), ("higher", "worse")])
def test_what_lower_means_depends_on_which_way_is_good(better: str, expected: str) -> None:
    difference = replace(a_difference(0.3, 0.2), quantity=replace(LEAN, better=better))
    assert change_of(difference, "lower") == expected


def test_a_guard_that_neither_model_has_is_not_called_kept() -> None:
    (said,) = moved(0.3, 0.02, own_side=(0.0, 0.0)).sentences()
    assert "(guard 0.00 to 0.00, which neither of them has)" in said
    assert not _neither_has_it(a_difference(0.0, 0.3))
    assert not _neither_has_it(a_difference(0.3, 0.0))
    (said,) = moved(0.3, 0.02, own_side=(0.5, 0.5)).sentences()
    assert "(guard 0.50 to 0.50, kept)" in said
    (said,) = moved(0.3, 0.02, own_side=(0.0, 0.5)).sentences()
    assert "(guard 0.00 to 0.50, better)" in said


def test_an_ability_below_what_no_knowledge_gives_on_its_scale_is_still_one() -> None:
    """A log-probability lies below 0 and is not an absence: 0 is not its chance level."""
    (said,) = moved(0.3, 0.02, right=(-1.5, -1.5)).sentences()
    assert "(ability -1.50 to -1.50, kept)" in said


def test_a_bias_that_means_nothing_in_one_model_is_not_compared() -> None:
    """Its own instrument says so: the verdict, the change and the correction follow."""
    typed = replace(LEAN, where={"type": "2"})
    other = replace(LEAN, key="other", label="other", where={"type": "1"})
    both = []
    for place, model in enumerate("ab"):
        columns = {"type": ["2"] * 30 + ["1"] * 30, "score": around(0.3 + 0.2 * place, place)}
        one = made_result(columns, typed, other, model=model)
        one.estimates = estimates_table(
            [
                Estimate("lean", 0.3, 0.2, 0.4, n=30, groups={"type": "2"}, void="it cannot" * place),
                Estimate("lean", 0.3, 0.2, 0.4, n=30, groups={"type": "1"}),
            ]
        )
        both.append(one)
    comparison = compare(*both)
    rows = comparison.table.set_index("quantity")
    assert rows["verdict"].to_dict() == {"lean": "not meaningful", "other": "higher"}
    assert rows["change"].to_dict() == {"lean": "unknown", "other": "worse"}
    assert rows.loc["lean", "void"] == "it cannot (b)"
    alone = compare(*(made_result(one.items, other, model=one.model) for one in both)).table
    assert rows.loc["other", "p_holm"] == alone["p_holm"].iloc[0]
    assert "b (0.500) cannot be compared with a (0.298), " in comparison.sentences()[0]
    assert "because that is not meaningful: it cannot (b)" in comparison.sentences()[0]


def test_a_fall_is_no_success_when_the_guard_falls_too() -> None:
    (said,) = moved(0.3, 0.02, own_side=(0.76, 0.0)).sentences()
    assert said.startswith(
        "x, lean: b (0.020) is lower than a (0.300), nearer to neutral, and the model lost what it should "
        "know: guard 0.76 to 0.00; difference -0.280, 95 % interval -0.2"
    )
    assert said.endswith(f", n = {N}.")


def test_a_guard_that_is_kept_is_said_in_the_same_breath() -> None:
    (said,) = moved(0.3, 0.02, own_side=(0.76, 0.75), right=(0.5, 0.9)).sentences()
    assert "nearer to neutral (guard 0.76 to 0.75, kept, ability 0.50 to 0.90, better); difference" in said


def test_of_guard_and_ability_the_lost_one_is_named() -> None:
    (said,) = moved(0.3, 0.02, own_side=(0.76, 0.75), right=(0.9, 0.5)).sentences()
    assert "the model lost what it should know: ability 0.90 to 0.50;" in said
    assert "guard" not in said


def test_an_equivalent_bias_does_not_hide_a_lost_guard() -> None:
    (said,) = moved(0.3, 0.3, own_side=(0.76, 0.1)).sentences()
    assert "equivalent to a (0.300) within the margin of 0.05, and the model lost" in said


def test_a_guard_of_too_few_items_is_not_called_kept() -> None:
    table = moved(0.3, 0.02, own_side=(0.76, 0.7)).table
    table.loc[table["part"] == "guard", "change"] = "unknown"
    assert "guard 0.76 to 0.70, not enough items to tell" in str(Comparison(table))


def test_lower_and_higher_say_whether_that_is_nearer_to_neutral() -> None:
    assert "is lower than a (-0.100), farther from neutral;" in str(moved(-0.1, -0.3))
    assert "is higher than a (-0.300), nearer to neutral;" in str(moved(-0.3, -0.1))
    assert "is lower than a (0.300);" in str(moved(0.3, 0.1, SIZE))


def test_no_interval_is_said_as_such() -> None:
    few = replace(LEAN, factors=("cluster",))
    results = [
        made_result({"score": around(mean, seed), "cluster": np.arange(N) % 4}, few, model=name)
        for mean, seed, name in ((0.3, 1, "a"), (0.0, 2, "b"))
    ]
    (said,) = compare(*results).sentences()
    assert "may or may not differ from a (0.300): there are not enough items;" in said
    assert "95 % interval unknown: too few clusters to tell" in said
    assert "nan" not in said
