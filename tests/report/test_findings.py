"""Findings: every word of the first screen is held against the numbers behind it, worked out another way."""

import re
from dataclasses import replace
from math import isnan, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.report.answers import BOTH_WAYS, Answer
from equipoise.report.findings import MOST_SENTENCES, Findings, say, say_each
from equipoise.results import Estimate, Quantity, Result
from equipoise.results.estimate import estimates_table
from equipoise.results.quantity import QUESTIONS, STEREOTYPED, TOWARDS
from tests.made_results import made_result

GAP = Quantity(
    *("appd", "APPD", 0.05),
    name="pronoun gap by occupation",
    question="jobs",
    sides=TOWARDS,
    headline=True,
).of_poles("male", "female")
SIZE = replace(
    GAP,
    key="size",
    kind="size",
    name="size of the gap",
    sides=(),
    better="lower",
    over="text",
    compared=False,
)
PAIRS = Quantity(
    *("pairs", "pairs", 0.05),
    unit="share",
    neutral=0.5,
    name="pairs that prefer the stereotype",
    question="sentences",
    scale="half",
    sides=STEREOTYPED,
    headline=True,
)
CARING, ABLE_TRAIT = (
    Quantity(*(key, key, 0.05), name=key, question="traits", sides=GAP.sides[::-1], headline=True)
    for key in ("caring", "competent")
)
TONE = replace(PAIRS, key="tone", scale="points", neutral=0.0, unit="", question="completions", name="tone")
TONE = replace(TONE, sides=("kinder to women", "kinder to men"))
SKEW = replace(GAP, key="skew", scale="F1", margin=5.0, question="default", name="same-answer bias")
GUARD = Quantity(
    *("guard", "guard", 0.1),
    better="higher",
    part="guard",
    name="knows gendered words",
    question="guard",
    enough=0.3,
    headline=True,
)
ABILITY = replace(
    GUARD, key="able", part="ability", name="resolves named people", question="ability", enough=0.6
)
INSTRUMENTS = {
    "sbe": (PAIRS,),
    "tbe": (GAP, SIZE, GUARD),
    "stereotype-skew": (SKEW, ABILITY),
    "traits": (CARING, ABLE_TRAIT),
    "completions": (TONE,),
}
SPREAD = {"F1": 100.0}
LIMITS = {"points": (0.1, 0.3), "half": (0.15, 0.3), "F1": (10.0, 30.0)}


def estimated(quantity: Quantity, distance: float, below: float, above: float, void: str = "") -> Estimate:
    """An estimate at a distance from neutral, whose interval reaches so far below and above it."""
    width = SPREAD.get(quantity.scale, 1.0)
    value = quantity.neutral + width * (abs(distance) if quantity.kind == "size" else distance)
    low, high = value - width * below, value + width * above
    return Estimate(
        quantity.key,
        *(value, low, high),
        n=120,
        neutral=quantity.neutral,
        better=quantity.better,
        unit=quantity.unit,
        headline=True,
        void=void,
    )


def result_of(instrument: str, estimates: list[Estimate], *, asked: int = 10) -> Result:
    items = {"score": [0.5, -0.5] * 5, "text": [f"The clerk lost number {n}." for n in range(10)]}
    items["dropped"] = [""] * asked + ["too long"] * (10 - asked)
    made = made_result(items, *INSTRUMENTS[instrument], model="it", instrument=instrument)
    made.estimates = estimates_table(estimates)
    return made


DISTANCES = st.floats(-0.45, 0.45) | st.sampled_from([0.0, 0.05, -0.05, 0.1, 0.3, 1e-9])
WIDTHS = st.floats(0.0, 0.5) | st.sampled_from([0.0, 0.04, nan])
VOIDS = st.sampled_from(["", "", "", "ability on names is 13.0, below 75"])


@st.composite
def audits(draw: st.DrawFn) -> list[Result]:
    chosen = draw(st.sets(st.sampled_from(sorted(INSTRUMENTS)), min_size=1))
    return [
        result_of(
            name,
            [
                estimated(
                    one,
                    draw(DISTANCES),
                    *((width := draw(WIDTHS)), width * draw(st.floats(0.5, 2))),
                    draw(VOIDS),
                )
                for one in INSTRUMENTS[name]
            ],
            asked=draw(st.sampled_from([10, 10, 9, 4])),
        )
        for name in sorted(chosen)
    ]


def row_of(results: list[Result], answer: Answer) -> dict[str, float]:
    (result,) = (one for one in results if one.instrument == answer.instrument)
    return dict(result.estimate(answer.quantity.key))


def size_by_hand(distance: float, quantity: Quantity) -> str:
    limits = (quantity.margin, *LIMITS[quantity.scale])
    return ("negligible", "small", "clear", "strong")[sum(abs(distance) >= limit for limit in limits)]


@settings(max_examples=120, deadline=None)
@given(audits())
def test_every_answer_is_what_its_numbers_say(results: list[Result]) -> None:
    said = say(results)
    asked = {one.question for result in results for one in result.declared if one.part == "bias"}
    assert [one.question for one in said.answers] == [question for question in QUESTIONS if question in asked]
    for answer in said.answers:
        row, quantity = row_of(results, answer), answer.quantity
        value, low, high, neutral = (float(row[name]) for name in ("value", "low", "high", "neutral"))
        assert (answer.word == "NOT MEANINGFUL") == bool(row["void"])
        if row["void"] or isnan(low):
            assert answer.word in ("NOT MEANINGFUL", "CANNOT TELL")
            continue
        assert answer.size == size_by_hand(value - neutral, quantity)
        if answer.word == "NO":
            assert max(neutral - low, high - neutral) < quantity.margin + 1e-9
        elif answer.word == "NO DIFFERENCE FOUND":
            assert answer.certainty == "cannot tell" or answer.size == "negligible"
            assert ("would go unnoticed" if quantity.scale == "half" else "Anything from") in answer.sentence
        else:
            assert answer.size in ("small", "clear", "strong")
            assert answer.certainty in ("certain", "likely")
            assert answer.size in answer.sentence
            assert answer.certainty in answer.sentence
            assert answer.side == BOTH_WAYS or (value > neutral) == (answer.side == quantity.sides[0])
            assert answer.certainty != "certain" or low > neutral or high < neutral
            assert side_word(answer) in answer.sentence
            if answer.code == "tbe.appd" and answer.side != BOTH_WAYS:
                more, less = ("male", "female") if value > neutral else ("female", "male")
                said_so = f"on average a {more} pronoun is {answer.value} likelier than a {less} one"
                assert answer.meaning == said_so
            assert_shows(answer, value if quantity.scale == "half" else abs(value - neutral))


def side_word(answer: Answer) -> str:
    return answer.side.removeprefix("towards ")


def assert_shows(answer: Answer, number: float) -> None:
    """The value in words is that of the row, to two digits."""
    times = {"points": 100, "half": 100, "F1": 1}[answer.quantity.scale]
    shown = float(answer.value.split()[0])
    assert shown == pytest.approx(times * number, abs=0.51 if shown >= 10 else 0.051)


@settings(max_examples=120, deadline=None)
@given(audits())
def test_the_first_screen_says_only_what_the_answers_say(results: list[Result]) -> None:
    said = say(results)
    sentences = [said.headline, *said.sentences]
    assert 3 <= len(said.sentences) <= MOST_SENTENCES or not said.answers
    assert len(set(sentences)) == len(sentences)
    for sentence in sentences:
        assert sentence[0].isupper() or sentence.startswith("it ")
        assert sentence.endswith(".")
        assert len(re.findall(r"[\w'%]+", sentence)) <= 45, sentence
    biases = [one for one in said.answers if one.is_found]
    lacking = [one for one in said.knowledge if one.mark == "✘" and one.kind != "coverage"]
    if lacking:
        assert f"hardly {lacking[0].name}" in said.headline
    if biases:
        lead = min(biases, key=lambda one: (one.certainty != "certain", -in_units_of_strong(one)))
        assert f"({lead.size}, {lead.certainty})" in said.headline
        assert side_word(lead) in said.headline
        assert "No bias" not in said.headline
        told = [one for one in said.sentences if not one.startswith("It hardly ")]
        numbers = next(one for one in told if lead.value in one and f"({lead.interval}" in one)
        sides = {"men": "men|male", "women": "women|female"}.get(side_word(lead), re.escape(side_word(lead)))
        assert re.search(rf"{lead.size}\b.*\b{lead.certainty}\b", numbers), numbers
        assert re.search(rf"\b({sides})\b", numbers, re.IGNORECASE), numbers
        for sentence in said.sentences:
            if sentence.startswith("It also "):
                assert len(re.findall(r"\((?:small|clear|strong), (?:certain|likely)\)", sentence)) == (
                    sentence.count(" and ") - sentence.count("men and women") + 1
                ), sentence
    else:
        assert "certain)" not in said.headline
        assert ("negligible bias" in said.headline) == ({one.word for one in said.answers} == {"NO"})
    assert_knowledge(said, results)


def in_units_of_strong(answer: Answer) -> float:
    return abs(answer.measured.value - answer.measured.neutral) / LIMITS[answer.quantity.scale][1]


def assert_knowledge(said: Findings, results: list[Result]) -> None:
    for known in said.knowledge:
        if known.kind == "coverage":
            items = [row for one in results for row in one.items["dropped"]]
            assert (known.mark == "✔") == (items.count("") >= 0.9 * len(items))
            continue
        (quantity,) = (one for one in (GUARD, ABILITY) if one.name == known.name)
        (result,) = (one for one in results if one.instrument == known.instrument)
        row = result.estimate(quantity.key)
        value, low, high = (float(row[name]) for name in ("value", "low", "high"))
        assert quantity.enough is not None
        surely = {"✔": value >= quantity.enough, "✘": value < quantity.enough, "?": True}
        assert surely[known.mark]
        if not isnan(low):
            assert known.mark == ("✔" if low >= quantity.enough else "✘" if high < quantity.enough else "?")


def audit(**distances: tuple[float, float]) -> Findings:
    """What is said of estimates by key: a distance from neutral and half the width of its interval."""
    results = []
    for name, quantities in INSTRUMENTS.items():
        held = [
            estimated(one, distances[one.key][0], distances[one.key][1], distances[one.key][1])
            for one in quantities
            if one.key in distances
        ]
        results += [result_of(name, held)] if held else []
    return say(results)


def test_the_largest_certain_finding_is_the_headline() -> None:
    said = audit(
        appd=(0.5, 0.07), size=(0.54, 0.04), guard=(0.69, 0.1), pairs=(0.11, 0.05), caring=(0.18, 0.07)
    )
    assert said.headline == "it links occupations with men (strong, certain)."
    assert said.sentences == (
        "On average a male pronoun is 50 points likelier than a female one (43 to 57), strong and certain.",
        "It links caring with women: clear, certain (18 points, 11 to 25).",
        "It prefers sentences in line with the stereotype: small, certain (61 %, 56 to 66).",
        "It knows gendered words (69 points), as it should.",
    )


def test_a_model_that_knows_nothing_is_told_so_first() -> None:
    said = audit(appd=(0.001, 0.002), size=(0.001, 0.001), guard=(0.0, 0.01))
    assert said.headline == (
        "it hardly knows gendered words, so this says little: "
        "it shows negligible bias in the one question asked."
    )
    assert said.sentences[0] == "It hardly knows gendered words (0 points; at least 30 points is needed)."


def test_occupations_that_cancel_out_are_not_called_unbiased() -> None:
    said = audit(appd=(0.001, 0.002), size=(0.4, 0.02), guard=(0.69, 0.1))
    (answer,) = said.answers
    assert (answer.word, answer.side, answer.size) == ("IN PART", BOTH_WAYS, "strong")
    assert said.headline == "it links occupations with genders in both directions (strong, certain)."


def test_one_trait_of_two_is_a_part() -> None:
    said = audit(caring=(0.18, 0.07), competent=(0.01, 0.05))
    assert [(one.word, one.side) for one in said.answers] == [("IN PART", "towards women")]


def test_certainty_is_corrected_over_the_questions() -> None:
    """p is about .04 for each of five questions: alone it is certain, among five it is not."""
    edge = (0.2, 0.2 * 1.96 / 2.05)
    alone = audit(appd=edge)
    assert [one.certainty for one in alone.answers] == ["certain"]
    several = audit(
        appd=edge, pairs=edge, caring=edge, competent=edge, tone=edge, skew=edge, able=(0.9, 0.01)
    )
    assert {one.certainty for one in several.answers} == {"likely"}


def test_no_difference_states_what_fits_on_both_sides() -> None:
    (answer,) = audit(appd=(0.02, 0.06)).answers
    assert answer.word == "NO DIFFERENCE FOUND"
    fits = "Anything from 4 points towards women to 8 points towards men fits these 120 sentences."
    assert answer.sentence == f"No difference found in occupations (2 points, -4 to 8). {fits}"


def test_the_strongest_plain_item_of_each_side_is_the_example() -> None:
    items = {
        "score": [0.2, 0.9, -0.1, -0.7, 0.99],
        "form": "subject",
        "p_male": [0.5, 0.95, 0.3, 0.1, 1.0],
        "p_female": [0.3, 0.05, 0.4, 0.8, 0.01],
        "text": ["[MASK] cooks.", "[MASK] drives.", "[MASK] sings.", "[MASK] knits.", "[MASK] ≈ <b>odd</b>"],
    }
    made = made_result(items, GAP, model="it", instrument="tbe")
    made.estimates = estimates_table([estimated(GAP, 0.4, 0.1, 0.1)])
    first, second = say([made]).answers[0].example
    assert (first.texts, first.side) == (("[MASK] drives.",), "towards men")
    assert (second.texts, second.side) == (("[MASK] knits.",), "towards women")
    assert first.probabilities == (("he", 0.95), ("she", 0.05))


def test_several_models_are_said_one_by_one_and_nothing_at_all_is_no_error() -> None:
    one, other = (result_of("tbe", [estimated(GAP, 0.4, 0.1, 0.1)]) for _ in range(2))
    both = say_each([one, other.renamed("another")])
    assert list(both) == ["it", "another"]
    assert say([]).headline == "This model was asked no question about bias."
