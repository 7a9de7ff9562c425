"""The quick ways: words around which nothing special stands, for which the full rules would say the same.

Each gives the change, or None where the full rules must be asked.
"""

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.forms import choice_of
from equipoise.text.rewriting.lexicon import NEAR, REACH
from equipoise.text.rewriting.owning_rules import END
from equipoise.text.rewriting.scanning import Hit, Part, Surroundings
from equipoise.text.rewriting.senses import has_object

SENTENCE_BREAKS = frozenset([". ", "! ", "? ", "; ", ": ", ' "', " “", " ‘", "“", '"', ""])
_OPEN_BEFORE = frozenset("/()-_*[")
_SAFE_AFTER = frozenset(" .;!?:…—’'\"”")
_MAY_COORDINATE = frozenset([" or ", " and"])
_BEFORE_OR = frozenset(" (/")
_OPEN_AFTER = frozenset([" /", " ("])
_MAY_JOIN_LEFT = frozenset("/()-")
_APOSTROPHES = frozenset("'’")
_make = tuple.__new__


def stands_alone(plain: str, start: int, end: int, part: Part) -> bool:
    """Whether a pronoun is surely neither coordinated nor part of a title."""
    if plain[start - 1 : start] in _OPEN_BEFORE or _follows_or(plain, start) or _may_go_on(plain, end):
        return False
    return part.surface.islower() or opens_plainly(plain, start, end)


def opens_plainly(plain: str, start: int, end: int) -> bool:
    """Whether a capitalised word stands at the start of a sentence and before a word in lower case."""
    before = plain[start - 2 : start] if start > 1 else plain[:start]
    return before in SENTENCE_BREAKS and plain[end + 1 : end + 2].islower()


def _follows_or(plain: str, start: int) -> bool:
    """Whether a partner may stand before: he or, he and/or, he /."""
    before = plain[start - 2 : start] if start > 1 else ""
    if before == "r ":
        return plain[start - 3 : start - 2] in ("o", "O") and plain[start - 4 : start - 3] in _BEFORE_OR
    return before == "/ " or (before == "d " and plain[start - 5 : start] == "(and ")


def _may_go_on(plain: str, end: int) -> bool:
    """Whether a partner may follow: or she, (or her), /her, and/or her."""
    if plain[end : end + 1] == ",":
        end += 1
        if plain[end : end + 1] != " ":
            return False
    after = plain[end : end + 4]
    if after[:1] not in _SAFE_AFTER or after[:2] in _OPEN_AFTER:
        return True
    return after in _MAY_COORDINATE and (after == " or " or plain[end + 4 : end + 5] == "/")


def may_join(plain: str, start: int, end: int) -> bool:
    """Whether "her" or "his" may be one of a pair: his or her, (his/her)."""
    joined = plain[start - 1 : start] in _MAY_JOIN_LEFT
    return joined or _follows_or(plain, start) or _may_go_on(plain, end)


def form_change(plain: str, chunks: list[str], hit: Hit, around: Surroundings) -> Change | None:
    """The change of "her" or "his" that is surely neither coordinated nor part of a title."""
    start, end, part, _ = hit
    surface = part.surface
    if may_join(plain, start, end):
        return None
    word = surface.lower()
    if surface != word and not opens_plainly(plain, start, end):
        return None
    if word == "his" and "hers" in plain[max(0, start - 9) : end + 9].lower():
        return None
    left, right = around.of(chunks, hit)
    if right[-1] == END and word == "her" and not right[0][:1].isalnum():
        return None
    form, margin, rule = choice_of(word, left, right)
    new = form if surface == word else form.capitalize()
    return _make(Change, (start, end, surface, new, "pronoun: " + rule, margin, False))


def noun_change(plain: str, hit: Hit) -> Change | None:
    """The change of a noun in lower case that is in no blocked context, no verb and no possessive."""
    start, end, part, _ = hit
    if not is_plain_noun(plain, start, end, part):
        return None
    kind = part.word.kind if part.word else ""
    return _make(Change, (start, end, part.surface, part.turned, kind, None, False))


def is_plain_noun(plain: str, start: int, end: int, part: Part) -> bool:
    """Whether a noun in lower case is in no blocked context, no verb and no possessive."""
    return plain[end : end + 1] not in _APOSTROPHES and is_common_noun(plain, start, end, part)


def is_common_noun(plain: str, start: int, end: int, part: Part) -> bool:
    """Whether a noun in lower case is in no blocked context and no verb."""
    if part.may_be_verb and has_object(plain, end):
        return False
    if part.blocks is None:
        return True
    near = plain[start - NEAR : start] if start > NEAR else plain[:start]
    return part.blocks.reason(near, plain[end : end + REACH]) is None
