"""First names: which tokens of a text are first names, of which sex, and their partner of the other sex."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from equipoise.text.rewriting.name_context import FIRST, LAST, OPEN_FIRST, OPEN_OTHER, verdicts

TABLE = Path(__file__).parent / "tables" / "first_names.csv"
POSSESSIVES = ("'s", "’s")
BOTH_FROM, BOTH_TO = 0.2, 0.8


@dataclass(frozen=True)
class FirstName:
    """A first name in lower case, how many of 100,000 men and women bear it, its class and its partner."""

    name: str
    male_per_100k: int
    female_per_100k: int
    partner: str
    kind: str

    @property
    def gender(self) -> str:
        """`male`, `female`, or `both` where neither sex has four fifths of the bearers."""
        female_share = self.female_per_100k / (self.male_per_100k + self.female_per_100k)
        if BOTH_FROM <= female_share <= BOTH_TO:
            return "both"
        return "female" if female_share > BOTH_TO else "male"


@dataclass(frozen=True)
class NameBook:
    """The first names of the US census of 1990, asked in any case; partners come back in the case asked."""

    names: Mapping[str, FirstName]

    def is_known(self, name: str) -> bool:
        """Whether the word is in the list, whatever the context says."""
        return name.lower() in self.names

    def gender(self, name: str) -> str | None:
        """`male`, `female`, `both`, or None for an unknown name."""
        entry = self.names.get(name.lower())
        return entry.gender if entry else None

    def partner(self, name: str) -> str | None:
        """The matched name of the other sex (lower, Title or UPPER like the one given), or None to stay."""
        entry = self.names.get(name.lower())
        if entry is None or not entry.partner:
            return None
        if name.islower():
            return entry.partner
        return entry.partner.upper() if name.isupper() and len(name) > 1 else entry.partner.title()

    @cached_property
    def classes(self) -> dict[str, str]:
        """Every written form that may be a name (Anna, ANNA, Anna's) with the name's class."""
        forms = {}
        for name, entry in self.names.items():
            for form in (name.title(), name.upper()):
                forms[form] = entry.kind
                for ending in POSSESSIVES:
                    forms[form + ending] = entry.kind
        return forms


@lru_cache(maxsize=1)
def load_names() -> NameBook:
    """The shipped list, read once."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return NameBook(
            {
                name: FirstName(name, int(male), int(female), partner, kind)
                for name, male, female, partner, kind in rows
            }
        )


def find_names(tokens: Sequence[str]) -> list[int]:
    """The indexes of the tokens that are first names; tokens are words and punctuation marks in order.

    A whole document at once is best: a word that is surely a first name or surely a surname in one
    place decides the places where its context says nothing.
    """
    classes = load_names().classes
    hits = [index for index, token in enumerate(tokens) if token in classes]
    if not hits:
        return []
    judged = verdicts(tokens, hits, classes)
    first, last = (
        {bare(tokens[index]) for index, verdict in judged.items() if verdict == sure} for sure in (FIRST, LAST)
    )
    return [index for index in hits if _is_first(judged[index], bare(tokens[index]), first, last)]


def _is_first(verdict: int, name: str, first: set[str], last: set[str]) -> bool:
    if verdict == OPEN_FIRST:
        return name in first or name not in last
    if verdict == OPEN_OTHER:
        return name in first and name not in last
    return verdict == FIRST


def bare(token: str) -> str:
    """The token in lower case without a possessive ending."""
    return token[:-2].lower() if token.endswith(POSSESSIVES) else token.lower()


def entities(tokens: Sequence[str]) -> dict[int, int]:
    """The token indexes that name persons, each with the person's number, counted from 1 as they appear.

    A person is a run of first names with the surname after it. A first name alone belongs to the last
    person mentioned by that first name, a surname alone to the last person who bears it.
    """
    numbers: dict[int, int] = {}
    known: dict[str, int] = {}
    surnames: dict[str, int] = {}
    count = 0
    names = set(find_names(tokens))
    index = 0
    while index < len(tokens):
        if index not in names:
            number = surnames.get(bare(tokens[index])) if tokens[index][:1].isupper() else None
            if number:
                numbers[index] = number
            index += 1
            continue
        end = _end_of_person(tokens, index, names)
        full = [bare(token) for token in tokens[index:end] if token[:1].isalpha()]
        key = " ".join(full) if len(full) > 1 else full[0]
        number = known.get(key) or _same_surname(known, full)
        if number is None:
            count += 1
            number = count
        known[key] = known[full[0]] = number
        if len(full) > 1:
            surnames[full[-1]] = number
        numbers.update(dict.fromkeys(range(index, end), number))
        index = end
    return numbers


def _same_surname(known: Mapping[str, int], full: list[str]) -> int | None:
    return None


def _end_of_person(tokens: Sequence[str], start: int, names: set[int]) -> int:
    return start + 1
