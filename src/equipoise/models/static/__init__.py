"""Word-vector models (GloVe, word2vec, fastText): they answer `embed` only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from equipoise.models.capabilities import EMBED
from equipoise.models.protocol import AnsweringModel
from equipoise.models.questions import Embed, Embedding, Question, Vector
from equipoise.models.static.table import WordVectors

STATIC = "static"
VECTORS = "vectors.bin"
"""The file of a folder that holds word vectors and their card."""

_MARKS = ".,;:!?\"'()"


class StaticModel(AnsweringModel):
    """A vector per word; a text is the mean of its known words, NaN where none is known."""

    kind = STATIC
    capabilities = frozenset({EMBED})

    def __init__(self, vectors: WordVectors | Mapping[str, Vector], *, name: str) -> None:
        self.vectors = vectors if isinstance(vectors, WordVectors) else WordVectors.of(vectors)
        self.name = name
        self.width = self.vectors.matrix.shape[1]
        repeated = self.vectors.repeated
        self.notes = (f"{repeated:,} words stand twice; the first counts",) if repeated else ()

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all words and numbers."""
        return self.vectors.digest

    def unknown_parts(self, text: str) -> list[str]:
        """The words of a text that have no vector, in order."""
        return [word for word in _words(text) if self._row(word) is None]

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions, in the order they were asked."""
        return [self._answer_one(question) for question in questions]

    def _answer_one(self, question: Question) -> Embedding:
        if not isinstance(question, Embed) or question.hidden:
            raise self.refuse(question)
        text = question.text if question.span is None else question.text[slice(*question.span)]
        rows = [row for word in _words(text) if (row := self._row(word)) is not None]
        if not rows:
            return Embedding(np.full(self.width, np.nan, dtype=np.float32))
        return Embedding(self.vectors.matrix[rows].mean(axis=0, dtype=np.float32))

    def _row(self, word: str) -> int | None:
        row = self.vectors.rows.get(word)
        return self.vectors.rows.get(word.lower()) if row is None else row


def _words(text: str) -> list[str]:
    """Split at white space and strip marks; a mark alone is not a word."""
    return [word for part in text.split() if (word := part.strip(_MARKS))]
