"""The tables of the rewriter, read once: gendered pairs, blocked senses, definitional and foreign words."""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).parent / "tables"
MALE, FEMALE = "male", "female"
OTHER_SIDE = {MALE: FEMALE, FEMALE: MALE}
REACH = 60
"""Characters on either side that a rule may look at."""


class Word(NamedTuple):
    """A gendered word in lower case: its side, its partner, and the pair (by its male word) it belongs to."""

    text: str
    side: str
    kind: str
    partner: str | None
    neutral: str
    pair: str
    one_way: bool


class Block(NamedTuple):
    """A context in which a word of a pair is no gendered word."""

    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    reason: str

    def holds(self, left: str, right: str) -> bool:
        """Whether the text on both sides is such a context."""
        if self.before and not self.before.search(left):
            return False
        return not (self.after and not self.after.match(right))


@dataclass(frozen=True)
class Lexicon:
    """Everything the rules look up by a word in lower case."""

    words: Mapping[str, Word]
    titles: Mapping[str, str]
    blocks: Mapping[str, tuple[Block, ...]]
    definitional: Mapping[str, tuple[Block, ...]]
    foreign: frozenset[str]


@lru_cache(maxsize=1)
def load_lexicon() -> Lexicon:
    """The shipped tables."""
    words, titles = _words(list(_rows("words.csv")))
    return Lexicon(
        words,
        titles,
        _blocks("blocks.csv", "pair"),
        _blocks("definitional.csv", "word"),
        frozenset(row["word"] for row in _rows("foreign.csv")),
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (TABLES / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _words(rows: list[dict[str, str]]) -> tuple[dict[str, Word], dict[str, str]]:
    """The words by text; rows in the way `name` say what a title before a name becomes."""
    words: dict[str, Word] = {}
    titles: dict[str, str] = {}
    for row in rows:
        if row["way"] == "name":
            titles[row["male"]], titles[row["female"]] = row["female"], row["male"]
            continue
        for side, word, partner in (
            (MALE, row["male"], row["female"]),
            (FEMALE, row["female"], row["male"]),
        ):
            if row["way"] == "both" or (row["way"] == "f>m") == (side == FEMALE):
                one_way = row["way"] != "both"
                words.setdefault(
                    word, Word(word, side, row["kind"], partner, row["neutral"], row["male"], one_way)
                )
    for male, female in (("lord", "lady"), ("lords", "ladies")):
        words[male] = Word(male, MALE, "title", female, "", male, False)
    return words, titles


def _blocks(name: str, column: str) -> dict[str, tuple[Block, ...]]:
    table: dict[str, list[Block]] = {}
    for row in _rows(name):
        before = re.compile(f"(?:{row['before']})$") if row["before"] else None
        after = re.compile(row["after"]) if row["after"] else None
        table.setdefault(row[column], []).append(Block(before, after, row.get("reason", "")))
    return {word: tuple(blocks) for word, blocks in table.items()}
