"""Sentences, or words in one, that stay: bodies ("she gave birth"), other languages, words spoken of."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.lexicon import Lexicon
from equipoise.text.rewriting.scanning import DEFINITIONAL, FOREIGN, Hit
from equipoise.text.rewriting.word_sets import word_set

_ENGLISH = word_set("english")
_SHARED = frozenset(["a", "as", "me", "on", "in", "so", "an", "am"])
"""English words that other languages have too, and that say nothing after a word of theirs (il a)."""
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
DEFINITIONAL_REASON = "definitional sentence"
FOREIGN_REASON = "other language"
MENTION_REASON = "word spoken of"
_SPOKEN_OF = re.compile(
    r"(?:,? (?:(?:and|or|to) )?(?:[\"“‘'*](?:\w+)[.,]?[\"”’'*]|(?:s?he|hers?|hi[ms])"
    r"(?= (?:is|was|can|may|for|in|as|and|or|to|refers|stands|means)\b|[.,;?!])))+"
)
"""Words in quotation marks, or pronouns without, after `the pronoun` or `the noun`."""


_MARKS = frozenset("\"“”‘’'*")
_MARK = "[\"“”‘’'*]"
_WORD_BEFORE = re.compile(
    r"\b(?:words?|terms?|pronouns?|nouns?|adjectives?|verbs?|instead of|rather than|[Rr]eplac(?:e|es|ed|ing)"
    r"|(?:mis)?spell(?:s|ed|ing)?|spelt|pronounc(?:e|es|ed|ing))(?: like| such as| for)? "
    rf"(?:{_MARK}\w+[.,]?{_MARK}(?:,|,? and|,? or|,? with|,? by| to) )*{_MARK}$"
)
_WORD_AFTER = re.compile(
    rf"{_MARK}(?: (?:and|or) {_MARK}\w+{_MARK})? (?:is|was|are|were) (?:an? |the )?(?:\w+ )?"
    r"(?:words?|terms?|pronouns?|nouns?|adjectives?|verbs?)\b"
)


def is_spoken_of(document: Document, hit: Hit) -> bool:
    """Whether a word in quotation marks of its own is called a word: the word "his", but: his "sister"."""
    right = document.right(hit.end)
    if right[:1] not in _MARKS:
        return False
    return bool(_WORD_BEFORE.search(document.left(hit.start)) or _WORD_AFTER.match(right))


_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')


class Whole(NamedTuple):
    """A sentence, or a quotation in one, in which nothing is changed, and why."""

    start: int
    end: int
    reason: str
    is_quotation: bool = False


def sentences_left_whole(
    document: Document, hits: Sequence[Hit], lexicon: Lexicon, *, keep_definitional: bool
) -> list[Whole]:
    """The sentences that the markers among the candidates single out."""
    whole: dict[int, Whole] = {}
    for hit in hits:
        what = hit.part.what
        if what == DEFINITIONAL:
            note = _note(document, hit, lexicon)
            spoken = _SPOKEN_OF.match(document.plain, hit.end) if note == MENTION_REASON else None
            if spoken:
                whole[spoken.start()] = Whole(*spoken.span(), MENTION_REASON, is_quotation=True)
            elif note not in ("", MENTION_REASON) and keep_definitional:
                start, end = document.sentence(hit.start)
                whole[start] = Whole(start, end, DEFINITIONAL_REASON)
        elif what == FOREIGN:
            start, end = document.sentence(hit.start)
            quoted = _quotation(document.plain, start, end, hit.start)
            if quoted and is_foreign(document.plain[slice(*quoted)], lexicon):
                whole.setdefault(quoted[0], Whole(*quoted, FOREIGN_REASON, is_quotation=True))
            elif start not in whole and is_foreign(document.plain[start:end], lexicon):
                whole[start] = Whole(start, end, FOREIGN_REASON)
    return list(whole.values())


def _quotation(text: str, start: int, end: int, place: int) -> tuple[int, int] | None:
    """What stands between the quotation marks around a place of a sentence, if more stands beside them."""
    for match in _QUOTED.finditer(text, start, end):
        if match.start() <= place < match.end():
            alone = match.end() - match.start() >= len(text[start:end].strip()) - 1
            return None if alone else (match.start() + 1, match.end() - 1)
    return None


def _note(document: Document, hit: Hit, lexicon: Lexicon) -> str:
    """What a marker says of its sentence here: a body, a ship, a word spoken of; or nothing."""
    left, right = document.left(hit.start), document.right(hit.end)
    blocks = lexicon.definitional[hit.part.surface.lower().replace("’", "'")]
    return blocks.reason(left, right) or ""


def is_foreign(sentence: str, lexicon: Lexicon) -> bool:
    """Whether a sentence has more function words of other languages than English ones."""
    words = [word.lower() for word in _WORDS.findall(sentence)]
    foreign = {word for word in words if word in lexicon.foreign}
    english = {
        word
        for before, word in pairwise(["", *words])
        if word in _ENGLISH and not (word in _SHARED and before in lexicon.foreign)
    }
    if not english:
        return bool(foreign)
    return len(foreign) > 1 and len(foreign) > len(english)


def reason_to_stay(quotations: Sequence[Whole], place: int) -> str:
    """Why a word in one of these quotations stays, or nothing where it is in none."""
    return next((one.reason for one in quotations if one.start <= place < one.end), "")
