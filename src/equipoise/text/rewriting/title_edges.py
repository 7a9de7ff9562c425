"""Mr, Mrs, Ms and Miss before a name: where the chunks on both sides tell that nothing special holds."""

import re

from equipoise.text.rewriting.capitals import names_place_by_person
from equipoise.text.rewriting.lexicon import REACH, Lexicon
from equipoise.text.rewriting.scanning import EDGE, MOST_CHUNKS, Part
from equipoise.text.rewriting.title_senses import names_office
from equipoise.text.rewriting.word_sets import word_set

TITLES = frozenset(["Mr", "Mrs", "Ms", "Miss"])
SPECIAL, SMALL, PLAIN = range(3)
MOST_PLACE_WORDS = 16
"""Chunks after a title that may belong to the name of a place."""
_SMALL_WORDS = word_set("small words in titles")
_ARTICLES = frozenset(["a", "an"])
_WORKS = word_set("before a work")
_PLAIN = re.compile(r"([a-z]{2,})[,.;!?]?")
_LONGEST_NAME = " and Dr Minister"
"""What the longest blocked names and offices after a title go on with."""


def is_plain_title(chunk: str, part: Part) -> bool:
    """Whether a chunk is one of the four titles, with or without its full stop, and nothing else."""
    dotted = chunk[len(part.surface) :] == "." and part.surface != "Miss"
    return part.surface in TITLES and (chunk == part.surface or (dotted and chunk.startswith(part.surface)))


def before_title(chunk: str) -> int:
    """Whether a chunk before a title is a plain word, a small one, or special."""
    match = _PLAIN.fullmatch(chunk)
    if match is None or match[1] in _WORKS or match[1] in _ARTICLES:
        return PLAIN if chunk == EDGE else SPECIAL
    return SMALL if match[1] in _SMALL_WORDS else PLAIN


class BeforeTitles(dict[str, int]):
    """What stands before a title: a plain word, as no title of a work has, a small word, or other."""

    def __missing__(self, chunk: str) -> int:
        """Work it out when a chunk is first met; the memory stays bounded."""
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = kind = before_title(chunk)
        return kind


class AfterTitles(dict[str, bool]):
    """Whether a chunk after a title begins the name of a person, and neither an office nor a blocked name."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self.blocks = lexicon.blocks["mr"]

    def __missing__(self, chunk: str) -> bool:
        """Work it out when a chunk is first met; the memory stays bounded."""
        if len(self) >= MOST_CHUNKS:
            self.clear()
        right = f" {chunk}{_LONGEST_NAME}"
        special = self.blocks.reason("", right) or names_office(right) or names_office(f" {chunk} Minister")
        self[chunk] = known = chunk[:1].isascii() and chunk[:1].isupper() and not special
        return known


def in_place_name(following: str) -> bool:
    """Whether a title without a full stop belongs to a place: Miss Porter's School."""
    return names_place_by_person(following[:REACH])
