"""Capitalised words that name no person: places, firms, nations, words of the language."""

import calendar
import csv
import re
from functools import cache

from equipoise.text.rewriting.find.first_names import TABLES

NATION = re.compile(r"[A-Z][a-z]{2,}(?:ese|[ei]ans|icans|ites|[lmnt]ic|ists?|ism)$")


@cache
def no_persons() -> frozenset[str]:
    """Capitalised words that name no person."""
    with (TABLES / "no_persons.csv").open(encoding="utf-8", newline="") as file:
        listed = [word for row in csv.DictReader(file) for word in row["words"].split()]
    return frozenset((*listed, *calendar.day_name, *calendar.month_name))


@cache
def ordinary_words() -> frozenset[str]:
    """English words that are not names, by the classes that tell forms of *her* apart."""
    with (TABLES / "form_classes.csv").open(encoding="utf-8", newline="") as file:
        return frozenset(word for row in csv.reader(file) for cell in row[1:] for word in cell.split())


def is_ordinary(word: str) -> bool:
    """Whether a capitalised word is an ordinary word, or the name of a nation, a place or a firm."""
    return word.lower() in ordinary_words() or word in no_persons() or NATION.match(word) is not None
