"""A model around a model: questions rewritten on their way in, answers on their way out."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from equipoise.models.capabilities import START, other_start
from equipoise.models.protocol import AnsweringModel, LanguageModel, TextTokens, Tokenized
from equipoise.models.questions import Question


class WrappedModel(AnsweringModel):
    """Base of models that change what another model is asked or what it says.

    Subclasses override `rewrite_questions`, `rewrite_answers` or both. The recipe is a dictionary that says
    all that the rewriting depends on: with the inner fingerprint it makes this model's own, so that two
    wrappers with one recipe must give the same answers.
    """

    def __init__(self, inner: LanguageModel, recipe: Mapping[str, Any], *, name: str | None = None) -> None:
        self.inner = inner
        self.recipe = dict(recipe)
        self.name = inner.name if name is None else name
        self.kind = inner.kind
        other = other_start(inner.capabilities)
        self.capabilities = inner.capabilities - {f"{START}{other}"}
        self.precision = inner.precision
        self.labels = inner.labels
        self.options = inner.options
        self.notes = (*inner.notes, f"rewritten by {type(self).__name__}: {self._recipe_text()}")

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the inner model's fingerprint, this class and the recipe."""
        text = f"{self.inner.fingerprint}\n{type(self).__qualname__}\n{self._recipe_text()}"
        return hashlib.sha256(text.encode()).hexdigest()

    def rewrite_questions(self, questions: Sequence[Question]) -> Sequence[Question]:
        """What the inner model is asked: one question for each that was asked."""
        return questions

    def rewrite_answers(self, questions: Sequence[Question], answers: Sequence[Any]) -> Sequence[Any]:
        """What is answered to the questions as they were asked, given the inner model's answers."""
        return answers

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions in one plan of the inner model, in the order they were asked."""
        rewritten = self.rewrite_questions(questions)
        self._check_count("questions", len(questions), len(rewritten))
        answers = self.rewrite_answers(questions, self.inner.answer(rewritten))
        self._check_count("answers", len(questions), len(answers))
        return list(answers)

    def unknown_parts(self, text: str) -> list[str]:
        """The parts of a text that the inner model reads as its unknown token."""
        return self.inner.unknown_parts(text)

    def check(self, question: Question) -> None:
        """Refuse what the inner model cannot be asked."""
        for rewritten in self.rewrite_questions([question]):
            self.inner.check(rewritten)

    @property
    def layers(self) -> int | None:
        """The layers of the inner model."""
        return self.inner.layers

    @property
    def tokens(self) -> TextTokens:
        """The inner tokenizer; without one this model is not `Tokenized` either."""
        if not isinstance(self.inner, Tokenized):
            raise AttributeError(f"{self.inner.name!r} has no tokenizer")
        return self.inner.tokens

    def _recipe_text(self) -> str:
        return json.dumps(self.recipe, sort_keys=True, ensure_ascii=False)

    def _check_count(self, what: str, expected: int, given: int) -> None:
        if expected != given:
            raise ValueError(f"{type(self).__name__} made {given} {what} of {expected}")
