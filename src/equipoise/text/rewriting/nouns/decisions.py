"""A gendered word where it stands, and what a rule may say of it: replace it, or leave it for a reason."""

import re
from typing import NamedTuple

from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.lexicon import Word

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


class Replace(NamedTuple):
    """The new word in lower case (case and ending are put on later), the rule, and its margin in nats."""

    new: str
    rule: str
    margin: float | None = None


class Leave(NamedTuple):
    """Why the word stays."""

    reason: str


Decision = Replace | Leave
