"""The mass of a pole's words at a blank: probabilities added up by hand, choices and ties."""

import math

import numpy as np
import pytest

from equipoise.instruments.parts.items import (
    TIE,
    asked_words,
    choices,
    difference_unit,
    leanings,
    log_masses,
    second_share,
)
from equipoise.models.questions import WordScores

WORDS = {"young": ("young", "youthful"), "old": ("old", "elderly"), "other": ("middle-aged",)}
PROBABILITIES = {"young": 0.2, "youthful": 0.1, "old": 0.05, "elderly": 0.1, "middle-aged": 0.05}


def answer(probabilities: dict[str, float]) -> WordScores:
    words = tuple(probabilities)
    return WordScores(words, tuple(math.log(p) for p in probabilities.values()), (1,) * len(words))


def test_every_word_is_asked_once() -> None:
    assert asked_words({"a": ("his", "her"), "b": ("her", "its")}) == ("his", "her", "its")


def test_a_pole_has_the_probability_of_all_its_words() -> None:
    masses = log_masses(WORDS, answer(PROBABILITIES))
    assert {pole: math.exp(mass) for pole, mass in masses.items()} == pytest.approx(
        {"young": 0.3, "old": 0.15, "other": 0.05}
    )
    # The answer says which word is which: its order does not matter.
    backwards = answer(dict(reversed(PROBABILITIES.items())))
    assert log_masses(WORDS, backwards) == pytest.approx(masses)


def test_leanings_by_hand() -> None:
    scores = leanings(log_masses(WORDS, answer(PROBABILITIES)))
    assert scores == pytest.approx(
        {
            "p_young": 0.3,
            "p_old": 0.15,
            "p_other": 0.05,
            "score": 0.15,
            "normalised": 0.15 / 0.45,
            "log_ratio": math.log(2),
            "third_share": 0.05 / 0.5,
        }
    )


def test_two_poles_have_no_third() -> None:
    assert math.isnan(leanings({"young": math.log(0.3), "old": math.log(0.1)})["third_share"])


def test_a_tiny_probability_still_has_a_ratio() -> None:
    """Both probabilities are zero as floats; their ratio is e to the 3."""
    scores = leanings({"young": -2000.0, "old": -2003.0})
    assert scores["score"] == 0.0
    assert scores["log_ratio"] == pytest.approx(3.0)
    assert scores["normalised"] == pytest.approx((math.exp(3) - 1) / (math.exp(3) + 1))


def test_the_share_of_the_second_pole() -> None:
    shares = second_share(np.log([0.6, 0.1]), np.log([0.2, 0.3]))
    assert shares.tolist() == pytest.approx([0.25, 0.75])


def test_choices_and_ties() -> None:
    first = np.array([-1.0, -2.0, -1.0, -1.0, np.nan])
    second = np.array([-2.0, -1.0, -1.0, -1.0 + 1e-10, -1.0])
    assert choices(first, second, ("male", "female")).tolist() == ["male", "female", TIE, TIE, ""]


def test_a_unit_names_the_poles() -> None:
    assert difference_unit(("young", "old")) == "P(young) - P(old)"
