"""Sentences that are swapped whole or left whole: bodies ("she gave birth"), and other languages."""

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


class Whole(NamedTuple):
    """A sentence in which nothing is changed, and why."""

    start: int
    end: int
    reason: str


def sentences_left_whole(
    document: Document, hits: Sequence[Hit], lexicon: Lexicon, *, keep_definitional: bool
) -> list[Whole]:
    """The sentences that the markers among the candidates single out."""
    whole: dict[int, Whole] = {}
    for hit in hits:
        what = hit.part.what
        if what == DEFINITIONAL and keep_definitional and _is_definitional(document, hit, lexicon):
            start, end = document.sentence(hit.start)
            whole[start] = Whole(start, end, DEFINITIONAL_REASON)
        elif what == FOREIGN:
            start, end = document.sentence(hit.start)
            if start not in whole and is_foreign(document.plain[start:end], lexicon):
                whole[start] = Whole(start, end, FOREIGN_REASON)
    return list(whole.values())


def _is_definitional(document: Document, hit: Hit, lexicon: Lexicon) -> bool:
    left, right = document.left(hit.start), document.right(hit.end)
    blocks = lexicon.definitional[hit.part.surface.lower().replace("’", "'")]
    return blocks.reason(left, right) is not None


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
