"""One text turned to the other side: every candidate is replaced or left with a reason."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from equipoise.text.articles import indefinite_article
from equipoise.text.rewriting.account import Change, Skip
from equipoise.text.rewriting.capitals import capital_reason
from equipoise.text.rewriting.decisions import Decision, Leave, Replace
from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.lexicon import FEMALE, MALE, OTHER_SIDE, Lexicon
from equipoise.text.rewriting.nouns import is_foreign_neighbour, noun, with_ending
from equipoise.text.rewriting.people import gender_of, name_change, names_in
from equipoise.text.rewriting.pronouns import PLAIN, is_coordinated, pronoun
from equipoise.text.rewriting.scanning import NAME, PROTECTED, WORD, Hit
from equipoise.text.rewriting.whole_sentences import Whole, sentences_left_whole

GENDERED_BUT_LEFT = frozenset(["coordinated", "definitional sentence", "sentence not drawn", "sense unclear"])
"""Reasons to leave a word that is gendered all the same, and so is counted."""


class Policy(NamedTuple):
    """What is left open by the mode: coordinated pairs, definitional sentences, entity tokens."""

    coordinated: str = "keep"
    definitional: str = "keep"
    entities: str = "numbered"


@dataclass
class Draft:
    """A text with its account before the judge was asked."""

    document: Document
    changes: list[Change] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    before: dict[str, int] = field(default_factory=lambda: {MALE: 0, FEMALE: 0})
    after: dict[str, int] = field(default_factory=lambda: {MALE: 0, FEMALE: 0})

    def count(self, side: str | None, *, changed: bool) -> None:
        """Note a gendered word on its side before and after."""
        if side is not None:
            self.before[side] += 1
            self.after[OTHER_SIDE[side] if changed else side] += 1

    def leave(self, hit: Hit, reason: str, side: str | None = None) -> None:
        """Note a word that stays."""
        self.skipped.append(Skip(hit.start, hit.end, self.document.text[hit.start : hit.end], reason))
        if side and reason in GENDERED_BUT_LEFT:
            self.count(side, changed=False)


def invert(
    document: Document, hits: Sequence[Hit], lexicon: Lexicon, policy: Policy, *, whole: Sequence[Whole] = ()
) -> Draft:
    """The draft in which every gendered word and first name outside the sentences left whole is turned."""
    draft = Draft(document)
    marked = any(hit.part.what > NAME for hit in hits)
    keep = policy.definitional == "keep"
    stays = list(whole)
    if marked:
        stays += sentences_left_whole(document, hits, lexicon, keep_definitional=keep)
    names = names_in(document) if any(hit.part.what == NAME for hit in hits) else {}
    turn = policy.coordinated == "turn"
    for hit in hits:
        what = hit.part.what
        if what > NAME:
            if what == PROTECTED:
                draft.leave(hit, "protected")
            continue
        reason = _reason_of(stays, hit.start) if stays else None
        if reason:
            if what == WORD or hit.start in names:
                draft.leave(hit, reason, _side(hit))
        elif what == NAME:
            _turn_name(draft, hit, names)
        elif marked and is_foreign_neighbour(document, hit, lexicon):
            draft.leave(hit, "other language")
        else:
            _turn_word(draft, hit, lexicon, turn_coordinated=turn)
    return draft


def _side(hit: Hit) -> str | None:
    return hit.part.word.side if hit.part.word else gender_of(hit.part.surface)


def _reason_of(stays: Sequence[Whole], start: int) -> str | None:
    return next((whole.reason for whole in stays if whole.start <= start < whole.end), None)


def _turn_name(draft: Draft, hit: Hit, names: dict[int, str]) -> None:
    if hit.start not in names:
        return
    change = name_change(hit.start, names[hit.start])
    if change is None:
        draft.leave(hit, "name without a partner")
        return
    _add_article(draft, change)
    draft.changes.append(change)
    draft.count(gender_of(change.old), changed=True)


def _turn_word(draft: Draft, hit: Hit, lexicon: Lexicon, *, turn_coordinated: bool) -> None:
    document, part = draft.document, hit.part
    word = part.word
    assert word is not None
    if word.kind != "pronoun":
        decision = noun(document, hit, lexicon)
    else:
        decision = _pronoun(document, hit, turn_coordinated=turn_coordinated)
    if isinstance(decision, Leave):
        draft.leave(hit, decision.reason, word.side)
        return
    draft.count(word.side, changed=True)
    end, new = with_ending(document, hit, decision.new)
    if decision.new in _TITLES_WITH_DOT or word.text in _TITLES_WITH_DOT:
        end, new = _with_dot(document, word.text, end, new)
    old = document.text[hit.start : end]
    change = Change(hit.start, end, old, new, decision.rule, decision.margin)
    if word.kind != "pronoun":
        _add_article(draft, change)
    draft.changes.append(change)


def _pronoun(document: Document, hit: Hit, *, turn_coordinated: bool) -> Decision:
    surface = hit.part.surface
    if surface[:1].isupper() and not surface.isupper():
        reason = capital_reason(document, hit)
        if reason:
            return Leave(reason)
    return pronoun(document, hit, turn_coordinated=turn_coordinated)


_TITLES_WITH_DOT = frozenset(["mr", "mrs", "ms"])


def _with_dot(document: Document, old: str, end: int, new: str) -> tuple[int, str]:
    """Miss has no full stop, Mr may have one: as the rest of the text writes titles."""
    lowered = new.lower()
    dotted = document.plain[end : end + 1] == "."
    if lowered in _TITLES_WITH_DOT and old not in _TITLES_WITH_DOT and not dotted and document.dots_titles:
        return end, new + "."
    if lowered not in _TITLES_WITH_DOT and dotted:
        return end + 1, new
    return end, new


def _add_article(draft: Draft, change: Change) -> None:
    """Make "a" or "an" before a changed word agree: an earl, a countess."""
    start, plain = change.start, draft.document.plain
    article = plain[start - 2 : start - 1] if plain[start - 1 : start] == " " else ""
    if article not in ("a", "n", "A"):
        return
    begin = start - 2 if article in "aA" else start - 3
    written = plain[begin : start - 1]
    if written.lower() not in ("a", "an") or (begin > 0 and (plain[begin - 1].isalnum() or plain[begin - 1] in "'’-_.")):
        return
    wanted = indefinite_article(change.new)
    if indefinite_article(change.old) == written.lower() != wanted:
        new = wanted.capitalize() if written[0].isupper() else wanted
        draft.changes.append(Change(begin, start - 1, written, new, "article"))
