"""The tables of the rewriter, read once: gendered pairs, blocked senses, definitional and foreign words."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from equipoise.text.gendered import FEMALE, MALE

TABLES = Path(__file__).parents[1] / "tables"
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
    together: bool = False
    """Whether it says a sex only near its partner: the lion beside a lioness, the bull beside a cow."""


class Block(NamedTuple):
    """A context in which a word of a pair is not gendered."""

    before: re.Pattern[str] | None
    after: re.Pattern[str] | None
    reason: str

    def holds(self, left: str, right: str) -> bool:
        """Whether the text on both sides is such a context."""
        if self.after and not self.after.match(right):
            return False
        return not (self.before and not self.before.search(left))


_ANYTHING = " xx xx"
"""What an `after` that matches says next to nothing with: such a block is known by its `before`."""


class Blocks:
    """All blocked contexts of a word; one search tells the common case, in which none holds."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)
        asked_after = [b for b in blocks if b.after and not (b.before and b.after.match(_ANYTHING))]
        self._before = _union([b.before.pattern for b in blocks if b.before and b not in asked_after])
        self._after = _union([b.after.pattern for b in asked_after if b.after])
        self._always = any(b.before is None and b.after is None for b in blocks)

    def reason(self, left: str, right: str) -> str | None:
        """Why the word is not gendered here; None if it is one."""
        near = left[-NEAR:]
        may_hold = self._always or (self._after and self._after.match(right))
        if not may_hold and not (self._before and self._before.search(near)):
            return None
        return next((block.reason for block in self.blocks if block.holds(near, right)), None)


NEAR = 28
"""Characters before a word that a blocked context may look at."""


def _union(patterns: Sequence[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns)) if patterns else None


@dataclass(frozen=True)
class Lexicon:
    """Everything the rules look up by a word in lower case."""

    words: Mapping[str, Word]
    titles: Mapping[str, str]
    blocks: Mapping[str, Blocks]
    definitional: Mapping[str, Blocks]
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
            way = row["way"]
            if way in ("both", "together") or (way == "f>m") == (side == FEMALE):
                facts = side, row["kind"], partner, row["neutral"], row["male"], way != "both"
                words.setdefault(word, Word(word, *facts, way == "together"))
    for male, female in (("lord", "lady"), ("lords", "ladies")):
        words[male] = Word(male, MALE, "title", female, "", male, False)
    return words, titles


def _blocks(name: str, column: str) -> dict[str, Blocks]:
    table: dict[str, list[Block]] = {}
    for row in _rows(name):
        before = re.compile(f"(?:{row['before']})$") if row["before"] else None
        after = re.compile(row["after"]) if row["after"] else None
        table.setdefault(row[column], []).append(Block(before, after, row.get("reason") or row["note"]))
    return {word: Blocks(blocks) for word, blocks in table.items()}
