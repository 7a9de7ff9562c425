"""Names that belong to no person: shops called Wendy's, and phrases such as every Tom, Dick and Harry."""

import re

from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.scanning import Hit
from equipoise.text.rewriting.word_sets import any_of, word_set

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


def thing_reason(document: Document, hit: Hit) -> str | None:
    """Why a first name is no person's here, or nothing."""
    name = hit.part.surface[:-2] if hit.part.surface[-2:-1] in "'’" else hit.part.surface
    if name in WORDS_OF_PHRASES and _in_phrase(document.plain, hit):
        return "set phrase with a name"
    if name in SHOPS and _is_shop(document, hit.start, hit.start + len(name)):
        return "name of a shop"
    return None


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
