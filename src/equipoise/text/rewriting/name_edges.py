"""What the chunks beside a first name say of it, in bits that are learned once per chunk.

A name is easy where they show that no rule for names (`name_context.py`, `capitals.py`) finds anything to
say of it, or that it is a surname after a title. Whatever is left in doubt here is put to those rules.
"""

import re

from equipoise.text.rewriting.capitals import CUES_OF_WORKS, SMALL_WORDS
from equipoise.text.rewriting.document import words_of
from equipoise.text.rewriting.lexicon import load_lexicon
from equipoise.text.rewriting.name_context import CONNECTIVES
from equipoise.text.rewriting.name_cues import (
    ADJECTIVES,
    DETERMINERS,
    DOUBTFUL_NEIGHBOURS,
    EPITHETS,
    FIRST_NAME_TITLES,
    INSTITUTIONS,
    KIN,
    PARTICLES,
    PLACE_PREFIXES,
    PLACE_PREPOSITIONS,
    PLACES_RULED,
    REGIONS,
    SENTENCE_STARTERS,
    SPANISH_TITLES,
    STREETS,
    STREETS_BEFORE,
    SURNAME_TITLES,
)
from equipoise.text.rewriting.name_neighbours import (
    ABBREVIATED_TITLES,
    INITIAL,
    JUNIOR,
    LONGEST_ABBREVIATION,
    PAUSES,
    QUOTES,
    SENTENCE_ENDS,
)
from equipoise.text.rewriting.name_titles import (
    APPEARING,
    FAMILIES,
    IN_TITLES,
    LINKS,
    OWNERS,
    PRESENTING,
    VERSUS,
    WORKS,
)
from equipoise.text.rewriting.named_things import SHOPS, WORDS_OF_PHRASES
from equipoise.text.rewriting.names import bare, load_names
from equipoise.text.rewriting.people import partner_of, without_ending
from equipoise.text.rewriting.scanning import EDGE, NAME, Part
from equipoise.text.rewriting.word_sets import word_set

# What a chunk is before a name, and before the chunk that stands there.
LEADS, LISTS, LOCATES, OF, STARTS, STARTS_SPEECH, TITLES, OPENS = (1 << number for number in range(8))
OPENS_SPEECH, NO_REALM, NO_WORK, CUE, PHRASED, JOINS, NO_KIN = (1 << number for number in range(8, 15))
# What a chunk is after a name, and after the chunk that stands there.
FOLLOWS, LINKS_ON, AND, THE, NO_SMALL_WORD, NO_OWNER = (1 << number for number in range(6))
NO_EPITHET, PHRASED_AFTER, NO_REGION, IS_FAMILY, CLOSED, NO_PLACE = (1 << number for number in range(6, 12))
# What a chunk with a name is by itself.
PLAIN, SURNAME, QUOTED, BEFORE_COMMA, BEFORE_MARK = (1 << number for number in range(5))
IN_PHRASES, INERT, HIDDEN, OWNS, BEGINS_THING = (1 << number for number in range(5, 10))

WORDS_OF_PLACES = frozenset(
    word
    for name in ("parts of places", "right after a title in a place", "places or surnames")
    for place in word_set(name)
    for word in re.findall(r"\w+", place)
)
"""Words that may belong to the name of a place after the name of a person."""
_THINGS = word_set("things named after persons")
FIRST_WORDS_OF_THINGS = frozenset(thing.split(" ")[0] for thing in _THINGS)
THINGS_ALONE = frozenset(
    re.split("[ '’]", thing)[0] for thing in _THINGS if not re.match(r"\S+ [A-Z]", thing)
)
"""Names that are things even where no capitalised word follows them."""
_KINDS = {"plain": PLAIN, "surname": SURNAME}
_OPENING_QUOTES = ('"', "“", "‘", "'")
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*")
_CAPITALISED = re.compile(r"[A-Z][a-z]+")
_CLOSING = re.compile(r"[,.!?;:…][\"”’')\]]*")
_LETTERS = re.compile(r"[a-z]*")
_JUDGED = DETERMINERS | PARTICLES | WORKS | PRESENTING | VERSUS
"""Words before a name that rules ask for, whatever else stands around it."""
_NO_FAMILIES = INSTITUTIONS | DOUBTFUL_NEIGHBOURS | ABBREVIATED_TITLES | IN_TITLES | FAMILIES
"""Capitalised words after a name that say something else of it than that they are a surname."""
_ABBREVIATED = SURNAME_TITLES | PLACE_PREFIXES
_NO_STARTERS = _JUDGED | FIRST_NAME_TITLES | STREETS_BEFORE | {"of", "in", "on", "near", "as"}


def before_name(chunk: str) -> int:
    """What a chunk is before a name."""
    if chunk == EDGE:
        return LEADS | OPENS | OPENS_SPEECH | NO_REALM | NO_WORK | NO_KIN
    tokens = words_of(chunk)
    if not tokens:
        return 0
    last = tokens[-1]
    bits = CUE if CUES_OF_WORKS.search(chunk) else 0
    bits |= NO_WORK if last.lower() not in WORKS else 0
    bits |= (PHRASED if _is_phrased(chunk) else 0) | (JOINS if chunk == "and" else 0)
    bits |= NO_KIN if last.lower() not in KIN | CONNECTIVES else 0
    if _WORD.fullmatch(last):
        return bits | _after_word(last)
    if last in SENTENCE_ENDS or last in PAUSES or last in QUOTES or last == ",":
        return bits | _after_mark(["", *tokens])
    return bits | _after_capital(chunk, tokens)


def _after_word(word: str) -> int:
    bits = 0 if word in PLACES_RULED or word in APPEARING else NO_REALM
    bits |= LOCATES if word in PLACE_PREPOSITIONS else 0
    if word in ("of", "in", "on"):
        return bits | OF | (LISTS if word != "of" else 0)
    return bits if word in _JUDGED else bits | LEADS


def _after_mark(tokens: list[str]) -> int:
    """After a mark; the token before it is empty where the chunk holds no other."""
    before, mark = tokens[-2:]
    if mark in PAUSES:
        return OPENS
    if mark == ",":
        return OPENS_SPEECH | (LEADS | LISTS if before and before.lower() not in STREETS else 0)
    if mark in QUOTES:
        opens = OPENS if before == "," or (before and before in SENTENCE_ENDS) else 0
        return opens | (LEADS | LISTS if before and before.lower() not in WORKS else 0)
    bits = OPENS | OPENS_SPEECH
    if mark != ".":
        return bits | LEADS
    if not before or INITIAL.match(before) or before in VERSUS:
        return bits
    abbreviated = before.lower() in _ABBREVIATED and len(before) <= LONGEST_ABBREVIATION
    return bits | (_title_bit(before) if abbreviated else LEADS)


def _title_bit(word: str) -> int:
    """Whether a name after a word is a surname: a title in a word of its own, perhaps with a full stop."""
    is_title = word.lower() in SURNAME_TITLES and word.lower() not in SENTENCE_STARTERS | STREETS_BEFORE
    plain = _CAPITALISED.fullmatch(word) and word != "Lady" and word not in load_names().classes
    return TITLES if is_title and plain else 0


def _after_capital(chunk: str, tokens: list[str]) -> int:
    last = tokens[-1]
    if not _CAPITALISED.fullmatch(last):
        return 0
    low = last.lower()
    known = last in load_names().classes or low in load_lexicon().words or last in FIRST_WORDS_OF_THINGS
    if low not in SENTENCE_STARTERS or low in _NO_STARTERS or known:
        return _title_bit(last)
    bits = LOCATES if low in PLACE_PREPOSITIONS else 0
    if chunk == last:
        return bits | STARTS
    return bits | STARTS_SPEECH if chunk[1:] == last and chunk[0] in _OPENING_QUOTES else 0


def after_name(chunk: str) -> int:
    """What a chunk is after a name that nothing but a blank parts from it."""
    if chunk == EDGE:
        return FOLLOWS | NO_OWNER | NO_EPITHET | NO_REGION | NO_PLACE
    first, *others = words_of(chunk) or [""]
    if not first or not chunk.startswith(first):
        return 0
    bits = (PHRASED_AFTER if _is_phrased(chunk) else 0) | (NO_REGION if first.lower() not in REGIONS else 0)
    bits |= (NO_OWNER if first not in OWNERS else 0) | (NO_EPITHET if first not in EPITHETS else 0)
    bits |= NO_PLACE if first not in WORDS_OF_PLACES else 0
    if not _WORD.fullmatch(first):
        return bits | _family_bits(chunk, first)
    if first in FAMILIES or first in VERSUS or first in PARTICLES:
        return bits
    letters = _LETTERS.match(chunk)
    bits |= NO_SMALL_WORD if letters and letters[0] not in SMALL_WORDS else 0
    if first == "the" and not others:
        return bits | THE
    if first in LINKS:
        return bits | LINKS_ON | (AND if first == "and" and not others else 0)
    return bits | FOLLOWS


def _family_bits(chunk: str, word: str) -> int:
    """Whether a capitalised word after a name can be nothing but a surname, and no first name by itself."""
    rest = chunk[len(word) :]
    if (
        not _CAPITALISED.fullmatch(word)
        or word in load_names().classes
        or (rest and not _CLOSING.fullmatch(rest))
    ):
        return 0
    special = word in WORDS_OF_PLACES or word in JUNIOR
    return 0 if special or word.lower() in _NO_FAMILIES else IS_FAMILY | (CLOSED if rest else 0)


def _is_phrased(chunk: str) -> bool:
    """Whether a chunk may belong to a set phrase with a name; `and` alone says nothing, as it ends none."""
    return chunk != "and" and not WORDS_OF_PHRASES.isdisjoint(re.findall(r"\w+", chunk))


def named(chunk: str, part: Part) -> int | None:
    """What a chunk with one candidate is if that is a name; None where the rules must be asked anyhow."""
    surface = part.surface
    if part.what != NAME:
        return None
    name = without_ending(surface)
    if partner_of(name) is None:
        return INERT
    before, after = chunk[: part.start], chunk[part.end :]
    special = surface.isupper() or bare(surface) in REGIONS or surface in ADJECTIVES or surface in JUNIOR
    if special or name in SHOPS or name in THINGS_ALONE or (before and before not in _OPENING_QUOTES):
        return None
    if after and not _CLOSING.fullmatch(after):
        return None
    bits = _KINDS.get(load_names().classes[surface], 0)
    bits |= (QUOTED if before else 0) | (IN_PHRASES if name in WORDS_OF_PHRASES else 0)
    begins = any(name == word or word.startswith((name + "'", name + "’")) for word in FIRST_WORDS_OF_THINGS)
    bits |= (OWNS if name != surface else 0) | (BEGINS_THING if begins or name in SPANISH_TITLES else 0)
    if after:
        bits |= BEFORE_COMMA if after[0] == "," else BEFORE_MARK
    return bits
