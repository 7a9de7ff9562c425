"""Sentences, or words in one, that stay: bodies ("she gave birth"), other languages, words spoken of."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.lexicon import Lexicon
from equipoise.text.rewriting.find.scanning import DEFINITIONAL, FOREIGN, Hit

_ENGLISH = word_set("english")
_SHARED = frozenset(["a", "as", "me", "on", "in", "so", "an", "am"])
"""English words that other languages have too, and that say nothing after a word of theirs (il a)."""
_WORDS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
DEFINITIONAL_REASON = "definitional sentence"
FOREIGN_REASON = "other language"
MENTION_REASON = "word spoken of"
_SPOKEN_OF = re.compile(
    r"(?:,? (?:(?:and|or|to) )?(?:[\"“‘'*](?:\w+)[.,]?[\"”’'*]|(?:s?he|S?HE|[Hh]ers?|HERS?|[Hh]i[ms]|HI[MS])"
    r"(?= (?:is|was|can|may|for|in|as|and|or|to|refers|stands|means|comes|came|has|had|does|derives)\b"
    r"|[.,;?!])))+"
)
"""Words in quotation marks, or pronouns without, after `the pronoun` or `the noun`."""


_MARKS = frozenset("\"“”‘’'*")
_MARK = "[\"“”‘’'*]"
_WORD_BEFORE = re.compile(
    r"\b(?:words?|terms?|pronouns?|nouns?|adjectives?|verbs?|instead of|rather than|[Rr]eplac(?:e|es|ed|ing)"
    r"|(?:mis)?spell(?:s|ed|ing)?|spelt|pronounc(?:e|es|ed|ing))(?: like| such as| for)? "
    rf"(?:{_MARK}\w+[.,]?{_MARK}(?:,|,? and|,? or|,? with|,? by| to) )*{_MARK}$"
)
_WORD_AFTER = re.compile(
    rf"{_MARK}(?: (?:and|or) {_MARK}\w+{_MARK})? (?:is|was|are|were) (?:an? |the )?(?:\w+ )?"
    r"(?:words?|terms?|pronouns?|nouns?|adjectives?|verbs?)\b"
)


def is_spoken_of(document: Document, hit: Hit) -> bool:
    """Whether a word in quotation marks of its own is called a word: the word "his", but: his "sister"."""
    right = document.right(hit.end)
    if right[:1] not in _MARKS:
        return False
    return bool(_WORD_BEFORE.search(document.left(hit.start)) or _WORD_AFTER.match(right))


_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|«[^»]*»')


Span = tuple[int, int]


class Whole(NamedTuple):
    """What stays whole: sentences with their reason by where they start, and quotations in order."""

    sentences: dict[int, str]
    quotations: list[tuple[Span, str]]

    def reason(self, document: Document, place: int) -> str:
        """Why a word there stays, or nothing where it is in none of them."""
        if self.sentences and (reason := self.sentences.get(document.sentence(place)[0])):
            return reason
        number = bisect_right(self.quotations, (place, len(document.plain)), key=itemgetter(0))
        near = self.quotations[max(0, number - 2) : number]  # words spoken of may stand in a quotation
        return next((reason for (start, end), reason in near if start <= place < end), "")


def sentences_left_whole(
    document: Document, hits: Sequence[Hit], lexicon: Lexicon, *, keep_definitional: bool
) -> Whole:
    """The sentences and quotations that the markers among the candidates single out."""
    sentences: dict[int, str] = {}
    quotations: dict[Span, str] = {}
    quoted: dict[Span, list[Span]] = {}
    foreign: dict[Span, bool] = {}
    for hit in hits:
        what = hit.part.what
        if what == DEFINITIONAL:
            note = _note(document, hit, lexicon)
            spoken = _SPOKEN_OF.match(document.plain, hit.end) if note == MENTION_REASON else None
            if spoken:
                quotations[spoken.span()] = MENTION_REASON
            elif note not in ("", MENTION_REASON) and keep_definitional:
                sentences[document.sentence(hit.start)[0]] = DEFINITIONAL_REASON
        elif what == FOREIGN:
            sentence = document.sentence(hit.start)
            if sentence not in quoted:
                quoted[sentence] = _quotations(document.plain, *sentence)
            for span in (_holding(quoted[sentence], hit.start), sentence):
                if span and span not in foreign:
                    foreign[span] = is_foreign(document.plain[slice(*span)], lexicon)
                if span and foreign[span]:
                    if span == sentence:
                        sentences.setdefault(span[0], FOREIGN_REASON)
                    else:
                        quotations[span] = FOREIGN_REASON
                    break
    return Whole(sentences, sorted(quotations.items()))


def _quotations(text: str, start: int, end: int) -> list[Span]:
    """What stands between quotation marks in a sentence, if more stands beside them."""
    spans = [match.span() for match in _QUOTED.finditer(text, start, end)]
    length = len(text[start:end].strip())
    return [(begin + 1, stop - 1) for begin, stop in spans if stop - begin < length - 1]


def _holding(spans: Sequence[Span], place: int) -> Span | None:
    """The span that a place is in, of some that do not overlap."""
    number = bisect_right(spans, place, key=itemgetter(0)) - 1
    return spans[number] if number >= 0 and place < spans[number][1] else None


def _note(document: Document, hit: Hit, lexicon: Lexicon) -> str:
    """What a marker says of its sentence here: a body, a ship, a word spoken of; or nothing."""
    left, right = document.left(hit.start), document.right(hit.end)
    blocks = lexicon.definitional[hit.part.surface.lower().replace("’", "'")]
    return blocks.reason(left, right) or ""


def is_foreign(sentence: str, lexicon: Lexicon) -> bool:
    """Whether a sentence has more function words of other languages than English ones."""
    words = [word.lower() for word in _WORDS.findall(sentence)]
    foreign = {word for word in words if word in lexicon.foreign}
    english = {
        word
        for before, word in pairwise(["", *words])
        if word in _ENGLISH and not (word in _SHARED and before in lexicon.foreign)
    }
    if not english:
        return bool(foreign)
    return len(foreign) > 1 and len(foreign) > len(english)
