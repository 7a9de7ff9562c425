"""Capitalised words that name no person here: authors cited, orders given, prizes won."""

import re

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.names.neighbourhood import (
    DETERMINERS,
    SENTENCE_STARTERS,
    Neighbourhood,
    is_capital,
)

CONNECTIVES = frozenset(["and", ",", "&", "or"])
AFTER_VERBS = DETERMINERS | word_set("names: after verbs")
"""After a word that opens a sentence these say that it is a verb (Will he stay? Hope you are well)."""
YEAR = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?")
YEAR_ENDS = frozenset([")", ",", ";", ":", "]"])
FAMILY = word_set("names: family listed")
FARTHEST_FAMILY = 25
CITING = frozenset(["(", "[", ";", "&"])
REFERRING = frozenset(["cf", "see", "e.g", "by"])
VERBS_TOO = word_set("names: verbs too")
AWARDS, BEFORE_AWARDS = word_set("names: awards"), word_set("names: before an award")
AFTER_AWARDS = word_set("names: after an award")


def is_cited(near: Neighbourhood) -> bool:
    """Howard (1998), (Howard, 1998), Howard et al.: the surname of an author."""
    if near.next == "et" and near.at(near.after + 1) == "al":
        return True
    if YEAR.fullmatch(near.next) and near.at(near.after + 1) in YEAR_ENDS:  # (Kelly 1999; James 2001)
        return near.at(near.index - 1) in CITING or near.low in REFERRING
    if is_capital(near.previous) and near.low not in CONNECTIVES | SENTENCE_STARTERS:
        return False
    if near.next != "(" and not (near.next == "," and near.at(near.index - 1) in CITING):
        return False
    if near.at(near.after + 2) not in YEAR_ENDS or YEAR.fullmatch(near.at(near.after + 1)) is None:
        return False
    before = (near.at(near.index - step) for step in range(1, FARTHEST_FAMILY))
    return FAMILY.isdisjoint(before)  # Their children were Clara (1877) and Ernest (1880)


def is_order(near: Neighbourhood) -> bool:
    """Sue the company! Bill them: a verb that opens a sentence."""
    return near.token in VERBS_TOO and near.starts and near.next in AFTER_VERBS


def is_award(near: Neighbourhood) -> bool:
    """Her Oscar, a Tony award, won two Emmys."""
    if near.token not in AWARDS or (is_capital(near.next) and near.next not in AFTER_AWARDS):
        return False
    return near.next.lower() in AFTER_AWARDS or near.low in BEFORE_AWARDS
