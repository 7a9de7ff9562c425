"""Mirroring: a text with a blank seen from the other side, and what each word of a blank becomes there.

A blank's words are exchanged by one rule for the whole vocabulary, which is its own inverse: he and she,
nouns with a mutual partner, first names with theirs. *Her* belongs to both *his* and *him*, so the place
decides: where a possessive stands, his and her are partners (and him and hers), elsewhere him and her (and
his and hers). A probability distribution that is mirrored therefore stays one.
"""

import re
from functools import cached_property
from typing import NamedTuple

from equipoise.text.blank import BLANK
from equipoise.text.rewriting.account import Change, Rewritten
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.tokens import match_case
from equipoise.text.rewriting.find.whole_sentences import DEFINITIONAL_REASON
from equipoise.text.rewriting.persons import (
    CAPITALISED,
    SENTENCE_START,
    is_first_name,
    may_be_person,
    may_open_with_person,
    names_in_lower_case,
    tells_gender,
)
from equipoise.text.rewriting.rewriter import Rewriter

Span = tuple[int, int]
PROBE = "her"
"""The word that is put into a blank to see what the rewriter would make of a pronoun there."""

_COORDINATED = re.compile(rf"(?:\bor|\band|/) ?{re.escape(BLANK)}|{re.escape(BLANK)} ?(?:or\b|and\b|/)")
_PRONOUNS = ("she", "he", "his", "him")
_TELLING = frozenset((*_PRONOUNS, "her", "hers", "himself", "herself"))
_POSSESSIVE = {"his": "her", "her": "his", "him": "hers", "hers": "him"}
_OTHER = {"him": "her", "her": "him", "his": "hers", "hers": "his"}


class MirroredBlank(NamedTuple):
    """The turned text with its blanks, where its hidden spans went, and the form that its blank asks for."""

    text: str
    hidden: tuple[Span, ...]
    is_possessive: bool


class Mirror:
    """Turns texts with blanks and words in blanks; what the rewriter leaves alone has no mirror image."""

    def __init__(self) -> None:
        self._rewriter = Rewriter("invert")

    def sentence(self, text: str) -> Rewritten:
        """A text without a blank, turned, with its account; unturned where turning it would mix genders."""
        turned = self._rewriter.rewrite(text)
        return Rewritten(text) if is_mixed(text, turned) else turned

    def blank(self, text: str, number: int = 0, hidden: tuple[Span, ...] = ()) -> MirroredBlank | None:
        """The mirror image around one of the blanks; None where a pronoun there would be left as it is."""
        start = _starts(text)[number]
        if _COORDINATED.search(text) and any(self._stays(text, start, word) for word in _PRONOUNS):
            return None
        filled = _filled(text, start, PROBE)
        turned = self._rewriter.rewrite(filled)
        others = [one for one in turned.changes if not one.start <= start < one.end]
        if is_mixed(filled, turned, is_told=any(one.old.lower() in _TELLING for one in others)):
            return None
        probe = next((one for one in turned.changes if one.start <= start < one.end), None)
        if probe is None:
            return None
        longer = len(PROBE) - len(BLANK)
        moved = [
            (_moved(begin, start, longer, turned.changes), _moved(end, start, longer, turned.changes))
            for begin, end in hidden
        ]
        at = _shift(start, turned.changes)
        blanked = turned.text[:at] + BLANK + turned.text[at + len(probe.new) :]
        put_back = len(BLANK) - len(probe.new)
        spans = tuple((_back(begin, at, put_back), _back(end, at, put_back)) for begin, end in moved)
        return MirroredBlank(blanked, spans, probe.new.lower() == "his")

    def word(self, word: str, *, is_possessive: bool) -> str:
        """What a word in a blank is on the other side; a word of neither side stays what it is."""
        lower = word.lower()
        if lower in _OTHER:
            return match_case(word, (_POSSESSIVE if is_possessive else _OTHER)[lower])
        partner = self._partners.get(lower) or (self._names.get(lower) if word[:1].isupper() else None)
        return match_case(word, partner) if partner else word

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Gendered words of both sides that are each other's partner, the male one first, without names."""
        words = load_lexicon().words
        mutual = (one for one in words.values() if not one.together and _is_mutual(one.text))
        male = (one for one in mutual if one.side == "male")
        return tuple((one.text, str(one.partner)) for one in male)

    @cached_property
    def _partners(self) -> dict[str, str]:
        return {word: partner for pair in self.pairs for word, partner in (pair, pair[::-1])}

    @cached_property
    def _names(self) -> dict[str, str]:
        """First names with a mutual partner that are not words of the language as well (will, grace)."""
        names = load_names().names
        plain = (entry for entry in names.values() if entry.kind == "plain" and entry.partner in names)
        return {
            entry.name: entry.partner
            for entry in plain
            if names[entry.partner].partner == entry.name and names[entry.partner].kind == "plain"
        }

    def _stays(self, text: str, start: int, word: str) -> bool:
        """Whether the rewriter would leave a pronoun at the blank alone, as in "he or she"."""
        turned = self._rewriter.rewrite(_filled(text, start, word))
        return any(skip.start <= start < skip.end for skip in turned.skipped)


def is_mixed(text: str, turned: Rewritten, *, is_told: bool = False) -> bool:
    """Whether a turned text would name people of both the old and the new gender.

    That is so where a definitional sentence with somebody in it was left whole, where another sign of gender
    stands in it (a beard), and where a word may be a name that the rewriter does not turn: there nothing must
    be averaged. A name that is
    no first name gives way where a turned pronoun beside it tells (`is_told`).
    """
    is_definitional = any(skip.reason == DEFINITIONAL_REASON for skip in turned.skipped)
    if is_definitional or tells_gender(text) or names_in_lower_case(text):
        return True
    families: set[str] = set()
    after_person = -10
    for match in CAPITALISED.finditer(text):
        word, start = match.group(), match.start()
        is_turned = any(one.start <= start < one.end for one in turned.changes)
        is_family = 0 <= start - after_person <= 2 or word in families
        if is_turned or is_family:
            families |= set() if is_turned else {word}
            after_person = match.end()
        elif SENTENCE_START.search(text[:start]):
            if may_open_with_person(text, match) and not (is_told and not is_first_name(word)):
                return True
        elif may_be_person(text, match) and not (is_told and not is_first_name(word)):
            return True
    return False


def _is_mutual(word: str) -> bool:
    words = load_lexicon().words
    partner = words[word].partner
    mirrored = words.get(partner) if partner else None
    return word not in _OTHER and mirrored is not None and mirrored.partner == word


def _starts(text: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(BLANK), text)]


def _filled(text: str, start: int, word: str) -> str:
    """The text with a word in the blank that starts there; a sentence's first word is capitalised."""
    is_first = not text[:start].strip() or text[:start].rstrip().endswith((".", "!", "?"))
    return text[:start] + (word.capitalize() if is_first else word) + text[start + len(BLANK) :]


def _shift(place: int, changes: tuple[Change, ...]) -> int:
    """Where a place of the original stands after the changes before it."""
    return place + sum(len(one.new) - len(one.old) for one in changes if one.end <= place)


def _moved(place: int, blank: int, longer: int, changes: tuple[Change, ...]) -> int:
    """Where a place of the text with a blank stands in the turned text with the probe."""
    return _shift(place + longer if place > blank else place, changes)


def _back(place: int, at: int, put_back: int) -> int:
    """Where a place stands once the blank is back in the turned text."""
    return place + put_back if place > at else place
