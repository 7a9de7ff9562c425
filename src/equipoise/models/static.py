"""Word-vector models (word2vec, GloVe, fastText text files): they answer `embed` only."""

import gzip
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.errors import UserError
from equipoise.models.base import AnsweringModel, Embed, Embedding, Question, Vector
from equipoise.models.capabilities import EMBED

SUFFIXES = (".vec", ".txt", ".vec.gz", ".txt.gz")


class StaticModel(AnsweringModel):
    """A vector per word; a text is the mean of its known words, NaN where none is known."""

    kind = "static"
    capabilities = frozenset({EMBED})

    def __init__(self, vectors: dict[str, Vector], *, name: str) -> None:
        self.vectors = vectors
        self.name = name
        self.width = len(next(iter(vectors.values())))
        digest = hashlib.sha256()
        for word, vector in vectors.items():
            digest.update(word.encode())
            digest.update(vector.tobytes())
        self.fingerprint = digest.hexdigest()

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """Answer all questions, in the order they were asked."""
        return [self._answer_one(question) for question in questions]

    def _answer_one(self, question: Question) -> Embedding:
        if not isinstance(question, Embed):
            raise self.refuse(question)
        text = question.text if question.span is None else question.text[slice(*question.span)]
        known = [self._vector(word.strip(".,;:!?\"'()")) for word in text.split()]
        vectors = [vector for vector in known if vector is not None]
        empty = np.full(self.width, np.nan, dtype=np.float32)
        return Embedding(np.mean(vectors, axis=0, dtype=np.float32) if vectors else empty)

    def _vector(self, word: str) -> Vector | None:
        vector = self.vectors.get(word)
        return self.vectors.get(word.lower()) if vector is None else vector


def load_static(path: Path) -> StaticModel:
    """Read a text file of word vectors, with or without word2vec's first line of counts."""
    vectors: dict[str, Vector] = {}
    width = 0
    for number, line in _lines(path):
        word, *numbers = line.rstrip("\n").split(" ")
        if number == 1 and len(numbers) == 1:
            continue
        vector = _numbers(numbers, path, number)
        width = width or len(vector)
        if len(vector) != width:
            raise UserError(
                f"{path}, line {number}: {len(vector)} numbers where {width} are expected.",
                "Each line is a word and its vector, separated by single spaces.",
            )
        vectors[word] = vector
    if not vectors:
        raise UserError(f"{path} holds no word vectors.", "Give a word2vec or GloVe text file.")
    return StaticModel(vectors, name=path.name)


def _numbers(fields: list[str], path: Path, number: int) -> Vector:
    try:
        return np.array([float(field) for field in fields if field], dtype=np.float32)
    except ValueError as error:
        raise UserError(
            f"{path}, line {number}: {error}.",
            "Each line is a word and its vector, separated by single spaces.",
        ) from error


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            yield from enumerate(file, start=1)
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text.", "Save the vectors as UTF-8 text.") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error}.", "Give a readable file.") from error
