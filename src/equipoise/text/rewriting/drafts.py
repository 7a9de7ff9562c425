"""A text with its account while it is made: changes, skips, and the gendered words of the text as it was."""

from collections.abc import Callable

from equipoise.text.gendered import FEMALE, MALE
from equipoise.text.languages.en.articles import indefinite_article
from equipoise.text.rewriting.account import Change, Skip, Tally
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.scanning import Hit

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

    def add_article(self, change: Change) -> None:
        """Make "a" or "an" before a changed word agree: an earl, a countess."""
        start, plain = change.start, self.document.plain
        article = plain[start - 2 : start - 1] if plain[start - 1 : start] == " " else ""
        if article not in ("a", "n", "A"):
            return
        begin = start - 2 if article in "aA" else start - 3
        written = plain[begin : start - 1]
        if written.lower() not in ("a", "an") or (
            begin > 0 and (plain[begin - 1].isalnum() or plain[begin - 1] in "'’-_.")
        ):
            return
        wanted = indefinite_article(change.new)
        if indefinite_article(change.old) == written.lower() != wanted:
            new = wanted.capitalize() if written[0].isupper() else wanted
            self.changes.append(Change(begin, start - 1, written, new, "article"))

    def keep(self, stays: Callable[[Change], bool], reason: str) -> None:
        """Leave the words of some changes as they were, for a reason."""
        kept = []
        for change in self.changes:
            if not stays(change):
                kept.append(change)
            elif change.rule != "article":
                self.skipped.append(Skip(change.start, change.end, change.old, reason))
        self.changes = kept

    def tally(self) -> Tally:
        """Gendered words by side in the text as it was, and where each that changed is of the other side."""
        sides = [side for _, side in self.gendered]
        men = sides.count(MALE)
        turned = {change[0] for change in self.changes}
        left = [side for start, side in self.gendered if start not in turned]
        men_left = left.count(MALE)
        men_after = men_left + len(sides) - men - (len(left) - men_left)
        return Tally(men, len(sides) - men, men_after, len(sides) - men_after)

    def tally_of(self, side_of: Callable[[Change, str], str | None]) -> Tally:
        """The same where it is asked of each change on which side its new word is."""
        sides = [side for _, side in self.gendered]
        before = {MALE: sides.count(MALE), FEMALE: sides.count(FEMALE)}
        after = {MALE: 0, FEMALE: 0}
        place = 0
        for start, side in self.gendered:
            while place < len(self.changes) and self.changes[place].end <= start:
                place += 1
            change = self.changes[place] if place < len(self.changes) else None
            becomes = side_of(change, side) if change and change.start <= start else side
            if becomes:
                after[becomes] += 1
        return Tally(before[MALE], before[FEMALE], after[MALE], after[FEMALE])
