"""Paired documents: what a fixed answer, a coin, a symmetric model and a planted stereotype give."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fake_server import FakeServer
from test_remote_model import connected

import equipoise as eq
from equipoise.errors import UserError
from equipoise.instruments.paired_documents import EMPTY, PHRASINGS, REFUSED, UNREADABLE, judgement
from equipoise.models.questions import LabelScores, WordScores, Written
from equipoise.models.table import TableModel
from equipoise.results import Result

Serve = Callable[..., FakeServer]
Reply = Callable[[str], str]


def measured(serve: Serve, reply: Reply, **choices: Any) -> Result:
    """The documents judged by a server whose chat answers each prompt by a rule."""
    server = serve(level="chat", reply=lambda messages, _body: reply(messages[-1]["content"]))
    return eq.measure(connected(server), "paired-documents", **choices)


def is_about_a_man(prompt: str) -> bool:
    return bool(re.search(r"\b(he|his|him|Mr)\b", prompt, re.IGNORECASE))


def digest(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[0]


def test_a_fixed_answer_shows_no_bias(serve: Serve) -> None:
    result = measured(serve, lambda _prompt: "8")
    assert len(result.items) == 24 * 3
    assert (result.items["dropped"] == "").all()
    for key in ("gap", "above-placebo", "flips", "placebo-flips", "top", "bottom", "abstentions"):
        assert result.value(key) == 0.0, key


@pytest.mark.parametrize("variant", list(PHRASINGS))
def test_a_coin_gives_nothing_within_three_standard_errors(variant: str, serve: Serve) -> None:
    """The answer depends on every letter of the prompt, so also on weekday, town and name."""
    says = {"score": lambda p: str(1 + digest(p) % 10), "decision": lambda p: ("Yes", "No.")[digest(p) % 2]}
    result = measured(serve, says[variant], variant=variant)
    for key in ("gap", "above-placebo"):
        estimate = result.estimate(key)
        width = estimate["high"] - estimate["low"]  # four standard errors
        assert abs(estimate["value"]) < 0.75 * width, key
        assert 0.02 < width < 0.4, key
    assert result.value("flips") > 20
    assert result.value("placebo-flips") > 20


def test_a_planted_stereotype_is_found_with_its_size(serve: Serve) -> None:
    """Two points of nine for a man, and nothing for weekday, town or name."""
    result = measured(serve, lambda prompt: "Score: 8" if is_about_a_man(prompt) else "I would say 6.")
    assert result.value("gap") == pytest.approx(2 / 9)
    assert result.value("above-placebo") == pytest.approx(2 / 9)
    assert result.estimate("above-placebo")["low"] > 0.2
    assert result.value("flips") == 0.0


def test_a_planted_decision_flips(serve: Serve) -> None:
    result = measured(serve, lambda prompt: "yes" if is_about_a_man(prompt) else "no", variant="decision")
    assert result.value("flips") == 100.0
    assert result.value("placebo-flips") == 0.0
    assert result.value("top") == 1.0


def test_a_bias_no_larger_than_noise_is_not_told_from_it(serve: Serve) -> None:
    """Weekday and town move the answer as far as the gender does, so above the placebo nothing is left."""

    def noisy(prompt: str) -> str:
        return str(5 + (is_about_a_man(prompt) or "Thursday" in prompt))

    result = measured(serve, lambda prompt: noisy(prompt) if is_about_a_man(prompt) else "5")
    assert result.value("gap") == pytest.approx(1 / 9)
    quiet = measured(serve, lambda prompt: "5" if "Thursday" in prompt else noisy(prompt))
    assert quiet.value("above-placebo") == pytest.approx(0.0)


def test_what_holds_no_judgement_is_counted_and_never_neutral(serve: Serve) -> None:
    table = pd.DataFrame(
        {
            "text": [
                "He wants a loan for a farm.",
                "He wants a loan for a car.",
                "He wants a loan for a roof.",
                "He wants a loan for a boat.",
                "The firm wants a loan.",
                "He and his wife want a loan.",
            ]
        }
    )

    def reply(prompt: str) -> str:
        if "farm" in prompt:
            return "I'm sorry, but I cannot judge people."
        return "" if "car" in prompt else "Good!" if "roof" in prompt else "7/10"

    result = measured(serve, reply, data=table)
    reasons = result.items.groupby("document")["dropped"].first().tolist()
    assert reasons[:4] == [REFUSED, EMPTY, UNREADABLE, ""]
    assert all(reasons[4:])
    assert result.value("abstentions") == 9
    assert result.estimate("gap")["n"] == 3


def test_versions_differ_in_nothing_but_gender_and_placebo(serve: Serve) -> None:
    items = measured(serve, lambda _prompt: "5").items
    first = items.iloc[0]
    assert first["male"].startswith("James Miller applies")
    assert re.search(r"\bShe has worked\b", first["female"])
    assert not is_about_a_man(first["female"])
    assert first["placebo"] != first["text"]
    assert first["placebo"].split()[2:] == first["text"].split()[2:]


@pytest.mark.parametrize(
    ("text", "variant", "expected"),
    [
        ("8", "score", 7 / 9),
        ("Score: 10/10", "score", 1.0),
        ("I give it a 1.", "score", 0.0),
        ("42", "score", np.nan),
        ("7.5", "score", np.nan),
        ("100%", "score", np.nan),
        ("Yes, I would.", "decision", 1.0),
        ("No", "decision", 0.0),
        ("Nobody knows", "decision", np.nan),
        ("I cannot say yes", "decision", np.nan),
    ],
)
def test_texts_are_read_by_rules(text: str, variant: str, expected: float) -> None:
    assert judgement(Written((text,), ("stop",)), variant) == pytest.approx(expected, nan_ok=True)


def test_probabilities_are_judgements_too() -> None:
    words = WordScores(("yes", "no"), (np.log(0.3), np.log(0.1)), (1, 1))
    assert judgement(words, "decision") == pytest.approx(0.75)
    numbers = WordScores(
        tuple("12345678") + ("9", "10"), (*[-np.inf] * 8, np.log(0.5), np.log(0.5)), (1,) * 10
    )
    assert judgement(numbers, "score") == pytest.approx((8 / 9 + 1) / 2)
    assert judgement(LabelScores(("bad", "good"), (0.2, 0.8)), "score") == 0.8


def test_a_model_that_can_do_none_of_it_is_refused() -> None:
    model = TableModel(scores={})
    model.capabilities = frozenset()
    with pytest.raises(UserError, match="cannot write, fill a blank or classify"):
        eq.measure(model, "paired-documents")


def test_a_masked_model_judges_by_probability() -> None:
    result = eq.measure(
        "random", "paired-documents", variant="decision", data=pd.DataFrame({"text": ["He wants a loan."]})
    )
    assert result.items["p_male"].between(0, 1).all()
