"""The generic pronoun: *he* or *she* for somebody whose gender nothing in the sentence tells.

Rules on the words of one sentence. "A doctor should listen to his patients" and "everyone has his price" have
an indefinite person and, behind it, a pronoun that can only mean that person. A pronoun is not generic where
both genders are named ("his or her", "s/he"), where a woman, a man or a name stands before it ("my wife saw a
doctor about her back"), where the past tense tells of a particular person ("a doctor came in and took off his
hat"), or where the indefinite phrase says what somebody else is ("she is a doctor", "his work as a doctor").
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from equipoise.corpora.tokens import cased_tokens
from equipoise.corpora.vocabulary import gendered_words
from equipoise.data.reading import own_table

PRONOUNS = frozenset(("he", "him", "his", "himself", "she", "her", "hers", "herself"))
BOTH = re.compile(
    r"\b(?:s/he|he/she|she/he)\b|\(s\)he"
    r"|\b(?:his|him|he|himself)\s*(?:/|\bor\b|\band\b)\s*(?:hers?|she|herself)\b"
    r"|\b(?:hers?|she|herself)\s*(?:/|\bor\b|\band\b)\s*(?:his|him|he|himself)\b",
    re.IGNORECASE,
)
INDEFINITE = frozenset(
    ("everyone", "everybody", "anyone", "anybody", "someone", "somebody", "nobody", "whoever")
)
ANYBODY = INDEFINITE | {"no"}
DETERMINERS = frozenset(("a", "an", "any", "every", "each", "no", "another", "either", "neither"))
COPULAS = frozenset(
    ("is", "was", "are", "were", "am", "be", "been", "being", "become", "becomes", "became", "becoming",
     "as", "'s", "'m", "like", "remain", "remained", "called", "named")
)  # fmt: skip
BETWEEN = frozenset(
    ("also", "not", "once", "now", "just", "really", "such", "still", "only", "quite", "already", "currently")
)
ACQUAINTANCE = frozenset(("knew", "know", "met", "dated", "dating", "married", "witnessed"))
"""After these a particular person is meant, whom the writer knows."""

EMPTY_SUBJECTS = frozenset(("it", "what", "who"))
CLAUSES = frozenset(
    (".", ",", ";", ":", "—", "who", "whom", "that", "which", "if", "when", "because", "and", "but", "to")
)
"""Between a person and a pronoun these begin another clause, in which the pronoun may be the person."""

PLACE_PREPOSITIONS = frozenset(("in", "at", "from", "of", "near", "to"))
QUOTATION = frozenset('"“”')
FULL_STOPS = frozenset(".?!")
MODIFIERS = 3
FARTHEST = 30
PERSON_ENDINGS = ("ologist", "iatrist", "ician", "odontist", "therapist")


class Generic(NamedTuple):
    """The indefinite person and the pronoun, by their places among the words."""

    start: int
    end: int
    pronoun: int


def generic_pronoun(sentence: str) -> Generic | None:
    """The first generic pronoun of a sentence; places are those of its tokens."""
    cased = cased_tokens(sentence)
    words = [word.lower() for word in cased]
    if PRONOUNS.isdisjoint(words) or BOTH.search(sentence):
        return None
    for start in range(len(words)):
        end = _indefinite_person(words, start)
        if end and not _says_what_somebody_is(words, start) and not tells_gender(words[:start]):
            pronoun = _pronoun_after(words, end, across=words[start] not in ANYBODY)
            person = Generic(start, end, pronoun)
            if pronoun and not _is_story(words, person) and not _names_somebody(cased[:pronoun]):
                return person
    return None


def _is_story(words: Sequence[str], person: Generic) -> bool:
    """Whether a particular person is told of in the past tense; of anybody one speaks in the present."""
    between = words[person.end : person.pronoun]
    told = words if words[person.start] in ANYBODY else between
    return not _words_of("past").isdisjoint(told)


def _names_somebody(cased: Sequence[str]) -> bool:
    """Whether there is a name among the words, other than that of a place ("in London")."""
    return any(
        word[0].isupper() and word != "I" and before.isalpha() and before.lower() not in PLACE_PREPOSITIONS
        for before, word in pairwise(cased)
    )


def _indefinite_person(words: Sequence[str], start: int) -> int:
    """The place after an indefinite person that begins here, or 0."""
    word = words[start]
    if word in INDEFINITE:
        return start + 1
    if word == "no" and words[start + 1 : start + 2] == ["one"]:
        return start + 2
    if word not in DETERMINERS:
        return 0
    for place in range(start + 1, min(start + 2 + MODIFIERS, len(words))):
        if is_person(words[place]):
            while place + 1 < len(words) and is_person(words[place + 1]):
                place += 1
            return place + 1
        if _ends_phrase(words[place]):
            return 0
    return 0


@cache
def _words_of(*kinds: str) -> frozenset[str]:
    """The words of some kinds in the table of role words."""
    table = own_table("corpora/role-words.csv")
    return frozenset(table["word"][table["kind"].isin(kinds)])


def _ends_phrase(word: str) -> bool:
    """Whether a word cannot stand between a determiner and its noun."""
    ends = _words_of("preposition", "function", "verb", "speech")
    return not word.isalpha() or word in ends or word in PRONOUNS or word in DETERMINERS


def is_person(word: str) -> bool:
    """Whether a word in lower case names somebody of either gender by what they do or are."""
    return word in _nouns("person") or is_occupation(word)


def is_occupation(word: str) -> bool:
    """Whether a word in lower case names somebody of either gender by their work."""
    return word in _nouns("occupation") or word.endswith(PERSON_ENDINGS)


@cache
def _nouns(kind: str) -> frozenset[str]:
    """Our list, and for occupations the last words of those in the shipped tables, less gendered words."""
    table = own_table("corpora/person-nouns.csv")
    nouns = set(table["noun"][table["kind"] == kind])
    if kind == "occupation":
        for name, column in (("occupations", "profession"), ("person-professions", "profession")):
            nouns |= {title.split()[-1].lower() for title in own_table(f"{name}.csv")[column]}
    return frozenset(nouns - set(gendered_words()))


def _says_what_somebody_is(words: Sequence[str], start: int) -> bool:
    """Whether somebody else is, or was met as, the person that begins here."""
    place = start - 1
    while place >= 0 and words[place] in BETWEEN:
        place -= 1
    if place >= 0 and words[place] in ACQUAINTANCE:
        return True
    if place < 0 or words[place] not in COPULAS:
        return False
    # "Is a doctor allowed ..." asks about a doctor; "As a doctor, she ..." does not.
    return (
        words[place - 1] not in EMPTY_SUBJECTS if place else words[place] not in ("is", "was", "are", "were")
    )


def tells_gender(words: Sequence[str]) -> bool:
    """Whether a woman or a man is among the words."""
    return not _gender_words().isdisjoint(words)


@cache
def _gender_words() -> frozenset[str]:
    """Words that tell a gender."""
    return frozenset(gendered_words())


def _pronoun_after(words: Sequence[str], end: int, *, across: bool) -> int:
    """The place of the pronoun behind a person, or 0; `across` marks that end a sentence, if so wished."""
    stops = QUOTATION if across else QUOTATION | FULL_STOPS
    for place in range(end, min(end + FARTHEST, len(words))):
        if words[place] in stops:
            return 0
        if words[place] in PRONOUNS:
            told = tells_gender(words[end:place]) or _is_its_object(words, end, place)
            return 0 if told else place
    return 0


def _is_its_object(words: Sequence[str], end: int, place: int) -> bool:
    """Whether the pronoun is the object of the person's own verb, so somebody else: "everyone saw him"."""
    follows = words[place + 1] if place + 1 < len(words) else "."
    no_noun = not follows.isalpha() or follows in _words_of("preposition", "function") | DETERMINERS
    alone = words[place] == "him" or (words[place] == "her" and no_noun)
    return alone and CLAUSES.isdisjoint(words[end:place])
