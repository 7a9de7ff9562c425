"""What the neighbours of a capitalised word say about it: a first name, a surname, something else.

A rule asks for the class of a name (plain, also a word, a common word, a surname or a place), never for the
name itself: a name and its partner, which share a class, are judged alike.
"""

import re
from collections.abc import Mapping, Sequence

from equipoise.text.rewriting.name_cues import (
    DATES,
    DETERMINERS,
    DOUBTFUL_NEIGHBOURS,
    FIRST_NAME_TITLES,
    INSTITUTIONS,
    KIN,
    PARTICLES,
    PERSON_VERBS,
    PLACE_PREFIXES,
    PLACE_PREPOSITIONS,
    REGIONS,
    ROLES,
    SENTENCE_STARTERS,
    SPANISH_TITLES,
    SURNAME_TITLES,
    SURNAMES_TOO,
    TIMES,
)

FIRST, LAST, OTHER, OPEN_FIRST, OPEN_OTHER = range(5)
"""Surely a first name, a surname, neither; or open, to be decided by the rest of the document."""

SENTENCE_ENDS = frozenset(".!?:;…")
PAUSES = frozenset(["—", "–", "--", "(", "["])
QUOTES = frozenset(["``", "''", '"', "“", "”", "‘", "’", "'", "`", "«", "»"])
OPENERS = QUOTES | {"(", "["}
POSSESSIVES = ("'s", "’s", "'S", "’S")
HYPHENS = frozenset("-‐‑")
INITIAL = re.compile(r"[A-Z]\.?$|(?:[A-Z]\.){2,}$")
LOCATIVES = frozenset(["in", "at", "near", "from"])
CONNECTIVES = frozenset(["and", ",", "&", "or"])
WORDLIKE = frozenset(["word", "common", "place"])
"""The classes of names that a word for an institution may follow without being a surname."""
SCHEDULES = frozenset(["that", "between", "following", "for", "mid", "as"])
"""Words that stand before a month as well as before a person."""
LONGEST_RUN = 5
SHORT = 3
ABBREVIATED_TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof"])


class Neighbourhood:
    """The tokens around one candidate, read once."""

    def __init__(self, tokens: Sequence[str], index: int, kind: str) -> None:
        self.tokens = tokens
        self.index = index
        self.token = tokens[index]
        self.kind = kind
        self.possessive = self.token.endswith(POSSESSIVES)
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
        if before in QUOTES:
            # speech opens after a comma, a colon or a full stop; a quoted title of a work after a word
            before = self.at(index - 2)
            return not before or before == "," or before in SENTENCE_ENDS
        return not before or before in SENTENCE_ENDS or before in PAUSES

    @property
    def surname_follows(self) -> bool:
        """Whether what follows looks like the rest of a person's name."""
        if self.possessive:
            return False
        following = self.next
        if is_capital(following):
            return following.rstrip(".").lower() not in ABBREVIATED_TITLES
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
                return self.kind in WORDLIKE or self.low in DETERMINERS or self.low in LOCATIVES
            if word in INSTITUTIONS:
                doubtful = word in SURNAMES_TOO and not is_capital(self.at(self.after + step + 1))
                return not doubtful or (self.kind in WORDLIKE and step == 0)
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
    if near.institution_follows() or of_institution(near) or shouted(near):
        return OTHER
    if near.initial:
        return after_initial(near)
    if near.low in PARTICLES and (near.previous.islower() or is_capital(near.at(near.place - 1))):
        return LAST
    if is_capital(near.previous):
        verdict = after_capital(near, judged)
        if verdict is not None:
            return verdict
    return before_surname(near, classes) if near.surname_follows else alone(near, judged, classes)


def of_institution(near: Neighbourhood) -> bool:
    """The University of Regina, the Church of Martha."""
    before = near.at(near.place - 1)
    return near.low == "of" and is_capital(before) and before.lower() in INSTITUTIONS


def shouted(near: Neighbourhood) -> bool:
    """Capitals alone say little: a short word in them is an abbreviation, a word may be shouted."""
    if not near.token.isupper():
        return False
    written_alone = not near.next.isupper() and not near.previous.isupper()
    return written_alone if near.kind != "plain" else written_alone and len(near.token) <= SHORT


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
    if low in SENTENCE_STARTERS and low not in FIRST_NAME_TITLES:
        # in the middle of a sentence such a capital belongs to the title of a work
        return None if opens or near.previous.isupper() else OTHER
    if low in SURNAME_TITLES:
        return FIRST if near.surname_follows or (low == "lady" and near.kind == "plain") else LAST
    if low == "saint" and (
        not near.surname_follows or near.at(near.place - 1).lower() in DETERMINERS | PLACE_PREPOSITIONS
    ):
        return OTHER
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
    if near.token in SPANISH_TITLES and classes.get(near.next) == "plain":
        return FIRST if is_capital(near.at(near.after + 1)) else OTHER
    if near.kind == "plain":
        return FIRST
    if near.low in DETERMINERS:
        return OTHER
    if near.kind == "surname":
        return FIRST
    if near.kind == "place":
        return OTHER if near.low in LOCATIVES else FIRST
    if near.kind == "common" and (near.low in TIMES or near.previous[:1].isdigit()):
        return OTHER
    if near.kind == "common" and near.starts:
        # Will John come? May I?
        asks = near.next == "I" or classes.get(near.next) == "plain"
        return OTHER if asks and not is_capital(near.at(near.after + 1)) else FIRST
    return FIRST


def alone(near: Neighbourhood, judged: Mapping[int, int], classes: Mapping[str, str]) -> int:
    """The candidate stands by itself: its class, the words around it or the document decide."""
    if near.low in DETERMINERS:
        return OTHER
    before = near.at(near.place - 1)
    if near.next == "," and near.at(near.after + 1).lower() in REGIONS and near.low in PLACE_PREPOSITIONS:
        return OTHER
    if near.kind == "plain":
        return OPEN_FIRST
    if near.kind in {"word", "common"} and is_counted(near):
        return OTHER
    if near.low in KIN or (near.previous == "," and before.lower() in KIN):
        return FIRST
    return ambiguous(near, in_list(near, judged, classes))


def is_counted(near: Neighbourhood) -> bool:
    """In May, 5 June, April 1912, Bill 101: a date or a number, not a person."""
    number = near.next[:1].isdigit() or (near.next == "," and near.at(near.after + 1)[:1].isdigit())
    return number or near.previous[:1].isdigit() or (near.kind == "common" and near.low in DATES)


def in_list(near: Neighbourhood, judged: Mapping[int, int], classes: Mapping[str, str]) -> bool:
    """Whether a first name is coordinated with the candidate (Anna, Taylor and Tom)."""
    if near.low in CONNECTIVES and judged.get(near.place - 1) in (FIRST, OPEN_FIRST):
        return True
    other = near.after + 1
    return (
        near.next in {"and", "&"}
        and classes.get(near.at(other)) == "plain"
        and not is_capital(near.at(other + 1))
    )


def ambiguous(near: Neighbourhood, listed: bool) -> int:
    """A word, place or surname that stands alone."""
    if near.kind == "surname":
        return OPEN_FIRST if listed else OPEN_OTHER
    person = listed or near.next in PERSON_VERBS
    if near.kind == "place":
        return OPEN_FIRST if person and near.low not in PLACE_PREPOSITIONS else OPEN_OTHER
    if near.kind == "common":
        lone = near.previous.islower() and near.low not in CONNECTIVES and near.low not in SCHEDULES
        return OPEN_FIRST if (person or lone) and not near.starts else OPEN_OTHER
    if near.starts and not near.possessive and not person:
        return OPEN_OTHER
    return OPEN_FIRST
