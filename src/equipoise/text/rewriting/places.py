"""A gendered word where it stands, for the rules that ask what it means there."""

import re
from typing import NamedTuple

from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.lexicon import Word

_DOTTED = frozenset(["mr", "mrs", "ms", "messrs", "mmes", "mme", "mlle"])
_NAME_NEXT = re.compile(r" (?:[A-ZÀ-Þ]|(?:de|du|von|van|d['’]) ?[A-ZÀ-Þ])")


class Place(NamedTuple):
    """A word where it stands: as written, with the text on both sides."""

    word: Word
    surface: str
    left: str
    right: str
    document: Document

    @property
    def titled(self) -> bool:
        """Written with a capital and before a capitalised word."""
        dotted = self.word.text in _DOTTED and self.right[:1] == "."
        right = " " + self.right[1:].lstrip(" ") if dotted else self.right
        return self.surface[:1].isupper() and _NAME_NEXT.match(right) is not None
