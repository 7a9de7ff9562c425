"""The words that are counted: gendered words, target words by category, and words that tell a role."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from equipoise.corpora.tokens import BOUNDARY, NO_WORDS, tokens
from equipoise.data.poles import load_poles
from equipoise.data.reading import LINE, TABLES, own_table, read_table
from equipoise.data.sets.word_lists import GENERIC, PAIRS
from equipoise.errors import UserError
from equipoise.text.gendered import FEMALE, MALE

TARGETS = TABLES / "corpora" / "targets.csv"
NO_TARGET = "no target word in it"
"""Why a document is skipped where only those with a target word were asked for."""

ROLE_KINDS = ("speech", "verb", "preposition", "determiner", "function")
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Targets:
    """Target words by category, each word once in a category."""

    categories: Mapping[str, tuple[str, ...]]
    notices: tuple[str, ...] = ()

    @cached_property
    def items(self) -> list[tuple[str, str]]:
        """What is counted: (category, "") for each category, then (category, word) for each word."""
        words = [(category, word) for category, listed in self.categories.items() for word in listed]
        return [*((category, "") for category in self.categories), *words]

    def categories_of(self, word: str) -> tuple[str, ...]:
        """The categories a word in lower case stands in."""
        return self._categories.get(word, ())

    def has_any(self, text: str) -> bool:
        """Whether a text holds a target word."""
        return not self._categories.keys().isdisjoint(tokens(text))

    @cached_property
    def _categories(self) -> dict[str, tuple[str, ...]]:
        categories: dict[str, tuple[str, ...]] = {}
        for category, word in self.items:
            if word:
                categories[word] = (*categories.get(word, ()), category)
        return categories


def gendered_words() -> dict[str, str]:
    """Words that mention a woman or a man, and the gender of each.

    They are the pronouns, the pairs of `gendered-words.csv` but what is said of either gender (actor, hero),
    and the changes of `gendered-changes.csv`, which leaves out what has another sense (groom).
    """
    table = own_table(PAIRS)
    genders: dict[str, set[str]] = {}
    for gender in (MALE, FEMALE):
        for word in table.loc[table[GENERIC] != gender, gender]:
            genders.setdefault(word.strip().lower(), set()).add(gender)
    known = {word: next(iter(sides)) for word, sides in genders.items() if len(sides) == 1}
    for (pole, _), words in load_poles().words.items():
        if pole in (MALE, FEMALE):
            known |= dict.fromkeys(words, pole)
    changes = own_table("corpora/gendered-changes.csv")
    known |= dict(zip(changes["word"], changes["gender"], strict=True))
    return {word: gender for word, gender in known.items() if gender in (MALE, FEMALE)}


def load_targets(path: Path | None = None) -> Targets:
    """Target words of a file with the columns category and word; ours if none is given."""
    source = path or TARGETS
    table = read_table(source, ("category", "word"))
    categories: dict[str, dict[str, None]] = {}
    repeats = []
    for row in table.to_dict("records"):
        category, word = row["category"].strip(), row["word"].strip().lower()
        if not category or tokens(word) != [word]:
            raise UserError(
                f"{source}, line {row[LINE]}: {row['word']!r} in the category {category!r} is not one word.",
                "Give a category and a single word in each row.",
            )
        if word in categories.setdefault(category, {}):
            repeats.append(word)
        categories[category][word] = None
    notices = (f"{source.name}: repeated and counted once: {', '.join(repeats)}.",) if repeats else ()
    return Targets({name: tuple(words) for name, words in categories.items()}, notices)


class Vocabulary:
    """Numbers for all words that matter, and what each of them is; 0 stands for any other word."""

    def __init__(self, targets: Targets, genders: Mapping[str, str]) -> None:
        roles = own_table("corpora/role-words.csv")
        self.targets = targets
        known = dict.fromkeys(
            [*sorted(NO_WORDS), *genders, *(word for _, word in targets.items if word), *roles["word"]]
        )
        self.ids = {word: number for number, word in enumerate(known, start=1)}
        size = len(self.ids) + 1
        self.is_word = np.ones(size, dtype=bool)
        self.is_word[[self.ids[mark] for mark in NO_WORDS]] = False
        self.male = self._mask(word for word, gender in genders.items() if gender == MALE)
        self.female = self._mask(word for word, gender in genders.items() if gender == FEMALE)
        self.kinds = {kind: self._mask(roles["word"][roles["kind"] == kind]) for kind in ROLE_KINDS}
        self.target_starts, self.target_items = self._target_items(size)

    @property
    def boundary(self) -> int:
        """The number of what stands between two texts."""
        return self.ids[BOUNDARY]

    def mask(self, *words: str) -> NDArray[np.bool_]:
        """Which numbers stand for one of the given words."""
        return self._mask(words)

    def _mask(self, words: Iterable[str]) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.ids) + 1, dtype=bool)
        mask[[self.ids[word] for word in words if word in self.ids]] = True
        return mask

    def _target_items(self, size: int) -> tuple[Integers, Integers]:
        """Return where each number's items begin in one list of all items."""
        by_number: list[list[int]] = [[] for _ in range(size)]
        place = {item: number for number, item in enumerate(self.targets.items)}
        for category, word in self.targets.items:
            if word:
                by_number[self.ids[word]] += [place[category, ""], place[category, word]]
        starts = np.cumsum([0, *map(len, by_number)])
        return starts.astype(np.int64), np.asarray([*chain.from_iterable(by_number)], dtype=np.int64)
