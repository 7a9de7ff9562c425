"""Sentences about a person and a profession in which every mask knows its place.

Each sentence keeps the character spans of its target (the person noun, without its determiner) and of its
attribute (the profession), and all masks are made from these spans: replacing strings would also mask the
"man" of "manager".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from equipoise.text.blank import BLANK
from equipoise.text.languages.en.articles import fix_articles

Span = tuple[int, int]
PERSON, PROFESSION = "<person>", "<profession>"

_SLOT = re.compile(f"({PERSON}|{PROFESSION})")
_ARTICLE_BEFORE = re.compile(r"(?<![\w'’.-])(?:an?|An?)\s+$")


@dataclass(frozen=True)
class Sentence:
    """A sentence with the spans of its person noun (target) and its profession (attribute)."""

    text: str
    target: Span
    attribute: Span

    @property
    def target_masked(self) -> str:
        """One blank for the person noun (TM)."""
        return _replaced(self.text, {self.target: BLANK})

    @property
    def attribute_masked(self) -> str:
        """One blank per whitespace word of the profession (AM)."""
        return _replaced(self.text, {self.attribute: self._blanks})

    @property
    def both_masked(self) -> str:
        """One blank for the person noun and one per word of the profession (TAM)."""
        return _replaced(self.text, {self.target: BLANK, self.attribute: self._blanks})

    @property
    def target_number(self) -> int:
        """Which of the blanks in `both_masked` is the person's."""
        return 0 if self.target < self.attribute else self._blanks.count(BLANK)

    @property
    def attribute_beside_blank(self) -> Span:
        """Where the profession stands in `target_masked`."""
        start, stop = self.attribute
        longer = len(BLANK) - (self.target[1] - self.target[0]) if self.target < self.attribute else 0
        return start + longer, stop + longer

    @property
    def _blanks(self) -> str:
        return re.sub(r"\S+", BLANK, self.text[slice(*self.attribute)])


def compose(template: str, word: Mapping[str, Any], *, profession: str) -> Sentence:
    """A template with its person and profession put in, capitalised where a sentence begins."""
    fillers = {PERSON: str(word["phrase"]), PROFESSION: profession}
    text, spans = "", {}
    for part in _SLOT.split(template):
        filler = fillers.get(part, part)
        if part in fillers and _starts_sentence(text):
            filler = filler[:1].upper() + filler[1:]
        spans[part] = (len(text), len(text) + len(filler))
        text += filler
    start = spans[PERSON][0] + noun_start(str(word["phrase"]), str(word["noun"]))
    return Sentence(text, (start, start + len(word["noun"])), spans[PROFESSION])


def with_right_articles(sentence: Sentence) -> Sentence:
    """The same with the article right before the profession made to agree with it."""
    start, stop = sentence.attribute
    left, profession = sentence.text[:start], sentence.text[start:stop]
    written = _ARTICLE_BEFORE.search(left)
    if not written:
        return sentence
    article = fix_articles(written[0] + profession)[: -len(profession)]
    longer = len(article) - len(written[0])
    text = left[: written.start()] + article + sentence.text[start:]
    first, last = sentence.target
    moved = longer if first >= stop else 0
    return Sentence(text, (first + moved, last + moved), (start + longer, stop + longer))


def _replaced(text: str, fillers: dict[Span, str]) -> str:
    for start, stop in sorted(fillers, reverse=True):
        text = text[:start] + fillers[start, stop] + text[stop:]
    return text


def _starts_sentence(left: str) -> bool:
    return not left.strip() or left.rstrip().endswith((".", "!", "?"))


def noun_start(phrase: str, noun: str) -> int:
    """Where the noun stands in its phrase as a word of its own, or -1."""
    starts = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(noun)}(?!\w)", phrase)]
    return starts[-1] if starts else -1
