"""A text with its account while it is made: changes, skips and the tally of both sides."""

from equipoise.text.rewriting.account import Change, Skip, Tally
from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.scanning import Hit
from equipoise.text.sides import MALE

GENDERED_BUT_LEFT = frozenset(
    ["coordinated", "definitional sentence", "sentence not drawn", "document not drawn", "sense unclear"]
)
"""Reasons to leave a word that is gendered all the same, and so is counted."""


class Draft:
    """What has been decided so far."""

    __slots__ = (
        "changes",
        "document",
        "female_kept",
        "female_turned",
        "male_kept",
        "male_turned",
        "neutral",
        "skipped",
    )

    def __init__(self, document: Document) -> None:
        self.document = document
        self.changes: list[Change] = []
        self.skipped: list[Skip] = []
        self.male_kept = self.male_turned = self.female_kept = self.female_turned = 0
        self.neutral = False

    def count(self, side: str | None, *, turned: bool) -> None:
        """Note a gendered word of a side."""
        if side is None:
            return
        if side == MALE:
            self.male_turned += turned
            self.male_kept += not turned
        else:
            self.female_turned += turned
            self.female_kept += not turned

    def leave(self, hit: Hit, reason: str, side: str | None = None) -> None:
        """Note a word that stays."""
        self.skipped.append(Skip(hit.start, hit.end, self.document.text[hit.start : hit.end], reason))
        if reason in GENDERED_BUT_LEFT:
            self.count(side, turned=False)

    @property
    def tally(self) -> Tally:
        """Words by side: what is turned changes sides, or has none in neutral text."""
        men, women = self.male_turned, self.female_turned
        arrived = (0, 0) if self.neutral else (women, men)
        kept = self.male_kept, self.female_kept
        return Tally(kept[0] + men, kept[1] + women, kept[0] + arrived[0], kept[1] + arrived[1])
