"""Finding candidates fast: a dictionary learns, chunk by chunk of text between blanks, what is in it."""

import re
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.first_names import gender_of, load_names
from equipoise.text.rewriting.find.lexicon import Blocks, Lexicon, Word
from equipoise.text.rewriting.find.protection import is_address
from equipoise.text.rewriting.find.tokens import (
    MOST_CHUNKS,
    WINDOW,
    match_case,
    tokens_of,
    words_with_offsets,
)

FIXED = {"he": "she", "she": "he", "him": "her", "hers": "his", "himself": "herself", "herself": "himself"}
"""Pronouns that have one partner whatever the context."""

WORD, NAME, DEFINITIONAL, FOREIGN, PROTECTED, NEITHER = range(6)
"""What a candidate is; `NEITHER` is a pronoun of neither sex, such as xe."""
_NEITHER = word_set("neo-pronouns")
_DROPPED = {"im": "him", "er": "her"}
"""Pronouns without their h: leave 'im, told 'er."""
_HESITATING = re.compile(r"er[,.…—-]")

INSIDE = 80
"""Characters of the same chunk on either side of a candidate that are cut into tokens."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SUFFIXES = frozenset(["s", "d", "ll", "ve", "re", "d've", "ll've", "m"])
_MARKS = " .,;:!?\"'()[]“”‘’—–…-*"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A candidate inside a chunk: what it is, where, as it is written, and its entry in the table."""

    what: int
    start: int
    end: int
    surface: str
    suffix: str
    word: Word | None
    side: str | None = None
    written: str = ""
    """The word with its ending."""
    turned: str = ""
    """The partner in the case of the word, with its ending if it is a pronoun; nothing for her and his."""
    is_pronoun: bool = False
    inside_before: tuple[str, ...] = ()
    inside_after: tuple[str, ...] = ()
    """The tokens of the same chunk on either side."""
    maybe_name: bool = False
    blocks: Blocks | None = None
    """The contexts in which the word is not gendered."""


class Hit(NamedTuple):
    """A candidate in a text: the span of the word without its ending, and the number of its chunk."""

    start: int
    end: int
    part: Part
    chunk: int


def _word_part(word: Word, start: int, surface: str, suffix: str) -> Part:
    is_pronoun = word.kind == "pronoun"
    if is_pronoun:
        turned = match_case(surface, FIXED[word.text]) + suffix if word.text in FIXED else ""
    else:
        turned = match_case(surface, word.partner or "")
    end = start + len(surface)
    return Part(WORD, start, end, surface, suffix, word, word.side, surface + suffix, turned, is_pronoun)


class Scanner(dict[str, tuple[Part, ...] | None]):
    """Chunks of text by what they hold; a chunk is analysed when it is first met."""

    def __init__(self, lexicon: Lexicon, *, names: bool) -> None:
        super().__init__()
        self.lexicon = lexicon
        self.names = load_names().classes if names else {}
        self.known = frozenset(
            (*lexicon.words, *lexicon.definitional, *lexicon.foreign, *_NEITHER, *_DROPPED)
        )

    def __missing__(self, chunk: str) -> tuple[Part, ...] | None:
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = parts = self.parts(chunk) or None
        return parts

    def parts(self, chunk: str) -> tuple[Part, ...]:
        """The candidates of a chunk; most hold one word that no table knows, or none."""
        core = chunk.strip(_MARKS)
        if (core.isalpha() or not core) and core.lower() not in self.known and core not in self.names:
            return ()
        return tuple(self._parts(chunk))

    def hits(self, chunks: list[str]) -> list[Hit]:
        """The candidates of a text, given as its chunks between blanks, in order."""
        hits: list[Hit] = []
        add, make, join = hits.append, tuple.__new__, " ".join
        previous = offset = 0
        candidates = list(map(self.__getitem__, chunks))
        for index in compress(range(len(chunks)), candidates):
            if index > previous:
                offset += len(join(chunks[previous:index])) + 1
                previous = index
            for part in candidates[index] or ():
                add(make(Hit, (offset + part.start, offset + part.end, part, index)))
        return hits

    def _parts(self, chunk: str) -> list[Part]:
        parts: list[Part] = []
        names = any(token in self.names for token, _ in words_with_offsets(chunk))
        for run in re.finditer(r"\S+", chunk):
            shielded = is_address(run[0])
            linked = run[0].find("](") if shielded else -1  # [her book](https://...): only the address stays
            for match in _WORD.finditer(run[0]):
                part = None
                if match[0] in _DROPPED:
                    part = self._dropped(run[0], match.start(), run.start())
                part = part or self._part(match[0], run.start() + match.start())
                if part and (not shielded or match.end() <= linked):
                    end = part.end + len(part.suffix)
                    before = tokens_of(chunk[max(0, part.start - INSIDE) : part.start])[-WINDOW:]
                    after = tokens_of(chunk[end : end + INSIDE])[:WINDOW]
                    parts.append(replace(part, inside_before=before, inside_after=after, maybe_name=names))
                elif part and part.what == WORD:
                    parts.append(replace(part, what=PROTECTED, maybe_name=names))
        return parts

    def _dropped(self, run: str, start: int, offset: int) -> Part | None:
        """A pronoun whose h is dropped, after an apostrophe that opens no quotation: told 'er, give 'im."""
        if run[start - 1 : start] not in ("'", "’") or run[start - 2 : start - 1].isalnum():
            return None
        if _HESITATING.match(run, start):
            return None
        surface, word = run[start : start + 2], self.lexicon.words[_DROPPED[run[start : start + 2]]]
        turned = "er" if surface == "im" else ""
        begin = offset + start
        return Part(WORD, begin, begin + 2, surface, "", word, word.side, surface, turned, is_pronoun=True)

    def _part(self, token: str, start: int) -> Part | None:
        core = token.strip("_")
        start += len(token) - len(token.lstrip("_"))
        lowered = core.lower().replace("’", "'")
        word, suffix = self._word(lowered)
        if word:
            cut = len(core) - len(suffix)
            part = _word_part(word, start, core[:cut], core[cut:])
            return replace(part, blocks=self.lexicon.blocks.get(word.pair))
        what = self._marker(core, lowered) if core else None
        if what is None:
            return None
        side = gender_of(core) if what == NAME else None
        return Part(what, start, start + len(core), core, "", None, side)

    def _word(self, lowered: str) -> tuple[Word | None, str]:
        word = self.lexicon.words.get(lowered)
        if word:
            return word, ""
        base, mark, suffix = lowered.partition("'")
        if base == "ma" and suffix.startswith("am"):
            base, mark, suffix = "ma'am", "'", suffix[3:]
        word = self.lexicon.words.get(base) if mark and suffix in _SUFFIXES else None
        return word, mark + suffix if word else ""

    def _marker(self, core: str, lowered: str) -> int | None:
        if lowered in self.lexicon.definitional:
            return DEFINITIONAL
        if core in self.names:
            return NAME
        if lowered in _NEITHER:
            return NEITHER
        return FOREIGN if lowered in self.lexicon.foreign and not core.isupper() else None
