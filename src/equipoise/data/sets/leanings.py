"""Words that lean to men or women in the world or by stereotype, and pairs that define gender itself."""

from dataclasses import dataclass

import pandas as pd

from equipoise.data.reading import File, Shape, read_rows, read_table
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.gendered import FEMALE, MALE

NAME = "equipoise-leanings"
WORDS, PAIRS = "leaning-words.csv", "direction-pairs.csv"
FEWEST = 5
"""Words of a leaning below which nothing can be told apart."""


@dataclass(frozen=True)
class Leanings:
    """Words with leaning and group, pairs of a male and a female word, and the files they came from."""

    words: pd.DataFrame
    pairs: tuple[tuple[str, str], ...]
    files: tuple[File, ...]


def load_leanings(source: Source) -> Leanings:
    """A user's words, or the shipped ones; pairs from beside them, or the shipped ones."""
    file, pairs_file = source.file(WORDS), source.beside_or_shipped(PAIRS)
    pairs = read_table(pairs_file, (MALE, FEMALE))
    table = tuple((row[MALE].strip(), row[FEMALE].strip()) for row in pairs.to_dict("records"))
    return Leanings(_read_words(file), table, (file, pairs_file))


def _read_words(file: File) -> pd.DataFrame:
    shape = Shape(
        required=("word", "leaning"),
        optional=("group",),
        filled=("word",),
        one_of={"leaning": (MALE, FEMALE)},
        unique=("word",),
    )
    table = read_rows(file, shape)
    counts = table["leaning"].value_counts()
    if any(counts.get(leaning, 0) < FEWEST for leaning in (MALE, FEMALE)):
        raise UserError(
            f"{file} has {counts.get(MALE, 0)} words that lean to men and {counts.get(FEMALE, 0)} to women.",
            f"Give at least {FEWEST} of each.",
        )
    return table[["word", "leaning", "group"]].reset_index(drop=True)
