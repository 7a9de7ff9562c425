"""Words and their vectors: one matrix, a row for each word."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from equipoise.errors import UserError
from equipoise.models.questions import Vector

ROWS_AT_ONCE = 50_000


@dataclass(frozen=True)
class WordVectors:
    """Words and a matrix with a row for each; of a word that stands twice, the first row counts."""

    words: Sequence[str]
    matrix: Vector

    @classmethod
    def of(cls, vectors: Mapping[str, Vector]) -> "WordVectors":
        """The vectors of a dictionary."""
        return cls(list(vectors), np.stack([np.asarray(one, dtype=np.float32) for one in vectors.values()]))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of every word."""
        last_first = range(len(self.words) - 1, -1, -1)
        return dict(zip(reversed(self.words), last_first, strict=True))

    @property
    def repeated(self) -> int:
        """How many rows belong to a word that stands further up."""
        return len(self.words) - len(self.rows)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all words and numbers."""
        digest = hashlib.sha256("\n".join(self.words).encode())
        for start in range(0, len(self.matrix), ROWS_AT_ONCE):
            digest.update(np.ascontiguousarray(self.matrix[start : start + ROWS_AT_ONCE]).data)
        return digest.hexdigest()

    def checked(self, path: Path) -> "WordVectors":
        """The same, if there are words and every number is one."""
        if len(self.words) == 0:
            raise UserError(f"{path} holds no word vectors.", "Give a word2vec or GloVe file.")
        for start in range(0, len(self.matrix), ROWS_AT_ONCE):
            part = self.matrix[start : start + ROWS_AT_ONCE]
            if not np.isfinite(part.sum(dtype=np.float64)):
                self._refuse_unfit(part, start, path)
        return self

    def _refuse_unfit(self, part: Vector, start: int, path: Path) -> None:
        unfit = np.flatnonzero(~np.isfinite(part).all(axis=1))
        if len(unfit):
            word = self.words[start + int(unfit[0])]
            raise UserError(
                f"{path}: the vector of {word!r} (number {start + int(unfit[0]) + 1}) holds NaN or infinity.",
                "Leave out such words, or write the vectors again.",
            )
