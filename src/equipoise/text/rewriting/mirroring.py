"""Mirroring: a text with a blank seen from the other side, and what each word of a blank becomes there.

A blank's words are exchanged by one rule for the whole vocabulary, which is its own inverse: he and she,
nouns with a mutual partner, first names with theirs. *Her* belongs to both *his* and *him*, so the place
decides: where a possessive stands, his and her are partners (and him and hers), elsewhere him and her (and
his and hers). A probability distribution that is mirrored therefore stays one.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from equipoise.text.blank import BLANK
from equipoise.text.rewriting.account import Change, Rewritten, apply_changes
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.tokens import match_case
from equipoise.text.rewriting.find.whole_sentences import DEFINITIONAL_REASON
from equipoise.text.rewriting.persons import (
    CAPITALISED,
    SENTENCE_START,
    WITHIN_NAME,
    may_be_person,
    may_open_with_person,
    names_in_lower_case,
    partner_of,
    tells_by_itself,
    tells_gender,
)
from equipoise.text.rewriting.rewriter import Rewriter

Span = tuple[int, int]
PROBE = "her"
"""The word that is put into a blank to see what the rewriter would make of a pronoun there."""

NAME_RULE = "name left by the rewriter"
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
        return exchanged(text, self._rewriter.rewrite(text)) or Rewritten(text)

    def blank(self, text: str, number: int = 0, hidden: tuple[Span, ...] = ()) -> MirroredBlank | None:
        """The mirror image around one of the blanks; None where a pronoun there would be left as it is."""
        start = _starts(text)[number]
        if _COORDINATED.search(text) and any(self._stays(text, start, word) for word in _PRONOUNS):
            return None
        filled = _filled(text, start, PROBE)
        rewritten = self._rewriter.rewrite(filled)
        others = [one for one in rewritten.changes if not one.start <= start < one.end]
        is_told = any(one.old.lower() in _TELLING for one in others)
        turned = exchanged(filled, rewritten, is_told=is_told)
        if turned is None:
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


def exchanged(text: str, turned: Rewritten, *, is_told: bool = False) -> Rewritten | None:
    """A turned text in which nobody is of the old gender; None where somebody would be.

    None where a definitional sentence with somebody in it was left whole, where another sign of gender stands
    in it (a beard), and where a word may be a name that has no partner. Names that the rewriter leaves,
    because they may be surnames (Martin) or are known to everybody (Merkel), are exchanged here: a word that
    tells the gender must tell the other one in the mirror. A name that is no first name gives way where a
    turned word beside it tells (`is_told`).
    """
    is_definitional = any(skip.reason == DEFINITIONAL_REASON for skip in turned.skipped)
    if is_definitional or tells_gender(text) or names_in_lower_case(text):
        return None
    partners: dict[str, str] = {}
    for match in _left_persons(text, turned, is_told=is_told):
        word = re.sub(r"['’]s$", "", match.group())
        partner = partner_of(text, match)
        if partner is None:
            return None
        partners[word] = partner
    return _with_partners(text, turned, partners) if partners else turned


def _left_persons(text: str, turned: Rewritten, *, is_told: bool) -> Iterator[re.Match[str]]:
    """Capitalised words that may name somebody and were not turned."""
    families: set[str] = set()
    ends = {one.end for one in turned.changes}
    persons = {one.start for one in turned.changes if one.old.islower() and one.old not in _TELLING}
    for match in CAPITALISED.finditer(text):
        word, start = match.group(), match.start()
        is_turned = any(one.start <= start < one.end for one in turned.changes)
        is_family = any(end <= start and WITHIN_NAME.fullmatch(text, end, start) for end in ends)
        if is_turned or is_family or word in families:
            families |= set() if is_turned else {word}
            ends.add(match.end())
            continue
        if match.end() + 1 in persons:
            continue
        may_be = may_open_with_person if SENTENCE_START.search(text[:start]) else may_be_person
        if may_be(text, match) and not (is_told and not tells_by_itself(word)):
            yield match


def _with_partners(text: str, turned: Rewritten, partners: Mapping[str, str]) -> Rewritten:
    """The turned text with these names exchanged as well, wherever they stand."""
    names = re.compile(rf"\b(?:{'|'.join(map(re.escape, partners))})\b")
    free = [
        Change(match.start(), match.end(), match.group(), partners[match.group()], NAME_RULE)
        for match in names.finditer(text)
        if not any(one.start < match.end() and match.start() < one.end for one in turned.changes)
    ]
    changes = sorted((*turned.changes, *free))
    return turned._replace(text=apply_changes(text, changes), changes=tuple(changes))


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
