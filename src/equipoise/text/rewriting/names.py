"""First names: which tokens of a text are first names, of which sex, and their partner of the other sex.

Frequencies are those of the US Census Bureau's lists of 1990 (dist.male.first, dist.female.first); a
few men's names of today that those lists leave out, for fewer than 4 in 100,000 bore them, stand with 3.
`python -m recipes.names` makes the table.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from equipoise.text.rewriting.name_context import (
    FIRST,
    LAST,
    OPEN_FIRST,
    OPEN_OTHER,
    SEASONS,
    WORDS,
    verdicts,
)
from equipoise.text.rewriting.name_cues import NUMERALS, PARTICLES
from equipoise.text.rewriting.name_neighbours import INITIAL, POSSESSIVES, is_capital

TABLE = Path(__file__).parent / "tables" / "first_names.csv"
BOTH_FROM, BOTH_TO = 0.15, 0.85


class FirstName(NamedTuple):
    """A first name in lower case, how many of 100,000 men and women bear it, its class and its partner."""

    name: str
    male_per_100k: str
    female_per_100k: str
    partner: str
    kind: str

    @property
    def gender(self) -> str:
        """`male`, `female`, or `both` where neither sex has 85 % of the bearers."""
        men, women = int(self.male_per_100k), int(self.female_per_100k)
        female_share = women / (men + women)
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
        kinds = [entry.kind for entry in self.names.values()]
        titles = [name.title() for name in self.names]
        capitals = [name.upper() for name in self.names]
        written = [titles, capitals, *([title + ending for title in titles] for ending in POSSESSIVES[:2])]
        written += [[word + ending for word in capitals] for ending in POSSESSIVES[2:]]
        return {form: kind for forms in written for form, kind in zip(forms, kinds, strict=True)}


@lru_cache(maxsize=1)
def load_names() -> NameBook:
    """The shipped list, read once."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return NameBook({row[0]: FirstName._make(row) for row in rows})


def find_names(tokens: Sequence[str], *, candidates: Sequence[int] | None = None) -> list[int]:
    """The indexes of the tokens that are first names; tokens are words and punctuation marks in order.

    A whole document at once is best: a word that is surely a first name or surely a surname in one
    place decides the places where its context says nothing. Candidates, if given, are the indexes of
    all tokens among `load_names().classes`, for a caller who has looked them up already.
    """
    classes = load_names().classes
    hits = candidates
    if hits is None:
        hits = list(compress(range(len(tokens)), map(classes.__contains__, tokens)))
    if not hits:
        return []
    judged = verdicts(tokens, hits, classes)
    first, last = (
        {bare(tokens[index]) for index, verdict in judged.items() if verdict == sure}
        for sure in (FIRST, LAST)
    )
    first |= {  # a word that is a name in one place is one in others too
        bare(tokens[index])
        for index, verdict in judged.items()
        if verdict == OPEN_FIRST and classes[tokens[index]] in WORDS and tokens[index] not in SEASONS
    }
    return [index for index in hits if _is_first(judged[index], bare(tokens[index]), first, last)]


def _is_first(verdict: int, name: str, first: set[str], last: set[str]) -> bool:
    if verdict == OPEN_FIRST:
        return name in first or name not in last
    if verdict == OPEN_OTHER:
        return name in first and name not in last
    return verdict == FIRST


def bare(token: str) -> str:
    """The token in lower case without a possessive ending."""
    token = token.lower()
    return token[:-2] if token.endswith(POSSESSIVES) else token


@lru_cache(maxsize=20_000)
def gender_of(name: str) -> str | None:
    """The sex that a first name is given to, None if either."""
    gender = load_names().gender(bare(name))
    return gender if gender in ("male", "female") else None


def entities(tokens: Sequence[str]) -> dict[int, int]:
    """The tokens that name persons, by index, with the person's number, counted from 1 as they appear.

    A person is a first name with the names, initials and surname after it. A first name alone belongs
    to the last person mentioned by it, a surname alone to the last person who bears it; a person of
    whom the text gives no first name has no number.
    """
    starts = set(find_names(tokens))
    people = _People()
    numbers: dict[int, int] = {}
    index = 0
    while index < len(tokens):
        end = _end_of_person(tokens, index) if index in starts else index + 1
        parts = [
            bare(tokens[index]),
            *(bare(token) for token in tokens[index + 1 : end] if _is_name_part(token)),
        ]
        number = people.number_of(parts) if index in starts else people.bearer(tokens[index])
        if number:
            numbers.update(dict.fromkeys(range(index, end), number))
        index = end
    return numbers


class _People:
    """The persons met so far."""

    def __init__(self) -> None:
        self.by_first: dict[str, int] = {}
        self.by_full: dict[tuple[str, str], int] = {}
        self.by_last: dict[str, int] = {}
        self.surname: dict[int, str] = {}
        self.count = 0

    def number_of(self, parts: Sequence[str]) -> int:
        """The number of the person called by these names, a new one for a new person."""
        first, last = parts[0], parts[-1] if len(parts) > 1 else ""
        number = self.by_full.get((first, last)) if last else self.by_first.get(first)
        if number is None and self.by_first.get(first) not in self.surname:
            # mentioned before by the first name alone
            number = self.by_first.get(first)
        if number is None:
            self.count += 1
            number = self.count
        self.by_first[first] = number
        if last:
            self.surname[number] = last
            self.by_full[first, last] = self.by_last[last] = number
        return number

    def bearer(self, token: str) -> int | None:
        """The last person met who bears the surname."""
        return self.by_last.get(bare(token)) if is_capital(token) else None


def _is_name_part(token: str) -> bool:
    return is_capital(token) and len(token.rstrip(".")) > 1 and token not in NUMERALS


def _end_of_person(tokens: Sequence[str], start: int) -> int:
    """Where the capitalised words, initials and particles after a first name end."""
    end = start + 1
    while end < len(tokens) and not tokens[end - 1].endswith(POSSESSIVES):
        token, following = tokens[end], tokens[end + 1] if end + 1 < len(tokens) else ""
        dot = token == "." and INITIAL.match(tokens[end - 1]) and is_capital(following)
        capital = is_capital(token) and (token != "I" or following in {"", ".", ","})
        particle = token in PARTICLES and (is_capital(following) or following in PARTICLES)
        if not (dot or capital or particle):
            break
        end += 1
    return end
