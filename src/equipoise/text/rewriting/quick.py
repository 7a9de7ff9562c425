"""The quick ways: words around which nothing special stands, for which the full rules would say the same.

Each gives the change, or None where the full rules must be asked.
"""

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.forms import END, choice_of
from equipoise.text.rewriting.lexicon import NEAR, REACH
from equipoise.text.rewriting.scanning import Hit, Part, Surroundings
from equipoise.text.rewriting.senses import has_object

SENTENCE_BREAKS = frozenset([". ", "! ", "? ", "; ", ": ", ' "', " “", " ‘", "“", '"', ""])
_OPEN_BEFORE = frozenset("/()-_*[")
_SAFE_AFTER = frozenset(" .;!?:…—’'\"”")
_MAY_COORDINATE = frozenset([" or", " an"])
_OPEN_AFTER = frozenset([" /", " ("])
_MAY_JOIN_LEFT = frozenset("/()-")
_APOSTROPHES = frozenset("'’")
_make = tuple.__new__


def stands_alone(plain: str, start: int, end: int, part: Part) -> bool:
    """Whether a pronoun is surely neither coordinated nor part of a title."""
    before = plain[start - 2 : start] if start > 1 else plain[:start]
    if _may_go_on(plain, end):
        return False
    if before == "r " or before == "/ " or before[-1:] in _OPEN_BEFORE:
        return False
    if part.surface.islower():
        return True
    return before in SENTENCE_BREAKS and plain[end + 1 : end + 2].islower()


def _may_go_on(plain: str, end: int) -> bool:
    """Whether a partner may follow: or she, (or her), /her, and hers."""
    after = plain[end : end + 3]
    if after[:1] == ",":
        after = plain[end + 1 : end + 4]
        return after[:1] != " " or after in _MAY_COORDINATE or after[:2] in _OPEN_AFTER
    return after[:1] not in _SAFE_AFTER or after in _MAY_COORDINATE or after[:2] in _OPEN_AFTER


def form_change(plain: str, chunks: list[str], hit: Hit, around: Surroundings) -> Change | None:
    """The change of "her" or "his" in lower case that is surely not coordinated."""
    start, end, part, _ = hit
    before = plain[start - 2 : start] if start > 1 else plain[:start]
    if _may_go_on(plain, end):
        return None
    if before == "r " or before == "/ " or before[-1:] in _MAY_JOIN_LEFT:
        return None
    word = part.surface
    if word == "his" and "hers" in plain[max(0, start - 9) : end + 9].lower():
        return None
    left, right = around.of(chunks, hit)
    if right[-1] == END and word == "her" and not right[0][:1].isalnum():
        return None
    form, margin, rule = choice_of(word, left, right)
    return _make(Change, (start, end, word, form, "pronoun: " + rule, margin, False))


def noun_change(plain: str, hit: Hit) -> Change | None:
    """The change of a noun in lower case that is in no blocked context, no verb and no possessive."""
    start, end, part, _ = hit
    if plain[end : end + 1] in _APOSTROPHES or (part.may_be_verb and has_object(plain, end)):
        return None
    near = plain[start - NEAR : start] if start > NEAR else plain[:start]
    if part.blocks is not None and part.blocks.reason(near, plain[end : end + REACH]):
        return None
    kind = part.word.kind if part.word else ""
    return _make(Change, (start, end, part.surface, part.turned, kind, None, False))
