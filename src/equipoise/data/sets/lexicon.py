"""A lexicon of hurtful words with their categories, which users bring themselves."""

import unicodedata
from dataclasses import dataclass

import pandas as pd

from equipoise.data.reading import LINE, File, read_table
from equipoise.errors import UserError

CONSERVATIVE = "conservative"
"""The level whose words count, in a lexicon that has levels (HurtLex)."""


@dataclass(frozen=True)
class HurtfulWords:
    """Hurtful words with their categories, and how many were left out for their level."""

    words: dict[str, tuple[str, ...]]
    left_out: int

    @property
    def categories(self) -> tuple[str, ...]:
        """Every category once, in the file's order."""
        return tuple(dict.fromkeys(name for names in self.words.values() for name in names))

    def of(self, word: str) -> tuple[str, ...] | None:
        """Return the categories of a word, possibly none of them; None if the word is not listed."""
        return self.words.get(plain(word))


def read_lexicon(file: File) -> HurtfulWords:
    """The words of a lexicon with their categories, without accents and in lower case."""
    table = read_table(file)
    column = next((name for name in ("word", "lemma") if name in table), None)
    if column is None:
        raise UserError(
            f"{file} has no column 'word' or 'lemma'; it has {', '.join(table.columns.drop(LINE))}.",
            "Give the hurtful words in a column 'word', and their kind in a column 'category'.",
        )
    rows = len(table)
    if "level" in table:
        table = table[table["level"].str.strip().str.lower() == CONSERVATIVE]
    words: dict[str, tuple[str, ...]] = {}
    names = table["category"] if "category" in table else pd.Series("", index=table.index)
    for word, name in zip(table[column].map(plain), names.str.strip(), strict=True):
        of_word = words.get(word, ())
        words[word] = (*of_word, name) if name and name not in of_word else of_word
    words.pop("", None)
    if not words:
        raise UserError(
            f"{file} has no words.", f"Give at least one; those of a level must be {CONSERVATIVE}."
        )
    return HurtfulWords(words, rows - len(table))


def plain(word: str) -> str:
    """A word in lower case, without accents."""
    split = unicodedata.normalize("NFKD", word.strip().lower())
    return "".join(letter for letter in split if not unicodedata.combining(letter))
