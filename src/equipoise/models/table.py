"""A model made of tables, for tests and documentation: it answers what it was told to, and nothing else."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.errors import UserError
from equipoise.models.capabilities import EMBED, FILL, HIDE_WORDS, TOP_FILL, score_by
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import (
    Embed,
    Embedding,
    Fill,
    Question,
    Score,
    TokenScores,
    TopFill,
    WordScores,
)
from equipoise.text.blank import BLANK

Fills = Mapping[str, Mapping[str, float]]


class TableModel(AnsweringModel):
    """Probabilities of words at blanks, log-probabilities of sentences, vectors of texts, all given.

    `fills` maps a text with a blank to probabilities of words; `words` gives the probabilities for any text
    that is not listed; hidden words of a text are looked up as blanks; `scores` maps a sentence to one
    log-probability per whitespace word.
    """

    kind = "table"
    capabilities = frozenset({FILL, TOP_FILL, EMBED, HIDE_WORDS, score_by("original")})

    def __init__(
        self,
        fills: Fills | None = None,
        *,
        words: Mapping[str, float] | None = None,
        scores: Mapping[str, Sequence[float]] | None = None,
        vectors: Mapping[str, Sequence[float]] | None = None,
        name: str = "table",
    ) -> None:
        self.fills = dict(fills or {})
        self.words = dict(words or {})
        self.scores = dict(scores or {})
        self.vectors = dict(vectors or {})
        self.name = name
        told = repr((self.fills, self.words, self.scores, self.vectors))
        self.fingerprint = hashlib.sha256(told.encode()).hexdigest()

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions, in the order they were asked."""
        return [self._answer_one(question) for question in questions]

    def _answer_one(self, question: Question) -> Any:
        if isinstance(question, Fill):
            table = self._table(_hidden(question))
            values = [self._logprob(table, word, question) for word in question.words]
            return WordScores(question.words, tuple(values), (1,) * len(values))
        if isinstance(question, TopFill):
            table = self._table(question.text)
            ranked = sorted(table.items(), key=lambda pair: -pair[1])[: question.count]
            values = [float(np.log(value)) for _, value in ranked]
            return WordScores(tuple(word for word, _ in ranked), tuple(values), (1,) * len(ranked))
        if isinstance(question, Score):
            return self._score(question.text)
        if isinstance(question, Embed):
            return Embedding(np.asarray(self._told(self.vectors, _hidden(question)), dtype=np.float32))
        raise self.refuse(question)

    def _table(self, text: str) -> Mapping[str, float]:
        return self.words if text not in self.fills and self.words else self._told(self.fills, text)

    def _score(self, text: str) -> TokenScores:
        values = self._told(self.scores, text)
        spans, at = [], 0
        for word in text.split():
            at = text.index(word, at)
            spans.append((at, at + len(word)))
            at += len(word)
        return TokenScores(tuple(text.split()), tuple(values), tuple(spans), (1.0,) * len(values))

    def _logprob(self, table: Mapping[str, float], word: str, question: Fill) -> float:
        if word not in table and question.unknown_as_nan:
            return float(np.nan)
        return float(np.log(self._told(table, word)))

    def _told(self, table: Mapping[str, Any], key: str) -> Any:
        if key not in table:
            raise UserError(
                f"The table model {self.name!r} was told nothing about {key!r}.",
                "Add it to the tables it was made with.",
            )
        return table[key]


def _hidden(question: Fill | Embed) -> str:
    """The text as its hidden words would be written: a blank for each."""
    text = question.text
    for start, stop in sorted(question.hidden, reverse=True):
        text = text[:start] + BLANK + text[stop:]
    return text
