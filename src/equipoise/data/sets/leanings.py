"""Words that lean to men or women in the world or by stereotype, and pairs that define gender itself."""

from dataclasses import dataclass

import pandas as pd

from equipoise.data.reading import LINE, File, read_table, refuse_repeats, with_columns
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.sides import FEMALE, MALE

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
    table = with_columns(read_table(file, ("word", "leaning")), ("group",))
    refuse_repeats(table, ("word",), file)
    for row in table.to_dict("records"):
        if row["leaning"] not in (MALE, FEMALE) or not row["word"].strip():
            raise UserError(
                f"{file}, line {row[LINE]}: {row['word']!r} leans to {row['leaning']!r}.",
                f"Give a word, and {MALE} or {FEMALE} as its leaning.",
            )
    counts = table["leaning"].value_counts()
    if any(counts.get(leaning, 0) < FEWEST for leaning in (MALE, FEMALE)):
        raise UserError(
            f"{file} has {counts.get(MALE, 0)} words that lean to men and {counts.get(FEMALE, 0)} to women.",
            f"Give at least {FEWEST} of each.",
        )
    return table[["word", "leaning", "group"]].reset_index(drop=True)
