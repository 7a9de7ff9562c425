"""A text with its account while it is made: changes, skips, and the gendered words of the text as it was."""

from collections import Counter
from collections.abc import Callable

from equipoise.text.rewriting.account import Change, Skip, Tally
from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.scanning import Hit
from equipoise.text.sides import FEMALE, MALE

GENDERED_BUT_LEFT = frozenset(
    ["coordinated", "definitional sentence", "sense unclear", "name without a partner"]
)
"""Reasons to leave a word that is gendered all the same, and so is counted."""


class Draft:
    """What has been decided so far."""

    __slots__ = ("changes", "document", "gendered", "skipped")

    def __init__(self, document: Document) -> None:
        self.document = document
        self.changes: list[Change] = []
        self.skipped: list[Skip] = []
        self.gendered: list[tuple[int, str]] = []
        """Where the gendered words and names of the text stand, in order, and their sides."""

    def leave(self, hit: Hit, reason: str) -> None:
        """Note a word that stays."""
        self.skipped.append(Skip(hit.start, hit.end, self.document.text[hit.start : hit.end], reason))
        if reason in GENDERED_BUT_LEFT and hit.part.side:
            self.gendered.append((hit.start, hit.part.side))

    def turn(self, change: Change, side: str | None) -> None:
        """Note a word of a side that changes."""
        self.changes.append(change)
        if side:
            self.gendered.append((change.start, side))

    def keep(self, stays: Callable[[Change], bool], reason: str) -> None:
        """Leave the words of some changes as they were, for a reason."""
        kept = []
        for change in self.changes:
            if not stays(change):
                kept.append(change)
            elif change.rule != "article":
                self.skipped.append(Skip(change.start, change.end, change.old, reason))
        self.changes = kept

    def tally(self, side_of: Callable[[Change, str], str | None], *, beside_original: bool) -> Tally:
        """Gendered words by side in the text as it was, and in what is written (with the original or not)."""
        before = Counter(side for _, side in self.gendered)
        after = Counter(before) if beside_original and self.changes else Counter()
        place = 0
        for start, side in self.gendered:
            while place < len(self.changes) and self.changes[place].end <= start:
                place += 1
            change = self.changes[place] if place < len(self.changes) else None
            becomes = side_of(change, side) if change and change.start <= start else side
            if becomes:
                after[becomes] += 1
        return Tally(before[MALE], before[FEMALE], after[MALE], after[FEMALE])
