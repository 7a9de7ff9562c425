"""Surnames that stand without a first name: Mr. Smith, Poirot said, the Joneses' neighbour Baker.

A word counts as a surname in the whole document once some place says so: a title before it, what only
persons do after it, or the list of the US census of 1990 (`surnames.csv`) where nothing speaks against it.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.first_names import bare, listed_surnames, load_names
from equipoise.text.rewriting.find.ordinary import is_ordinary
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
PRONOUNS = frozenset(["he", "she", "him", "her", "his", "himself", "herself", "who", "whose"])
AFTER_SUBJECTS = PERSON_VERBS | {"also", "then", "and"}
FARTHEST_PRONOUN = 25


class Surnames(NamedTuple):
    """The positions of words that are surnames, and of those that may be."""

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
    if _opens_full_name(near):
        return SURE
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
    rare = bare(near.token) in listed_surnames(0) and not is_ordinary(near.token)
    if inside and (listed or rare):
        return SURE if near.low not in WHERE else LIKELY
    told = near.next in PERSON_VERBS or near.possessive
    subject = (near.starts and near.next in AFTER_SUBJECTS) or (inside and told)
    if subject and near.token[1:].islower() and not is_ordinary(near.token) and _is_spoken_of(near):
        return SURE
    return LIKELY if listed or inside or told else 0


def _is_spoken_of(near: Neighbourhood) -> bool:
    """Whether a personal pronoun follows."""
    return any(near.at(near.after + step).lower() in PRONOUNS for step in range(FARTHEST_PRONOUN))


def _opens_full_name(near: Neighbourhood) -> bool:
    """Whether a word that no table has stands before a surname, as a first name would: Xanfro Brown."""
    last = bare(near.next)
    if near.possessive or is_capital(near.previous) or not is_capital(near.next) or last in NO_SURNAMES:
        return False
    surname = last in listed_surnames() or (near.low != "the" and last in listed_surnames(0))
    known = load_names().classes.get(near.token) == "plain"
    return (
        surname
        and (known or near.low != "the")
        and near.low not in WHERE
        and not is_ordinary(near.token)
        and not near.institution_follows()
    )


def _is_listed_place(near: Neighbourhood) -> bool:
    """Near Moseley, Birmingham, and the University of Waterloo."""
    before = near.at(near.place - 1)
    if near.low == "of":
        return is_capital(before) and before.lower() not in TITLES
    closed = near.next in {",", ".", ")", ";", ""} and not near.possessive
    return near.previous == "," and is_capital(before) and closed


def _is_thing(near: Neighbourhood) -> bool:
    """The Smith, New Hartford, Baker Street: part of another name."""
    if near.low == "the" and _opens_full_name(near):  # the Agatha Christie novel
        return False
    if near.low in DETERMINERS or near.low in PLACE_PREFIXES or near.institution_follows():
        return True
    if is_capital(near.next) and not near.possessive and near.next.lower() in NO_SURNAMES:
        return near.next.lower() not in SENTENCE_STARTERS
    return (
        is_capital(near.previous) and near.low in NO_SURNAMES and near.low not in TITLES | SENTENCE_STARTERS
    )
