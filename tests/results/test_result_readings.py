"""Readings: every case of a headline in words, worked out by hand."""

from dataclasses import replace
from math import log, nan

import pytest

from equipoise.results import Estimate, Quantity
from equipoise.results.quantity import SCALES, STEREOTYPED, TOWARDS
from equipoise.results.reading import (
    CANNOT_TELL,
    CERTAIN,
    LIKELY,
    Measured,
    amount,
    certainty_of,
    distances,
    reading,
    readings,
    size_of,
)
from equipoise.results.records import shown

GAP = Quantity(
    "appd",
    "APPD",
    0.05,
    name="pronoun gap by occupation",
    question="jobs",
    sides=TOWARDS,
    headline=True,
).of_poles("male", "female")
SHARE = Quantity("share", "share", 0.05, neutral=0.5, scale="half", sides=STEREOTYPED, unit="share")
GUARD = Quantity("appd", "guard", 0.1, name="knows gendered words", part="guard", enough=0.3)
LEAN = Estimate("appd", 0.2134, 0.15, 0.276, n=340, label="APPD", headline=True)
NAME = "Pronoun gap by occupation"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, f"{NAME}: 21 points (15 to 28) towards men: clear, certain."),
        (
            {"value": -0.2, "low": -0.31, "high": -0.1},
            f"{NAME}: 20 points (10 to 31) towards women: clear, certain.",
        ),
        ({"low": -0.01}, f"{NAME}: 21 points (-1 to 28) towards men: clear, likely."),
        ({"low": -0.2}, f"{NAME}: 21 points (-20 to 28) towards men: clear, cannot tell."),
        (
            {"value": 0.01, "low": -0.01, "high": 0.03},
            f"{NAME}: 1 point (-1 to 3) towards men: negligible, certain.",
        ),
        ({"low": nan, "high": nan}, f"{NAME}: 21 points towards men: clear, cannot tell."),
        ({"value": nan, "dropped": 1340}, f"{NAME}: no value, because none of 1,340 items could be used."),
        (
            {"void": "ability on names is 13.0, below 75"},
            f"{NAME}: 21 points, not meaningful because ability on names is 13.0, below 75.",
        ),
        (
            {"value": 0.0, "low": 0.0, "high": 0.0},
            f"{NAME}: exactly neutral, both sides are treated alike.",
        ),
        (
            {"groups": {"type": "2"}},
            f"{NAME} (type 2, where grammar tells who is meant): "
            "21 points (15 to 28) towards men: clear, certain.",
        ),
    ],
)
def test_a_headline_in_words(changes: dict[str, object], sentence: str) -> None:
    assert reading(replace(LEAN, **changes), GAP) == sentence  # type: ignore[arg-type]


def test_what_a_model_should_know_has_no_size() -> None:
    assert reading(LEAN, GUARD) == "Knows gendered words: 21 points (15 to 28): less than it should."
    kept = replace(LEAN, value=0.69, low=0.59, high=0.79)
    assert reading(kept, GUARD) == "Knows gendered words: 69 points (59 to 79): as it should."
    unsure = replace(LEAN, value=0.35, low=0.2, high=0.5)
    assert reading(unsure, GUARD).endswith(": cannot tell whether it is enough.")


def test_a_percentage_is_read_as_its_share() -> None:
    percent = Estimate("share", 61.0, 55.0, 66.0, n=300, neutral=50.0, unit="%", headline=True)
    assert reading(percent, SHARE) == "Share: 61 % (55 to 66) towards the stereotype: small, certain."
    below = replace(percent, value=39.0, low=34.0, high=45.0)
    assert reading(below, SHARE) == "Share: 39 % (34 to 45) against the stereotype: small, certain."


def test_only_headlines_are_read_and_none_of_them_is_left_out() -> None:
    other = replace(LEAN, key="other", label="other", headline=False)
    assert [sentence.split()[0] for sentence in readings([LEAN, other, LEAN])] == ["APPD:", "APPD:"]


@pytest.mark.parametrize(
    ("number", "text"), [(-0.00012, "-1.2e-04"), (0.0, "0.000"), (-9.9994, "-9.999"), (-10.0, "-10.0")]
)
def test_a_number_in_a_sentence(number: float, text: str) -> None:
    assert shown(number) == text


@pytest.mark.parametrize(
    ("distance", "word"),
    [(0.0, "negligible"), (0.0499, "negligible"), (-0.05, "small"), (0.1, "clear"), (-0.3, "strong")],
)
def test_a_size_follows_the_declared_limits(distance: float, word: str) -> None:
    assert size_of(distance, GAP) == word


def test_a_margin_above_a_limit_moves_it() -> None:
    assert replace(GAP, margin=0.2).limits == (0.2, 0.2, 0.3)
    assert size_of(0.15, replace(GAP, margin=0.2)) == "negligible"


@pytest.mark.parametrize(
    ("value", "low", "high", "word"),
    [
        (0.2, 0.01, 0.4, CERTAIN),
        (0.2, -0.1, 0.5, LIKELY),  # 0.2 - 0.654 * 0.3 = 0.004
        (0.2, -0.11, 0.5, CANNOT_TELL),  # 0.2 - 0.654 * 0.31 = -0.003
        (0.02, -0.04, 0.04, CERTAIN),
        (0.02, -0.02, 0.06, LIKELY),  # 0.02 + 0.654 * 0.04 = 0.046
        (0.02, -0.02, 0.08, CANNOT_TELL),
        (0.2, nan, nan, CANNOT_TELL),
    ],
)
def test_certainty_follows_the_interval(value: float, low: float, high: float, word: str) -> None:
    assert certainty_of(Measured(value, low, high), GAP) == word


def test_likelihoods_are_read_as_times() -> None:
    nats = replace(GAP, scale="nats", margin=0.1)
    assert amount(log(2), nats) == "2 times"
    assert amount(9.0, nats) == "more than 100 times"
    assert distances(Measured(-log(2), -log(3), -log(1.5)), nats) == pytest.approx((log(2), log(1.5), log(3)))
    assert [size_of(number, nats) for number in (0.05, 0.5, log(2), log(10))] == [
        *("negligible", "small", "clear", "strong")
    ]


def test_every_scale_gives_its_reason() -> None:
    for scale in SCALES.values():
        assert 0 < scale.clear < scale.strong
        assert len(scale.reason.split()) > 3
