"""Neutralise and equalise: remove gender from word vectors, and make pairs equally near to other words.

What it does  Of word vectors (GloVe, word2vec), brought to length 1: the first principal direction of pairs
              such as he and she is taken out of every word that is not gendered by itself; then the two words
              of each pair are set to differ along that direction alone, so that every other word is equally
              near to both (Bolukbasi et al. 2016, "hard debiasing"). Gendered words outside the pairs stay.
Breaks        It hides rather than removes (Gonen and Goldberg 2019): what leaned to women still stands among
              others that did, and a classifier reads it back. On GloVe 6B 50d see docs/vectors.md. Measure
              `direct-bias`, `neighbourhood`, `clustering` and `gender-probe` before and after.
Learned from  14 pairs of words written for this project; nothing is read from a corpus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from equipoise.corpora.vocabulary import gendered_words
from equipoise.data.reading import own_table
from equipoise.data.sets.leanings import PAIRS
from equipoise.errors import UserError
from equipoise.mitigations.base import Changed, Materials, Presets
from equipoise.models.protocol import LanguageModel
from equipoise.models.static import StaticModel
from equipoise.models.static.table import WordVectors
from equipoise.stats.clusters import Floats
from equipoise.stats.directions import pair_direction
from equipoise.stats.erasure import equalised, unit_rows, without_directions
from equipoise.text.gendered import FEMALE, MALE

FEWEST = 3
"""Pairs below which there is no direction to speak of."""

ROWS_AT_ONCE = 50_000


@dataclass(frozen=True)
class NeutraliseEqualise:
    """Takes the direction of pairs out of word vectors and equalises the pairs."""

    name: ClassVar[str] = "neutralise-equalise"
    reads_corpus: ClassVar[bool] = False
    presets: ClassVar[Presets] = {}

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse anything but word vectors."""
        _static_model(model, self.name)

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """A copy of the vectors, changed."""
        model = _static_model(model, self.name)
        words, rows = model.vectors.words, model.vectors.rows
        pairs = [pair for pair in _pairs() if pair[0] in rows and pair[1] in rows]
        if len(pairs) < FEWEST:
            raise UserError(
                f"{model.name!r} has {len(pairs)} of the pairs of gendered words where {FEWEST} are needed.",
                "Give English word vectors with he and she, man and woman, and the like.",
            )
        changed = _changed(model.vectors, [(rows[male], rows[female]) for male, female in pairs])
        said = (
            f"The direction of {len(pairs)} pairs was taken out of {changed[1]:,} of {len(words):,} words; "
        )
        vectors = WordVectors(words, changed[0])
        name = f"{model.name} ({self.name})"
        return Changed(StaticModel(vectors, name=name), (f"{said}the pairs are equalised.",))


def _static_model(model: LanguageModel, by: str) -> StaticModel:
    if isinstance(model, StaticModel):
        return model
    raise UserError(
        f"{by} changes word vectors, and {model.name!r} is a {model.kind} model.",
        "Name a file of word vectors, or use direction-removal.",
    )


def _pairs() -> list[tuple[str, str]]:
    table = own_table(PAIRS)
    return list(zip(table[MALE], table[FEMALE], strict=True))


def _changed(vectors: WordVectors, pairs: Sequence[tuple[int, int]]) -> tuple[np.ndarray, int]:
    """The new matrix, and how many words were neutralised."""
    places = [np.array(side) for side in zip(*pairs, strict=True)]
    male, female = (unit_rows(np.asarray(vectors.matrix[side], dtype=np.float64)) for side in places)
    direction = pair_direction(male, female).vector
    is_neutral = _neutral(vectors.words)
    matrix = np.empty(vectors.matrix.shape, dtype=np.float32)
    for start in range(0, len(matrix), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        matrix[part] = _without(
            unit_rows(np.asarray(vectors.matrix[part], np.float64)), direction, is_neutral[part]
        )
    matrix[places[0]], matrix[places[1]] = equalised(male, female, direction)
    return matrix, int(is_neutral.sum())


def _without(rows: Floats, direction: Floats, is_neutral: np.ndarray) -> Floats:
    projected = unit_rows(without_directions(direction).of(rows))
    return np.where(is_neutral[:, None], projected, rows)


def _neutral(words: Sequence[str]) -> np.ndarray:
    """Which words are not gendered by themselves."""
    gendered = gendered_words().keys() | {word for pair in _pairs() for word in pair}
    return np.array([word.lower() not in gendered for word in words], dtype=bool)
