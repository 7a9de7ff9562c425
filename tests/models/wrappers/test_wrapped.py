"""Models around models: rewritten questions and answers, an identity of their own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import wrapped

from equipoise.models.protocol import LanguageModel, Tokenized
from equipoise.models.questions import Fill, Question, WordScores
from equipoise.models.table import TableModel
from equipoise.models.wrappers.base import WrappedModel

ASKED = Fill("[MASK] is a doctor.", ("he", "she", "they"))


class Swapped(WrappedModel):
    """Answers for `he` what the inner model says of `she`, and the other way round."""

    def __init__(self, inner: LanguageModel, pair: tuple[str, str] = ("he", "she")) -> None:
        super().__init__(inner, {"swap": list(pair)})
        self.pair = pair

    def rewrite_answers(self, questions: Sequence[Question], answers: Sequence[Any]) -> Sequence[Any]:
        return [self._swapped(answer) if isinstance(answer, WordScores) else answer for answer in answers]

    def _swapped(self, scores: WordScores) -> WordScores:
        one, other = (scores.words.index(word) for word in self.pair)
        order = list(range(len(scores.words)))
        order[one], order[other] = order[other], order[one]
        return replace(scores, logprobs=tuple(scores.logprobs[place] for place in order))


class AboutNurses(WrappedModel):
    """Reads every doctor as a nurse."""

    def rewrite_questions(self, questions: Sequence[Question]) -> Sequence[Question]:
        return [replace(question, text=question.text.replace("doctor", "nurse")) for question in questions]


def test_answers_are_rewritten(tmp_path: Path) -> None:
    inner = wrapped("bert", tmp_path)
    (plain,), (swapped,) = inner.answer([ASKED]), Swapped(inner).answer([ASKED])
    assert swapped.logprobs == (plain.logprobs[1], plain.logprobs[0], plain.logprobs[2])
    assert plain.logprobs[0] != plain.logprobs[1]
    table = Swapped(inner).fill(ASKED.text, ["he", "she"])
    np.testing.assert_allclose(table["logprob"], plain.logprobs[1::-1])


def test_questions_are_rewritten() -> None:
    fills = {"[MASK] is a doctor.": {"he": 0.6}, "[MASK] is a nurse.": {"he": 0.1}}
    model = AboutNurses(TableModel(fills), {"doctor": "nurse"})
    assert model.answer([Fill("[MASK] is a doctor.", ("he",))])[0].probability("he") == pytest.approx(0.1)


def test_what_it_is_comes_from_the_inner_model_and_the_recipe(tmp_path: Path) -> None:
    inner = wrapped("bert", tmp_path)
    model = Swapped(inner)
    assert isinstance(model, LanguageModel)
    assert (model.name, model.kind, model.capabilities) == (inner.name, inner.kind, inner.capabilities)
    assert model.rules == inner.rules
    assert model.options is inner.options
    assert model.notes[-1] == 'rewritten by Swapped: {"swap": ["he", "she"]}'
    others = [inner, Swapped(inner, ("he", "they")), Swapped(wrapped("roberta", tmp_path)), Swapped(model)]
    assert len({model.fingerprint, *(other.fingerprint for other in others)}) == 5
    assert Swapped(inner).fingerprint == model.fingerprint


def test_a_wrapper_shows_the_tokenizer_that_the_inner_model_shows(tmp_path: Path) -> None:
    assert isinstance(Swapped(wrapped("bert", tmp_path)), Tokenized)
    assert not isinstance(Swapped(TableModel()), Tokenized)


def test_a_wrapper_that_loses_a_question_is_stopped() -> None:
    class Losing(WrappedModel):
        def rewrite_questions(self, questions: Sequence[Question]) -> Sequence[Question]:
            return questions[:-1]

    model = Losing(TableModel(words={"he": 0.5}), {})
    with pytest.raises(ValueError, match="made 1 questions of 2"):
        model.answer([Fill("[MASK] ran.", ("he",)), Fill("[MASK] sat.", ("he",))])
