"""The tables of first names: how often men and women bear them, their class, their origin and their partner.

Frequencies in `first_names.csv` are those of the US Census Bureau's lists of 1990 (dist.male.first,
dist.female.first); a few men's names of today that those lists leave out, for fewer than 4 in 100,000 bore
them, stand with 3. Names of other countries, `world_names.csv`, are from Jörg Michael's nam_dict of 2008,
with two to the power of its levels for a frequency. `recipes.names` and `recipes.world_names` make the
tables. Names that neither has (Cuthbert, Zhihao) stand in `rare_names.csv`, by hand, in pairs of one origin.
"""

import csv
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).parents[1] / "tables"
TABLE, WORLD_TABLE = TABLES / "first_names.csv", TABLES / "world_names.csv"
RARE_TABLE = TABLES / "rare_names.csv"
BOTH_FROM, BOTH_TO = 0.15, 0.85
POSSESSIVES = ("'s", "’s", "'S", "’S")


class FirstName(NamedTuple):
    """A first name in lower case: bearers among 100,000 men and women, partner, class and origin."""

    name: str
    male_per_100k: str
    female_per_100k: str
    partner: str
    kind: str
    origin: str

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
    """First names of the US census of 1990 and of the world; partners come back in the case asked."""

    names: Mapping[str, FirstName]
    census: Sequence[FirstName] = ()
    """Those of the US census."""

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
    """The shipped lists, read once."""
    census, world = _read(TABLE), [*_read(RARE_TABLE), *_read(WORLD_TABLE)]
    names = {entry.name: entry for entry in (*world, *census)}
    plain: dict[str, FirstName] = {}
    for entry in world:
        if not entry.name.isascii() and (name := folded(entry.name)) not in names:
            plain.setdefault(name, entry)
    for name, entry in plain.items():  # Björn and Ingibjörg are also written Bjorn and Ingibjorg
        partner = folded(entry.partner)
        is_its_own = partner in plain and plain[partner].name == entry.partner
        names[name] = entry._replace(name=name, partner=partner if is_its_own else entry.partner)
    return NameBook(names, census)


_ACCENTED = map(chr, (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)))
_PLAIN_LETTERS: dict[int, str] = {
    **{ord(letter): unicodedata.normalize("NFKD", letter)[0] for letter in _ACCENTED},
    **{ord(letter): plain for letter, plain in zip("øłđıəð", "oldiad", strict=True)},
    **{ord(letter): plain for letter, plain in zip("æßœþ", ("ae", "ss", "oe", "th"), strict=True)},
    **dict.fromkeys(range(0x300, 0x370), ""),
}


def folded(name: str) -> str:
    """A name in lower case without accents."""
    return name.lower().translate(_PLAIN_LETTERS)


def _read(path: Path) -> list[FirstName]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return list(map(FirstName._make, rows))


def bare(token: str) -> str:
    """The token in lower case without a possessive ending."""
    token = token.lower()
    return token[:-2] if token.endswith(POSSESSIVES) else token


@lru_cache(maxsize=20_000)
def gender_of(name: str) -> str | None:
    """The sex that a first name is given to, None if either."""
    gender = load_names().gender(bare(name))
    return gender if gender in ("male", "female") else None


def without_ending(token: str) -> str:
    """The token without a possessive ending, in its own case."""
    return token[:-2] if token.endswith(POSSESSIVES) else token


@lru_cache(maxsize=3)
def listed_surnames(at_least: int = 1) -> frozenset[str]:
    """The surnames of the US census with so many bearers in 100,000; with 0 those of fewer than one too."""
    with (TABLES / "surnames.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if float(row["per_100k"]) >= at_least]
    return frozenset(name for row in rows for name in row["names"].split())
