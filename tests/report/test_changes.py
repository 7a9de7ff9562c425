"""Changes: what is said of two or more models is held against the rows of the comparison."""

import re
from dataclasses import replace
from math import nan
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.report.changes import Changes, ranked, say_changes
from equipoise.results import Quantity
from equipoise.results.comparison import COLUMNS, Comparison
from tests.made_results import made_result
from tests.report.test_findings import ABILITY, GAP, GUARD, PAIRS, SKEW, TONE

GUARD_OF_PAIRS = replace(
    GUARD, key="sense", name="prefers sense to nonsense", part="ability", question="ability"
)
SECOND_GAP = replace(GAP, key="lpbs", name="how naming an occupation moves the pronoun")
HELD: dict[str, tuple[Quantity, ...]] = {
    "sbe": (PAIRS, GUARD_OF_PAIRS),
    "tbe": (GAP, SECOND_GAP, GUARD),
    "stereotype-skew": (SKEW, replace(ABILITY, enough=0.6)),
    "completions": (TONE,),
}
RESULTS = [made_result({"text": ["x"]}, *held, instrument=name) for name, held in HELD.items()]


def row(
    instrument: str, quantity: Quantity, change: str, values: tuple[float, float], **others: Any
) -> dict[str, Any]:
    first, second = values
    void = others.get("void", "")
    ends = {"low": second - first - 0.02, "high": second - first + 0.02}
    cells = dict.fromkeys(COLUMNS, nan) | {
        "instrument": instrument,
        "quantity": quantity.key,
        "part": quantity.part,
        "first": others.get("first", "A"),
        "second": others.get("second", "B"),
        "first_value": first,
        "second_value": second,
        "difference": second - first,
        "detectable": 0.03,
        "margin": quantity.margin,
        "change": "unknown" if void else change,
        "void": void,
    }
    return cells | ends


def compared(*rows: dict[str, Any]) -> list[Changes]:
    return say_changes(Comparison(pd.DataFrame(rows, columns=list(COLUMNS))), RESULTS)


CHANGES = st.sampled_from(["better", "worse", "same", "unknown", "other side"])
VALUES = st.tuples(st.floats(-1, 1), st.floats(-1, 1))


@st.composite
def comparisons(draw: st.DrawFn) -> list[dict[str, Any]]:
    rows = []
    for name in draw(st.sets(st.sampled_from(sorted(HELD)), min_size=1)):
        for quantity in HELD[name]:
            possible = (
                CHANGES
                if quantity.part == "bias"
                else st.sampled_from(["better", "worse", "same", "unknown", "absent"])
            )
            void = draw(st.sampled_from(["", "", "too little"])) if quantity.part == "bias" else ""
            rows.append(row(name, quantity, draw(possible), draw(VALUES), void=void))
    return rows


def verdict_by_hand(rows: list[dict[str, Any]]) -> str:
    """The word of a question by the changes of its rows."""
    changes = {one["change"] for one in rows if not one["void"]}
    if not changes:
        return "NOT MEANINGFUL"
    if {"better", "worse"} <= changes:
        return "LESS IN PART, MORE IN PART"
    for change, word in (
        ("worse", "MORE BIASED"),
        ("other side", "LEANS THE OTHER WAY"),
        ("better", "LESS BIASED"),
    ):
        if change in changes:
            return word
    return "NO CHANGE" if changes == {"same"} else "NO DIFFERENCE FOUND"


@settings(max_examples=250, deadline=None)
@given(comparisons())
def test_no_headline_says_more_than_the_rows(rows: list[dict[str, Any]]) -> None:
    (said,) = compared(*rows)
    quantities = {(name, one.key): one for name, held in HELD.items() for one in held}
    by_question: dict[str, list[dict[str, Any]]] = {}
    for one in rows:
        if one["part"] == "bias":
            by_question.setdefault(quantities[one["instrument"], one["quantity"]].question, []).append(one)
    assert {one.question: one.word for one in said.changes} == {
        question: verdict_by_hand(of_question) for question, of_question in by_question.items()
    }
    words = [one.word for one in said.changes]
    knowledge = [one for one in rows if one["part"] != "bias"]
    lost = [
        one
        for one in knowledge
        if one["change"] == "worse"
        and one["second_value"] < (quantities[one["instrument"], one["quantity"]].enough or 0)
    ]
    assert said.is_broken == bool(lost)
    assert ("broken" in said.headline) == bool(lost)
    if "less biased than" in said.headline and "not less" not in said.headline:
        assert "LESS BIASED" in words
    if " less biased than A in " in said.headline and " and " not in said.headline.split(" question")[0]:
        assert "MORE BIASED" not in words
        assert f"in {words.count('LESS BIASED')} of {len(words)} question" in said.headline
    if "kept what it should know." in said.headline and "whether" not in said.headline:
        assert {one["change"] for one in knowledge} <= {"same", "better"}
    if any(one["change"] == "worse" for one in knowledge):
        assert "broken" in said.headline or "less well" in said.headline
    assert len(said.sentences) <= 5


@settings(max_examples=250, deadline=None)
@given(comparisons())
def test_every_sentence_of_a_change_has_its_size_and_certainty(rows: list[dict[str, Any]]) -> None:
    (said,) = compared(*rows)
    for change in said.changes:
        assert change.sentence.endswith(".")
        if change.word in ("LESS BIASED", "MORE BIASED", "LEANS THE OTHER WAY", "LESS IN PART, MORE IN PART"):
            assert f"{change.size}, certain" in change.sentence
            first, _, side = change.first.partition(" towards ")
            is_said_once = side and side == change.second.partition(" towards ")[2]
            assert f"{first if is_said_once else change.first} to {change.second}" in change.sentence
            limits = change.quantity.limits
            distance = abs(change.row["second_value"] - change.row["first_value"])
            place = sum(distance >= limit for limit in limits)
            assert change.size == ("negligible", "small", "clear", "strong")[place]
        if change.word == "NO DIFFERENCE FOUND":
            assert "would go unnoticed" in change.sentence
        assert len(re.findall(r"[\w'%]+", change.sentence)) <= 35


def test_a_model_that_is_better_and_kept_everything() -> None:
    (said,) = compared(
        row("tbe", GAP, "better", (0.5, 0.11)),
        row("tbe", GUARD, "same", (0.69, 0.66)),
        row("sbe", PAIRS, "unknown", (0.6, 0.58)),
    )
    assert said.headline == "B is less biased than A in 1 of 2 questions and kept what it should know."
    assert said.sentences == (
        "Bias in occupations fell: strong, certain "
        "(pronoun gap by occupation 50 points to 11 points towards men).",
        "In stereotyped sentences no difference was found "
        "(60 % to 58 % towards the stereotype; a change below 3 % would go unnoticed).",
        "The second model still knows gendered words: 69 points to 66 points.",
    )


def test_a_broken_model_is_told_so_in_the_headline() -> None:
    (said,) = compared(row("tbe", GAP, "better", (0.5, 0.0)), row("tbe", GUARD, "worse", (0.69, 0.0)))
    assert said.headline == (
        "B is less biased than A, but it is broken: it hardly knows gendered words any more."
    )
    assert said.sentences[:2] == (
        "The second model hardly knows gendered words any more: 69 points to 0 points, certain.",
        "A model that knows nothing shows no bias.",
    )


def test_a_weaker_guard_stands_in_the_headline_too() -> None:
    (said,) = compared(row("tbe", GAP, "better", (0.5, 0.1)), row("tbe", GUARD, "worse", (0.69, 0.5)))
    assert (
        said.headline == "B is less biased than A in 1 of 1 question, but it knows gendered words less well."
    )


def test_models_that_cannot_be_compared_may_still_know_less() -> None:
    (said,) = compared(
        row("tbe", GAP, "unknown", (0.5, 0.1), void="too little"), row("tbe", GUARD, "worse", (0.69, 0.5))
    )
    assert said.headline == (
        "B cannot be compared with A (too little), but it knows gendered words less well."
    )


def three(*changes: tuple[str, str, str], guard: tuple[str, float] = ("same", 0.6)) -> list[Changes]:
    """Comparisons of A, B and C by one quantity: first, second, change; the guard is that of C."""
    rows = []
    for first, second, change in changes:
        names = {"first": first, "second": second}
        rows.append(row("tbe", GAP, change, (0.5, 0.1), **names))
        is_last = second == "C"
        kept, value = guard if is_last else ("same", 0.6)
        rows.append(row("tbe", GUARD, kept, (0.6, value), **names))
    return compared(*rows)


@pytest.mark.parametrize(
    ("changes", "ranks"),
    [
        ([("A", "B", "better"), ("A", "C", "better"), ("B", "C", "better")], {"C": 1, "B": 2, "A": 3}),
        ([("A", "B", "unknown"), ("A", "C", "better"), ("B", "C", "better")], {"C": 1, "A": 2, "B": 2}),
        ([("A", "B", "same"), ("A", "C", "unknown"), ("B", "C", "same")], {"A": 1, "B": 1, "C": 1}),
        ([("A", "B", "worse"), ("A", "C", "unknown"), ("B", "C", "unknown")], {"A": 1, "C": 1, "B": 2}),
    ],
)
def test_models_that_cannot_be_distinguished_share_a_rank(
    changes: list[tuple[str, str, str]], ranks: dict[str, int]
) -> None:
    order = ranked(three(*changes))
    assert {one.model: one.rank for one in order} == ranks
    shared = {model for model, rank in ranks.items() if list(ranks.values()).count(rank) > 1}
    assert {one.model for one in order if one.shared} == shared


def test_a_broken_model_has_no_rank() -> None:
    pairs = [("A", "B", "better"), ("A", "C", "better"), ("B", "C", "better")]
    order = ranked(three(*pairs, guard=("worse", 0.0)))
    assert [(one.model, one.rank) for one in order] == [("B", 1), ("A", 2), ("C", None)]
