"""Surnames that stand without a first name: Mr. Smith, Poirot said, the Joneses' neighbour Baker.

A word counts as a surname in the whole document once some place says so: a title before it, what only
persons do after it, or the list of the US census of 1990 (`surnames.csv`) where nothing speaks against it.
"""

import csv
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import NamedTuple

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.first_names import TABLES, bare
from equipoise.text.rewriting.names.context import is_contraction
from equipoise.text.rewriting.names.neighbourhood import (
    DETERMINERS,
    FIRST_NAME_TITLES,
    INSTITUTIONS,
    KIN,
    PERSON_VERBS,
    PLACE_PREFIXES,
    REGIONS,
    ROLES,
    SENTENCE_STARTERS,
    SPEAKING,
    SURNAME_TITLES,
    SURNAMES_TOO,
    Neighbourhood,
    is_capital,
)

TITLES = SURNAME_TITLES | FIRST_NAME_TITLES
NO_SURNAMES = (
    SENTENCE_STARTERS
    | REGIONS
    | ROLES
    | TITLES
    | (INSTITUTIONS - SURNAMES_TOO)
    | {word.lower() for word in word_set("nationalities") | word_set("days and months")}
    | word_set("names: no surnames")
)
WHERE = frozenset(["in", "at", "near", "from", "to", "into", "of", "for", "around", "outside", "towards"])
LOCATED = frozenset(["in", "at", "near", "into", "around", "outside", "across", "throughout", "through"])
SHORTEST = 3
PEOPLE = ROLES | word_set("names: occupations")
BORN = frozenset(["born", "b", "née", "nee", "died"])
SURE, LIKELY = 2, 1


@cache
def listed_surnames() -> frozenset[str]:
    """The commonest surnames of the US census."""
    with (TABLES / "surnames.csv").open(encoding="utf-8", newline="") as file:
        return frozenset(name for row in csv.DictReader(file) for name in row["names"].split())


class Surnames(NamedTuple):
    """The places of words that are surnames, and of those that may be."""

    sure: frozenset[int]
    doubtful: frozenset[int]


def surnames_in(tokens: Sequence[str], starts: Collection[int]) -> Surnames:
    """The places of surnames that follow no first name."""
    candidates = [
        Neighbourhood(tokens, index, "surname")
        for index, token in enumerate(tokens)
        if index not in starts and _may_be_surname(token)
    ]
    evidence: Counter[str] = Counter()
    for near in candidates:
        evidence[bare(near.token)] += _evidence(near)
    weighed = [(near.index, evidence[bare(near.token)]) for near in candidates if not _is_thing(near)]
    sure = frozenset(index for index, weight in weighed if weight >= SURE)
    return Surnames(sure, frozenset(index for index, weight in weighed if 0 < weight < SURE))


def _may_be_surname(token: str) -> bool:
    name = bare(token)
    capital = is_capital(token) and (not token.isupper() or len(token) > SHORTEST)
    return capital and len(name) >= SHORTEST and name not in NO_SURNAMES and not is_contraction(token.lower())


def _evidence(near: Neighbourhood) -> int:
    """How much a place says that a word is the surname of a person; below 0 against it."""
    if _is_thing(near):
        return -2
    if near.low in TITLES and is_capital(near.previous):
        return 2 * SURE
    listed = bare(near.token) in listed_surnames()
    if near.low in LOCATED:
        return -LIKELY
    inside = not near.starts and not is_capital(near.previous)
    if near.next in SPEAKING and (listed or inside):
        return SURE
    if near.low in KIN and not near.starts_at(near.place):
        return SURE
    if near.low in PEOPLE and near.previous.islower():
        return SURE
    if near.next == "(" and near.at(near.after + 1) in BORN:
        return SURE
    if _is_listed_place(near):
        return -SURE
    acts = near.next.endswith("ed") and near.next.islower() and len(near.next) > SHORTEST + 1
    verb = near.next in PERSON_VERBS and near.next not in ("is", "was", "has", "'s")
    if verb or acts:
        return SURE if listed or inside else LIKELY
    if near.possessive and (near.at(near.after) in KIN or listed):
        return SURE
    if listed and inside:
        return SURE if near.low not in WHERE else LIKELY
    return LIKELY if listed or inside or near.next in PERSON_VERBS or near.possessive else 0


def _is_listed_place(near: Neighbourhood) -> bool:
    """Near Moseley, Birmingham, and the University of Waterloo."""
    before = near.at(near.place - 1)
    if near.low == "of":
        return is_capital(before) and before.lower() not in TITLES
    closed = near.next in {",", ".", ")", ";", ""} and not near.possessive
    return near.previous == "," and is_capital(before) and closed


def _is_thing(near: Neighbourhood) -> bool:
    """The Smith, New Hartford, Baker Street: part of another name."""
    if near.low in DETERMINERS or near.low in PLACE_PREFIXES or near.institution_follows():
        return True
    if is_capital(near.next) and not near.possessive and near.next.lower() in NO_SURNAMES:
        return near.next.lower() not in SENTENCE_STARTERS
    return (
        is_capital(near.previous) and near.low in NO_SURNAMES and near.low not in TITLES | SENTENCE_STARTERS
    )
