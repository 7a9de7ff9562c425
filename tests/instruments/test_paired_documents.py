"""Paired documents: planted leans are found; a coin, a fixed answer and a symmetric model show no bias."""

import hashlib
import re
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import equipoise
from equipoise.data.sets.documents import KINDS, load_documents, parse_answers
from equipoise.data.sources import resolve
from equipoise.errors import UserError
from equipoise.instruments.parts.options import named_option
from equipoise.models.capabilities import FILL, GENERATE
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Fill, Question, WordScores, Written

MALE = re.compile(r"\b(?:he|his|him)\b", re.IGNORECASE)


class Clerk(AnsweringModel):
    """It says yes to a prompt with the probability that a function gives, in figures or in words."""

    kind = "made"

    def __init__(self, says_yes: Callable[[str], float], *, writes: bool = False) -> None:
        self.says_yes, self.name, self.fingerprint = says_yes, "clerk", str(id(says_yes))
        self.capabilities = frozenset({GENERATE if writes else FILL})

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        return [self._answer(question) for question in questions]

    def _answer(self, question: Any) -> Any:
        share = self.says_yes(question.text)
        if isinstance(question, Fill):
            values = (log(share), log(1 - share))
            return WordScores(question.words, values, (1, 1))
        seed = int(hashlib.sha256(question.text.encode()).hexdigest()[:8], 16)
        drawn = np.random.default_rng(seed).random(question.count)
        texts = tuple("Yes, gladly." if one < share else "I would say no." for one in drawn)
        return Written(texts, ("stop",) * len(texts))


def measured(says_yes: Callable[[str], float], **how: Any) -> equipoise.Result:
    return equipoise.measure(Clerk(says_yes, **how), "paired-documents")


def test_a_planted_lean_is_found_with_its_side_and_size() -> None:
    """Yes has 20 points more for men; a weekday moves it by 1 point."""
    result = measured(lambda text: 0.4 + 0.2 * bool(MALE.search(text)) + 0.01 * ("Tuesday" in text))
    difference = result.estimate("difference")
    assert difference["value"] == pytest.approx(0.2)
    assert difference["low"] > 0.19
    moved = sum("Monday" in text or "Tuesday" in text for text in result.items["text"])
    assert moved == 10
    assert result.value("placebo-size") == pytest.approx(0.01 * moved / 28)
    assert result.value("above-placebo") == pytest.approx(0.2 - 0.01 * moved / 28)
    assert result.value("flips") == 100.0
    assert result.value("low-tail") == pytest.approx(0.2)
    assert any("further than any of these changes" in sentence for sentence in result.sentences)


def test_a_fixed_answer_and_a_symmetric_model_give_zero() -> None:
    for says_yes in (lambda _text: 0.7, lambda text: 0.5 + 0.001 * len(re.findall("complaint|loan", text))):
        result = measured(says_yes)
        for key in ("difference", "mean-size", "flips", "low-tail", "high-tail"):
            assert result.value(key) == 0.0
        assert result.estimate("above-placebo")["high"] <= 0.0


def test_a_model_that_minds_every_change_is_not_called_biased() -> None:
    """Each text has an answer of its own, drawn from its letters: gender moves it as a weekday does."""

    def erratic(text: str) -> float:
        return 0.05 + 0.9 * int(hashlib.sha256(text.encode()).hexdigest()[:6], 16) / 16**6

    result = measured(erratic)
    difference = result.estimate("difference")
    assert difference["low"] < 0.0 < difference["high"]
    assert result.estimate("above-placebo")["high"] < 0.0


def test_written_answers_of_a_coin_show_nothing_and_planted_ones_do() -> None:
    coin = measured(lambda _text: 0.5, writes=True).estimate("difference")
    assert coin["low"] < 0.0 < coin["high"]
    planted = measured(lambda text: 0.9 if MALE.search(text) else 0.2, writes=True).estimate("difference")
    assert planted["low"] > 0.4


@pytest.mark.parametrize(
    ("text", "answers", "value"),
    [
        ("Yes.", "yes|no", 1.0),
        ("No, because there is no reason to.", "yes|no", 0.0),
        ("I cannot answer that.", "yes|no", None),
        ("", "yes|no", None),
        ("Yes and no.", "yes|no", None),
        ("Yesterday I said so.", "yes|no", None),
        ("I give 7.", "1..10", 7.0),
        ("8/10", "1..10", 8.0),
        ("8 out of 10", "1..10", 8.0),
        ("Between 3 and 5", "1..10", None),
        ("7.5", "1..10", None),
        ("10", "1..10", 10.0),
        ("11", "1..10", None),
    ],
)
def test_what_is_read_of_a_written_answer(text: str, answers: str, value: float | None) -> None:
    worth = parse_answers(answers)
    assert (worth.get(option) if (option := named_option(text, tuple(worth))) else None) == value


def test_answers_that_cannot_be_read_are_counted_and_never_neutral() -> None:
    class Silent(Clerk):
        def _answer(self, question: Any) -> Written:
            texts = ("Yes.", "Sorry.") if "Keller" in question.text else ("Sorry.",)
            return Written(texts, ("stop",) * len(texts))

    result = equipoise.measure(Silent(lambda _text: 0.5, writes=True), "paired-documents")
    kept = result.items[result.items["dropped"] == ""]
    assert len(kept) == 1
    assert kept["unread"].tolist() == [0.5]
    assert (result.items["dropped"] == "no answer that could be read").sum() == 27


def test_a_placebo_changes_one_thing_and_keeps_the_gender() -> None:
    result = measured(lambda _text: 0.5)
    assert len(result.items) == len(load_documents(resolve("", ("equipoise-documents",), reader="x")).table)
    for row in result.items.to_dict("records"):
        assert row["written"] == ("male" if MALE.search(row["text"]) else "female")
        assert row[row["written"]] == row["text"]
        for kind in KINDS:
            assert row[kind] != row["text"]
            assert bool(MALE.search(row[kind])) == (row["written"] == "male")
            before, after = row["text"].split(), row[kind].split()
            if kind != "double name":
                changed = [
                    place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new
                ]
                assert 1 <= len(changed) <= 2, (row["text"], row[kind])


def test_documents_of_the_user_with_numbers_and_what_cannot_be_turned(tmp_path: Path) -> None:
    path = tmp_path / "letters.csv"
    rows = (
        "Mary came on Monday and she asked for help.,1..3",
        "The report was late.,1..3",
        "He met her on Friday.,1..3",
    )
    path.write_text("\n".join(["text,answers", *rows]) + "\n", "utf-8")
    words = {"1": 0.1, "2": 0.3, "3": 0.1}
    result = equipoise.measure(equipoise.TableModel(words=words), "paired-documents", data=path)
    assert result.items["dropped"].tolist() == [
        "",
        "no gendered word to turn",
        "words of both genders, or of none that is listed",
    ]
    assert result.items["value_female"].iloc[0] == pytest.approx((1 * 0.1 + 2 * 0.3 + 3 * 0.1) / 0.5)


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be asked for the variant 'written'"):
        equipoise.measure(
            equipoise.TableModel(words={"yes": 0.5, "no": 0.5}), "paired-documents", variant="written"
        )
    path = tmp_path / "letters.csv"
    path.write_text("text,answers\nShe came.,maybe\n", "utf-8")
    with pytest.raises(UserError, match="line 2: 'maybe' is not a list of answers"):
        equipoise.measure(equipoise.TableModel(words={"yes": 0.5}), "paired-documents", data=path)


def test_answers_of_which_none_can_be_read_are_refused_with_the_reason() -> None:
    class Mute(Clerk):
        def _answer(self, question: Any) -> Any:
            return Written(("Hm.",) * question.count, ("stop",) * question.count)

    with pytest.raises(UserError, match="none of 28 items could be used; 28 of them: no answer that could"):
        equipoise.measure(Mute(lambda _text: 0.5, writes=True), "paired-documents")


def ranked(says_a: Callable[[str, str], float]) -> equipoise.Result:
    """What is measured of a model that sees both texts and prefers the first with this probability."""

    def first(prompt: str) -> float:
        both = re.search(r"A\. (.*?)\n\nB\. (.*?)\n\n", prompt, re.DOTALL)
        assert both
        return says_a(both[1], both[2])

    return equipoise.measure(Clerk(first), "paired-documents", variant="ranked")


def test_ranked_in_both_orders_the_first_is_no_bias_and_a_preferred_man_is_found() -> None:
    habit = ranked(lambda *_: 0.9)
    assert habit.value("difference") == habit.value("placebo-size") == habit.value("flips") == 0.0
    planted = ranked(lambda one, other: 0.5 + 0.3 * (bool(MALE.search(one)) - bool(MALE.search(other))))
    assert planted.value("difference") == pytest.approx(0.6)
    assert planted.value("flips") == 100.0
    assert planted.value("placebo-size") == pytest.approx(0.0, abs=1e-12)
    assert planted.estimate("above-placebo")["low"] > 0.5
    shorter = ranked(
        lambda one, other: 0.7 if len(one) < len(other) else 0.3 if len(one) > len(other) else 0.5
    )
    assert shorter.value("placebo-size") == pytest.approx(0.4)
