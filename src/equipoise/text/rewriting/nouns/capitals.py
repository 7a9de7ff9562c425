"""Capitalised words: titles before names turn, titles of works, names of places, bands and firms stay."""

import re

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.find.lexicon import Word
from equipoise.text.rewriting.find.scanning import Hit
from equipoise.text.rewriting.find.works import (
    CLERICS,
    COURTESY,
    NEXT_NAME,
    RANKS,
    in_title_of_work,
    names_place,
    names_place_by_person,
    work_reason,
)

_BEFORE_SURNAMES = word_set("before a surname only")
_SHIPS = word_set("ships")
_SURNAMES = word_set("also surnames")
_HONOURS = re.compile(" " + any_of("honours") + r"\b")
_NEXT_CAPITAL = re.compile(r"(?:['’]s?)?[ -](?:&|[A-ZÀ-Þ][\w'’.]*)")
_NEXT_OF = re.compile(r",? (?:of|dowager of|consort of) (?:the )?[A-ZÀ-Þ]")
_LINKED_RIGHT = re.compile(
    r"(?:['’]s)? (?:in|of|on|with|and|&|for|from|who|to|at|by|the) (?:the |a |an )?[A-Z]"
)
_PREVIOUS = re.compile(r"([\w'’.&-]+)([ -])$")
_LINKED_LEFT = re.compile(r"([A-Z][\w'’]*),? (?:(?:for|of|and|to|with|in|on|the|a|an|&|by) ){1,3}$")
_EDUCATION = re.compile(r"\b" + any_of("schools") + " (?:for|of) (?:[A-Z][a-z]+ )?$")
_SCHOOL_NEXT = re.compile(
    r"['’]?s? (?:and [A-Z]\w+['’]?s? )?(?:\w+ ){0,3}?(?:" + any_of("schools and sports") + r"|U-?\d+)\b"
)
_OF_THE_YEAR = re.compile(
    r" of the (?:Year|Match|Month|Week|Century|Decade|Series|Tournament|Season|Moment|World)\b"
)
_FREE_BEFORE = word_set("before a title")
_FREE_AT_START = word_set("before a title at a start")
_NATIONAL = word_set("nationalities")


def capital_reason(document: Document, hit: Hit) -> str | None:
    """Why a capitalised word is part of a name or the title of a work, or None if it is not."""
    word = hit.part.word
    assert word is not None
    reason = work_reason(document, hit)
    if reason is not None:
        return reason or None
    left, right = document.left(hit.start), document.right(hit.end)
    starts = document.begins_sentence(hit.start)
    before = _word_before(document, hit, left) if not starts else ""
    if word.kind == "kinship" and word.text.endswith("s") and _is_joined(left, right):
        return "title of a work"
    if word.kind in RANKS or word.text in CLERICS:
        royal = before == "The" and left.endswith(("HM The ", "HRH The "))
        return _rank(word, "the" if royal else before, starts=starts, right=right)
    return _common(word, before, starts=starts, context=(left, right))


def _word_before(document: Document, hit: Hit, left: str) -> str:
    """The word before, in lower case where its capital only says that a sentence begins."""
    previous = _PREVIOUS.search(left, left.rfind(" ", 0, -1) + 1)
    if previous is None:
        return ""
    word = previous[1]
    begins = word.lower() in _FREE_AT_START and document.begins_sentence(hit.start - len(previous[0]))
    return word.lower() if begins else word


def title_reason(document: Document, hit: Hit) -> str | None:
    """Why a title before a name stays: it belongs to a place or to the title of a work."""
    if in_title_of_work(document, hit):
        return "title of a work"
    return "place or institution" if names_place(document.right(hit.end)) else None


_AND_CAPITAL = re.compile(r" and [A-ZÀ-Þ][a-z]")
_CAPITAL_AND = re.compile(r"\b[A-ZÀ-Þ][a-z]+s and $")


def _is_joined(left: str, right: str) -> bool:
    """Whether `and` stands between the word and another with a capital: Sons and Lovers."""
    return bool(_AND_CAPITAL.match(right) or _CAPITAL_AND.search(left))


_YOUNGER = re.compile(r",? (?:Jr|Sr|I{2,3}|IV)\b")
_FIRM_NEXT = re.compile(r"(?:['’]s)?,? (?:&|and) (?:Co|Company|Partners|Associates)\b")


def _rank(word: Word, before: str, *, starts: bool, right: str) -> str | None:
    """Titles and kin: King Henry turns, Stephen King and King Street stay."""
    if names_place_by_person(right) if word.text in COURTESY else names_place(right):
        return "place or institution"
    if before == "The" and not starts and re.match(r"(?:['’]s)? (?:and|of) (?:the|her|his|[A-Z])", right):
        return "title of a work"
    if before.lower() == "the" and re.match(r"['’]s [A-Z][a-z]+ [A-Z]", right):
        return "title of a work"
    if before in _SHIPS:
        return "name of a ship"
    if before.strip(".") in _BEFORE_SURNAMES and word.text in _SURNAMES and not NEXT_NAME.match(right):
        return "surname or name"
    free = not before or before.lower().strip(".") in _FREE_BEFORE or before.islower()
    capital_before = before[:1].isupper() and not free and before not in _NATIONAL
    if _YOUNGER.match(right):
        return "surname" if capital_before else None
    if _FIRM_NEXT.match(right):
        return "name of a firm"
    if NEXT_NAME.match(right):
        follows_name = word.text in _SURNAMES and load_names().is_known(before)
        return "surname or name" if capital_before and word.kind != "title" and follows_name else None
    if _NEXT_OF.match(right):
        return None
    if capital_before and word.kind != "title":
        return "surname or name"
    if word.text not in _SURNAMES or word.kind == "title":
        return None
    if re.match(rf" (?:or|and) {word.partner}\b", right):
        return None
    if re.match(r" (?:consort|regent|regnant|dowager|mother)\b", right):
        return None
    if re.match(r" and (?:Parliament|[Cc]ountry|Council|Court)\b", right):
        return None
    bare = (starts and re.match(r"(?:['’]s)? [a-z]", right)) or before in _NAME_POSITION
    return "surname or name" if bare else None


_NAME_POSITION = word_set("before a surname")


def _common(word: Word, before: str, *, starts: bool, context: tuple[str, str]) -> str | None:
    """Other nouns: Beach Boys, Iron Man and Men in Black stay; Best Female and School for Girls turn."""
    left, right = context
    if word.text in ("male", "female", "actor", "actress", "actors", "actresses") or word.text.endswith(
        ("spokesman", "chairman", "chairwoman", "congressman", "congresswoman", "spokeswoman")
    ):
        return None
    if word.text in _SURNAMES_TOO and not _DETERMINED.search(left):
        return "surname or name"
    if _OF_THE_YEAR.match(right) or _EDUCATION.search(left):
        return None
    if word.text in _SCHOOLED and _SCHOOL_NEXT.match(right):
        return None
    free = before.lower() in _FREE_BEFORE or before.islower()
    if before and not free and before[:1].isupper() and before not in _NATIONAL:
        return "name or title of a work"
    if _NEXT_CAPITAL.match(right) and word.kind != "role":
        return "name or title of a work"
    if starts:
        return None
    if _LINKED_LEFT.search(left) and not re.search(r"\b(?:[Tt]he|[Mm]y|an?|his|her|our) $", left):
        return "name or title of a work"
    return "name or title of a work" if _LINKED_RIGHT.match(right) and word.kind != "role" else None


_SURNAMES_TOO = word_set("surnames too")
_DETERMINED = re.compile(
    r"\b(?:[Tt]he|[Aa]n?|[Tt]his|[Hh]is|[Hh]er|[Tt]heir|[Oo]ur|[Mm]y|[Yy]our)(?: [a-z]+)? $"
)
_SCHOOLED = frozenset(["girls", "boys", "men", "women", "ladies", "gentlemen", "boy", "girl", "man", "woman"])
