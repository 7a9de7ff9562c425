"""The tokens around a capitalised word that may be a name, read for the rules that judge it."""

import re
from collections.abc import Sequence

from equipoise.text.languages.word_sets import word_set

SURNAME_TITLES = word_set("names: surname titles")
"""A single name after these is a surname (Mr Taylor); of two, the first is a first name (Mr John Taylor)."""
FIRST_NAME_TITLES = word_set("names: first name titles")
"""A single name after these is a first name (Sir John, Aunt Emily)."""
PLACE_PREFIXES = word_set("names: place prefixes")
"""Before a name they make a place, a ship, a storm (San Antonio, Lake Charles, HMS Victoria)."""
INSTITUTIONS = word_set("names: institutions")
"""A run of capitalised words that ends in these names something other than a person."""
SURNAMES_TOO = word_set("names: surnames too")
"""Of those, the ones that people bear as well (Doris Day, Rosa Park)."""
DOUBTFUL_NEIGHBOURS = word_set("names: doubtful neighbours")
PARTICLES = word_set("names: particles")
DETERMINERS = word_set("names: determiners")
PLACE_PREPOSITIONS = word_set("names: place prepositions")
TIMES = word_set("names: times")
"""Before a month, with another capitalised word after it too (in May John left)."""
DATES = TIMES | word_set("names: dates")
"""Before a month (by May) or another word that is seldom a name."""
KIN = word_set("names: kin")
"""Before a single name these say that it is a first name (her sister Taylor)."""
PERSON_VERBS = word_set("names: person verbs")
"""After a word that is seldom a name these say that it is one."""
SPEAKING = word_set("names: speaking")
"""Of those, the ones that say so even where a sentence begins with the word (Hope smiled)."""
REGIONS = word_set("names: regions")
"""After a comma they make the word before them a place (Charlotte, North Carolina)."""
SENTENCE_STARTERS = word_set("names: sentence starters")
"""A capital on these is the capital of a sentence's first word, not of a name."""
ROLES = word_set("names: roles")
"""Capitalised words that may stand before a first name without being part of it."""
RANKS = word_set("names: ranks")
PLACES_RULED = RANKS | word_set("names: places ruled")
"""Before `of` these make the name after it a place (Duchess of Brittany)."""
STREETS = word_set("names: streets")
"""Before a comma these say that a town follows (Duke Street, Douglas)."""
STREETS_BEFORE = word_set("names: streets before")
"""Streets that are named after the word for them (Rue Marie Curie)."""
EPITHETS = word_set("names: epithets")
"""After a name and `the` they belong to a first name (Alexander the Great)."""
MEETING = word_set("names: meeting")
"""Verbs before a name that is a place too, and that only persons are objects of."""
ADJECTIVES = word_set("names: adjectives")
"""Names that are adjectives too (his Christian faith)."""
SPANISH_TITLES = word_set("names: spanish titles")
"""First names of their own in Don Johnson, titles in Don Carlos."""
NUMERALS = word_set("names: numerals")
SENTENCE_ENDS = frozenset(".!?:;…")
PAUSES = frozenset(["—", "–", "--", "(", "["])
QUOTES = frozenset(["``", "''", '"', "“", "”", "‘", "’", "'", "`", "«", "»"])
OPENERS = QUOTES | {"(", "["}
POSSESSIVES = ("'s", "’s", "'S", "’S")
INITIAL = re.compile(r"[A-Z]\.?$|(?:[A-Z]\.){2,}$")
LOCATIVES = frozenset(["in", "at", "near", "from"])
WORDLIKE = frozenset(["word", "common", "place"])
"""The classes of names that a word for an institution may follow without being a surname."""
JUNIOR = frozenset(["Jr", "Sr"])
LONGEST_RUN = 5
LONGEST_ABBREVIATION = 5
"""Letters of a title or the beginning of a place that a full stop may belong to."""
ABBREVIATED_TITLES = frozenset(["mr", "mrs", "ms", "dr", "prof"])


UNREAD = "\0\0"
"""Stands for what has not been read of a text between, before and after its candidates."""


class UnreadError(Exception):
    """A rule looks farther than was read."""


class Neighbourhood:
    """The tokens around one candidate, read once."""

    __slots__ = (
        "after",
        "index",
        "initial",
        "kind",
        "low",
        "next",
        "place",
        "possessive",
        "precedes_capital",
        "previous",
        "token",
        "tokens",
    )

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
        self.precedes_capital = self.next[:1].isupper()
        self.place, self.previous, self.initial = self._left()
        self.low = self.previous.lower()

    def at(self, index: int) -> str:
        """The token there, or nothing outside the text."""
        if not 0 <= index < len(self.tokens):
            return ""
        token = self.tokens[index]
        if token == UNREAD:
            raise UnreadError
        return token

    def _left(self) -> tuple[int, str, bool]:
        """Where the word before stands, the word, and whether it is an initial; nothing at a start."""
        place = self.index - 1
        token = self.at(place)
        if token == "." and place:
            word = self.at(place - 1)
            if INITIAL.match(word):
                return place - 1, word, True
            abbreviated = word.lower() in SURNAME_TITLES or word.lower() in PLACE_PREFIXES
            abbreviated = abbreviated and len(word) <= LONGEST_ABBREVIATION
            return (place - 1, word, False) if abbreviated else (place, "", False)
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
            if token == "." and self.at(self.after + step - 1) in JUNIOR:
                continue
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
