"""The judge of pronoun forms: answers worked out by hand from a table, and real sentences on BERT."""

import math
from typing import Any

import pytest

from equipoise.errors import UserError
from equipoise.models.capabilities import FILL
from equipoise.models.form_judge import REACH, form_judge
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Fill, WordScores
from equipoise.models.table import TableModel
from equipoise.text.rewriting.pronouns.forms import Case


class Listening(AnsweringModel):
    """Keeps the questions it is asked, and prefers the second word or cannot tell."""

    name, kind, capabilities = "listening", "masked", frozenset({FILL})

    def __init__(self, second: float) -> None:
        self.second = second
        self.calls: list[list[Any]] = []

    def answer(self, questions: Any) -> list[WordScores]:
        self.calls.append(list(questions))
        return [WordScores(question.words, (-1.0, self.second), (1, 1)) for question in questions]


def case(text: str, pronoun: str, options: tuple[str, str]) -> Case:
    start = text.index(pronoun)
    return Case(text, (start, start + len(pronoun)), options)


def test_the_likelier_form_is_chosen() -> None:
    fills = {
        "I saw [MASK] leave.": {"his": 0.1, "him": 0.6},
        "I saw [MASK] house.": {"his": 0.7, "him": 0.01},
    }
    judge = form_judge(TableModel(fills))
    cases = [
        case("I saw him leave.", "him", ("his", "him")),
        case("I saw him house.", "him", ("his", "him")),
        case("I saw him house.", "him", ("him", "his")),
    ]
    assert judge(cases) == ["him", "his", "his"]


def test_cases_are_asked_together_in_the_words_around_them() -> None:
    model = Listening(second=0.0)
    long = "left " * 100 + "his" + " right" * 100
    cases = [case("A [MASK] and his hat.", "his", ("his", "him")), case(long, "his", ("his", "him"))]
    assert form_judge(model)(cases) == ["him", "him"]
    ((first, second),) = model.calls
    assert first == Fill("A [MASK] and [MASK] hat.", ("his", "him"), blank=1, unknown_as_nan=True)
    left, right = second.text.split("[MASK]")
    assert set(left.split()) == {"left"}
    assert set(right.split()) == {"right"}
    assert REACH - 6 <= len(left) <= REACH
    assert REACH - 6 <= len(right) <= REACH


def test_the_first_form_stays_where_the_model_cannot_tell() -> None:
    judge = form_judge(Listening(second=math.nan))
    assert judge([case("The book is his.", "his", ("hers", "her"))]) == ["hers"]
    assert judge([]) == []


def test_a_model_that_fills_no_blanks_is_refused() -> None:
    model = Listening(second=0.0)
    model.capabilities = frozenset()
    with pytest.raises(UserError, match="cannot fill a blank"):
        form_judge(model)


def test_bert_judges_what_words_nearby_cannot_tell(bert: Any) -> None:
    judge = form_judge(bert)
    objects = ["He was tired, so she let his sleep.", "The news of the crash made his cry for hours."]
    owned = "He was tired, but him sleep was short."
    cases = [case(text, "his", ("his", "him")) for text in objects]
    cases += [case(owned, "him", ("his", "him"))]
    assert judge(cases) == ["him", "him", "his"]
    assert judge([case("The choice was her to make.", "her", ("her", "hers"))]) == ["hers"]
