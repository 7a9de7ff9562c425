"""First names that stay: they belong to a place, a firm, a ship, the title of a work, a shop or a phrase."""

import re

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import load_names, without_ending
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.scanning import Hit
from equipoise.text.rewriting.find.works import _PLACE_NEXT, _PLACES, follows_media, in_title_of_work

_REACH = 24
"""Characters on either side in which a phrase may begin and end."""
_PHRASE = re.compile(r"\b" + any_of("phrases with names") + r"\b")
WORDS_OF_PHRASES = frozenset(
    word for phrase in word_set("phrases with names") for word in re.findall(r"\w+", phrase)
)
SHOPS = word_set("shops in 's")
_VISITED = re.compile(
    r"\b" + any_of("before a shop") + r" (?:the |a |an |my |our |your |\w+ by )?$", re.IGNORECASE
)
_NOTHING_OWNED = re.compile(
    r"['’]s(?:$|[.,;:!?)\"”—–]| (?:" + any_of("after a shop") + r"|[A-Z]\w+ (?:Day|Parade)|Inc|Corp)\b)"
)
_SOLD = re.compile(r"['’]s (?:\w+ ){0,2}" + any_of("of a shop") + r"\b")


def _in_phrase(plain: str, hit: Hit) -> bool:
    """Whether a phrase covers the name."""
    begin = max(0, hit.start - _REACH)
    spans = (match.span() for match in _PHRASE.finditer(plain, begin, hit.end + _REACH))
    return any(start <= hit.start < end for start, end in spans)


def _is_shop(document: Document, start: int, end: int) -> bool:
    """Whether a name in 's owns nothing where a shop would stand, or sells something."""
    right = document.right(end)
    if _SOLD.match(right):
        return True
    return _NOTHING_OWNED.match(right) is not None and _VISITED.search(document.left(start)) is not None


def follows_lord(left: str) -> bool:
    """Whether Lord or Lady stands before: only a first name with a surname after it is one then."""
    return left.endswith(("Lord ", "Lady "))


_COUPLE = re.compile(r"(?:^|[^\w ] ?|(?<=[a-z]) )([A-Z][a-z]+) & ([A-Z][a-z]+)(?! [A-Z]|['’]|\w)")
_NAMESAKES = word_set("pairs with an ampersand")


def _is_couple(around: str) -> bool:
    """Whether two first names are joined by an ampersand and nothing makes them a firm: Lisa & Tom."""
    couple = _COUPLE.search(around)
    if couple is None or f"{couple[1]} & {couple[2]}" in _NAMESAKES:
        return False
    kinds = load_names().classes
    return kinds.get(couple[1]) == kinds.get(couple[2]) == "plain"


_CAPITAL_NEXT = re.compile(r" [A-Z]")
_NAMED_NEXT = re.compile(r"(?:['’]s)? [A-Z]")
_PERSON_NEXT = re.compile(r" [A-Z]\w+(?: (?:and|was|is|had|who|has)\b|[,.;])")


def name_reason(document: Document, hit: Hit) -> str | None:
    """Why a first name stays: it belongs to a place, an institution or the title of a work."""
    left, right = document.left(hit.start), document.right(hit.end)
    if follows_lord(left) and not _CAPITAL_NEXT.match(right):
        return "surname after a title"
    joined = right.startswith(" & ") or left.endswith(" & ")
    if joined and not _is_couple(left[-20:] + document.plain[hit.start : hit.end + 20]):
        return "name of a firm or a work"
    previous = left.rfind(" ", 0, -1) + 1
    before = None
    if left[-1:] == " " and not left[previous:].islower():
        if _follows_blocked(document, hit, left):
            return "set phrase with a title"
        if _ABOARD.search(left):
            return "name of a ship"
        before = _WORD_BEFORE.search(left, previous)
    name = without_ending(hit.part.surface)
    first = name in _FIRST_OF_FIRMS or hit.part.surface in _FIRST_OF_FIRMS
    if (first and _FIRM.match(document.plain, hit.start)) or (
        before and _FIRM.match(document.plain, hit.start - len(before[0]))
    ):
        return "name of a firm or a thing"
    if name in WORDS_OF_PHRASES and _in_phrase(document.plain, hit):
        return "set phrase with a name"
    if name in SHOPS and _is_shop(document, hit.start, hit.start + len(name)):
        return "name of a shop"
    if _NAMED_NEXT.match(right):
        beyond = right[2:] if right[:1] in "'’" else right
        if beyond is right and _PLACE_OR_SURNAME.match(right) and not _WHERE.search(left):
            return "title of a work" if in_title_of_work(document, hit) else None
        if _PLACE_NEXT.match(beyond) or _is_in_place(beyond[1:]) or _is_in_place("A" + beyond):
            return "place or institution"
        if follows_media(left) and not _PERSON_NEXT.match(right):
            return "title of a work"
    return "title of a work" if in_title_of_work(document, hit) else None


_AND_ANOTHER = re.compile(r" and ([A-Z][a-z]+) ")


def _is_in_place(text: str) -> bool:
    """Whether a place is named, and not two persons of whom one is called Green or Hill."""
    place = _PLACES.match(text)
    another = _AND_ANOTHER.search(place[0]) if place else None
    return place is not None and not (another and load_names().is_known(another[1]))


_PLACE_OR_SURNAME = re.compile(
    " " + any_of("places or surnames") + r"\b(?! [A-Z&]| (?:in|near|at) [A-Z]|, [A-Z]\w+[.,;])"
)
_WHERE = re.compile(
    r"\b"
    + any_of("before a place")
    + r" (?:[A-Z]\w+ )?$|\b(?:Lady|Queen|King|Prince|Princess|Saint|St\.?) $",
    re.I,
)
_FIRM = re.compile(any_of("things named after persons") + r"\b(?! (?:himself|herself|was born|said)\b)")
_FIRST_OF_FIRMS = frozenset(phrase.split()[0] for phrase in word_set("things named after persons"))
_WORD_BEFORE = re.compile(r"[A-Z][a-z]+(?:['’]s)? $")
_ABOARD = re.compile(r"\b" + any_of("ships") + r"(?: [A-Z]\w+)? $")
_TITLE_BEFORE = re.compile(r"\b([A-Z][a-z]+) $")


def _follows_blocked(document: Document, hit: Hit, left: str) -> bool:
    """Whether title and name together are a set phrase (Uncle Sam, Mother Teresa), which stays whole."""
    before = _TITLE_BEFORE.search(left, left.rfind(" ", 0, -1) + 1) if left[-1:] == " " else None
    title = load_lexicon().words.get(before[1].lower()) if before else None
    blocks = load_lexicon().blocks.get(title.pair) if title else None
    if before is None or blocks is None:
        return False
    return blocks.reason(left[: before.start()], document.right(hit.start - 1)) is not None
