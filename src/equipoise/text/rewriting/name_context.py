"""What the neighbours of a capitalised word say about it: a first name, a surname, something else.

A rule asks for the class of a name (plain, also a word, also a surname, also a place), never for the
name itself: a name and its partner, which share a class, are judged alike.
"""

import re
from collections.abc import Mapping, Sequence

from equipoise.text.rewriting.name_cues import (
    DATE_WORDS,
    DETERMINERS,
    DOUBTFUL_NEIGHBOURS,
    FIRST_NAME_TITLES,
    INSTITUTIONS,
    KIN,
    NUMERALS,
    PARTICLES,
    PERSON_VERBS,
    PLACE_PREFIXES,
    PLACE_PREPOSITIONS,
    REGIONS,
    ROLES,
    SENTENCE_STARTERS,
    SURNAME_TITLES,
    SURNAMES_TOO,
)

FIRST, LAST, OTHER, OPEN_FIRST, OPEN_OTHER = range(5)
"""Surely a first name, a surname, neither; or open, to be decided by the rest of the document."""

SENTENCE_ENDS = frozenset(".!?:;…")
QUOTES = frozenset(["``", "''", '"', "“", "”", "‘", "’", "'", "`", "«", "»"])
OPENERS = QUOTES | {"(", "["}
POSSESSIVES = ("'s", "’s")
HYPHENS = frozenset("-‐‑")
INITIAL = re.compile(r"[A-Z]\.?$|(?:[A-Z]\.){2,}$")
LONGEST_RUN = 5


class Neighbourhood:
    """The tokens around one candidate, read once."""

    def __init__(self, tokens: Sequence[str], index: int, kind: str) -> None:
        self.tokens = tokens
        self.index = index
        self.kind = kind
        self.possessive = tokens[index].endswith(POSSESSIVES)
        after = index + 1
        if not self.possessive and self.at(after) in POSSESSIVES:
            self.possessive, after = True, after + 1
        self.after = after
        self.next = self.at(after)
        self.place, self.previous, self.initial = self._left()
        self.low = self.previous.lower()

    def at(self, index: int) -> str:
        """The token there, or nothing outside the text."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else ""

    def _left(self) -> tuple[int, str, bool]:
        """Where the word before stands, the word, and whether it is an initial; nothing at a start."""
        place = self.index - 1
        token = self.at(place)
        if token == "." and place:
            word = self.at(place - 1)
            if INITIAL.match(word):
                return place - 1, word, True
            abbreviated = word.lower() in SURNAME_TITLES or word.lower() in PLACE_PREFIXES
            return (place - 1, word, False) if abbreviated and len(word) < 6 else (place, "", False)
        if token in SENTENCE_ENDS or not token:
            return place, "", False
        if token[-1] == "." and len(token) > 1:
            initial = bool(INITIAL.match(token))
            return place, token[:-1], initial
        initial = len(token) == 1 and token.isupper() and token not in "IA"
        return place, token, initial

    @property
    def starts(self) -> bool:
        """Whether the candidate opens a sentence."""
        return not self.previous or (self.previous in OPENERS and self.starts_at(self.index - 1))

    def starts_at(self, index: int) -> bool:
        """Whether the token there opens a sentence."""
        before = self.at(index - 1)
        return not before or before in SENTENCE_ENDS or (before in QUOTES and self.at(index - 2) in SENTENCE_ENDS)

    @property
    def surname_follows(self) -> bool:
        """Whether what follows looks like the rest of a person's name."""
        if self.possessive:
            return False
        following = self.next
        if is_capital(following):
            return True
        if following in PARTICLES:
            return is_capital(self.at(self.after + 1)) or self.at(self.after + 1) in PARTICLES
        if following in QUOTES or following == "(":
            # a nickname between first name and surname
            return is_capital(self.at(self.after + 1)) and any(
                self.at(self.after + step) in QUOTES | {")"} and is_capital(self.at(self.after + step + 1))
                for step in (2, 3)
            )
        return False

    def institution_follows(self) -> bool:
        """Whether the run of capitalised words to the right ends in a word for a place or institution."""
        if self.possessive:
            return False
        for step in range(LONGEST_RUN):
            token = self.at(self.after + step)
            if not is_capital(token):
                return False
            word = token.lower()
            if word in DOUBTFUL_NEIGHBOURS:
                return self.kind != "plain" or self.low in DETERMINERS or self.low in {"at", "in", "near"}
            if word in INSTITUTIONS:
                doubtful = word in SURNAMES_TOO and not is_capital(self.at(self.after + step + 1))
                return not doubtful or (self.kind != "plain" and step == 0 and word != "day")
        return False


def is_capital(token: str) -> bool:
    """Whether the token is a word that begins with a capital letter."""
    return token[:1].isupper()


def verdicts(tokens: Sequence[str], hits: Sequence[int], classes: Mapping[str, str]) -> dict[int, int]:
    """A verdict for each candidate, from left to right: a surname is known by the first name before it."""
    judged: dict[int, int] = {}
    for index in hits:
        judged[index] = judge(Neighbourhood(tokens, index, classes[tokens[index]]), judged, classes)
    return judged


def judge(near: Neighbourhood, judged: Mapping[int, int], classes: Mapping[str, str]) -> int:
    """The verdict on one candidate."""
    if near.previous in HYPHENS and is_capital(near.at(near.index - 2)):
        return LAST if judged.get(near.index - 2) == LAST else OTHER
    if near.next in HYPHENS and is_capital(near.at(near.after + 1)):
        return OTHER
    if near.institution_follows():
        return OTHER
    if near.initial:
        return after_initial(near)
    if near.low in PARTICLES and (near.previous.islower() or is_capital(near.at(near.place - 1))):
        return LAST
    if is_capital(near.previous):
        verdict = after_capital(near, judged)
        if verdict is not None:
            return verdict
    return before_surname(near, classes) if near.surname_follows else alone(near, judged)


def after_initial(near: Neighbourhood) -> int:
    """J. Edgar Hoover, but John F. Kennedy and J. Taylor."""
    before = near.at(near.place - 1)
    if is_capital(before) and not near.starts_at(near.place) and before.lower() not in SENTENCE_STARTERS:
        return LAST
    return FIRST if near.surname_follows else LAST


def after_capital(near: Neighbourhood, judged: Mapping[int, int]) -> int | None:
    """Titles, parts of names and of places before the candidate; None where the capital means nothing."""
    low = near.low
    opens = near.starts_at(near.place)
    if opens and low in SENTENCE_STARTERS:
        return None
    if low in SURNAME_TITLES:
        return FIRST if near.surname_follows or (low == "lady" and near.kind == "plain") else LAST
    if low in FIRST_NAME_TITLES:
        return OPEN_OTHER if near.kind == "surname" and not near.surname_follows else FIRST
    if low in PLACE_PREFIXES:
        return OTHER
    if judged.get(near.place) == FIRST:
        return FIRST if near.surname_follows and near.kind == "plain" else LAST
    if low in ROLES or (opens and low.endswith(("ly", "ing"))):
        return None
    return FIRST if near.surname_follows and near.kind == "plain" else LAST


def before_surname(near: Neighbourhood, classes: Mapping[str, str]) -> int:
    """The candidate has a capitalised word after it: a whole name, unless it is a word, place or title."""
    if near.kind == "plain":
        return FIRST
    if near.low in DETERMINERS:
        return OTHER
    if near.next in NUMERALS or near.kind == "surname":
        return FIRST
    if near.kind == "place":
        return OTHER if near.low in {"in", "at", "near", "from"} else FIRST
    question = classes.get(near.next) == "plain" and not is_capital(near.at(near.after + 1))
    return OTHER if near.starts and question else FIRST


def alone(near: Neighbourhood, judged: Mapping[int, int]) -> int:
    """The candidate stands by itself: its class and the words around it decide, or the rest of the document."""
    if near.low in DETERMINERS:
        return OTHER
    if near.next == "," and near.at(near.after + 1).lower() in REGIONS and near.low in PLACE_PREPOSITIONS:
        return OTHER
    if near.kind == "plain":
        return OPEN_FIRST
    if near.kind == "word" and is_date(near):
        return OTHER
    if near.low in KIN or (near.previous == "," and near.at(near.place - 1).lower() in KIN):
        return FIRST
    return ambiguous(near, judged)


def is_date(near: Neighbourhood) -> bool:
    """In May, 5 June, April 1912: the same for every name that is also a word."""
    number = near.next[:1].isdigit() or (near.next == "," and near.at(near.after + 1)[:1].isdigit())
    return number or near.previous[:1].isdigit() or near.low in DATE_WORDS


def ambiguous(near: Neighbourhood, judged: Mapping[int, int]) -> int:
    """A word, place or surname that stands alone."""
    in_list = near.low in {"and", ",", "&", "or"} and judged.get(near.place - 1) in (FIRST, OPEN_FIRST)
    if near.kind == "surname":
        return OPEN_FIRST if in_list else OPEN_OTHER
    if near.kind == "place":
        person = near.next in PERSON_VERBS or in_list
        return OPEN_FIRST if person and near.low not in PLACE_PREPOSITIONS else OPEN_OTHER
    if near.starts and not near.possessive and near.next not in PERSON_VERBS:
        return OPEN_OTHER
    return OPEN_FIRST
