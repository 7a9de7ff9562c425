"""Sets of words that rules share: function words, words before titles, abbreviations; from one table."""

import csv
import re
from functools import cache
from pathlib import Path

TABLE = Path(__file__).parent / "en" / "word_sets.csv"


def word_set(name: str) -> frozenset[str]:
    """The words of one set of the table."""
    return _sets()[name]


@cache
def _sets() -> dict[str, frozenset[str]]:
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            row["set"]: frozenset(word.replace("_", " ") for word in row["words"].split())
            for row in csv.DictReader(file)
        }


def any_of(name: str) -> str:
    """A group for a regular expression that matches any word of a set, the longest first."""
    words = sorted(word_set(name), key=lambda word: (-len(word), word))
    return "(?:" + "|".join(map(re.escape, words)) + ")"
