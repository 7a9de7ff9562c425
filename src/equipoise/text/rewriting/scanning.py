"""Finding candidates fast: a dictionary learns, chunk by chunk of text between blanks, what is in it."""

import re
from itertools import accumulate
from typing import NamedTuple

from equipoise.text.rewriting.lexicon import Lexicon, Word
from equipoise.text.rewriting.names import load_names
from equipoise.text.rewriting.protection import is_address

WORD, NAME, DEFINITIONAL, FOREIGN, PROTECTED = range(5)
MOST_CHUNKS = 300_000
"""Chunks remembered at most, so that memory stays flat however long the corpus is."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_SUFFIXES = frozenset(["s", "d", "ll", "ve", "re", "d've", "m"])


class Part(NamedTuple):
    """A candidate inside a chunk: what it is, where, as it is written, and its entry in the table."""

    what: int
    start: int
    end: int
    surface: str
    suffix: str
    word: Word | None


class Hit(NamedTuple):
    """A candidate inside a text; the span covers the word without its ending."""

    start: int
    end: int
    part: Part


class Scanner(dict[str, tuple[Part, ...] | None]):
    """Chunks of text by what they hold; a chunk is analysed when it is first met."""

    def __init__(self, lexicon: Lexicon, *, names: bool) -> None:
        super().__init__()
        self.lexicon = lexicon
        self.names = load_names().classes if names else {}

    def __missing__(self, chunk: str) -> tuple[Part, ...] | None:
        parts = tuple(self._parts(chunk))
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = parts or None
        return self[chunk]

    def hits(self, text: str) -> list[Hit]:
        """The candidates of a text in order."""
        chunks = text.split(" ")
        learned = list(map(self.__getitem__, chunks))
        places = [index for index, parts in enumerate(learned) if parts is not None]
        if not places:
            return []
        ends = list(accumulate(map(len, chunks)))
        found = []
        for index in places:
            offset = ends[index] + index - len(chunks[index])
            for part in learned[index] or ():
                found.append(Hit(offset + part.start, offset + part.end, part))
        return found

    def _parts(self, chunk: str) -> list[Part]:
        parts: list[Part] = []
        for run in re.finditer(r"\S+", chunk):
            shielded = is_address(run[0])
            for match in _WORD.finditer(run[0]):
                part = self._part(match[0], run.start() + match.start())
                if part and not shielded:
                    parts.append(part)
                elif part and part.what == WORD:
                    parts.append(part._replace(what=PROTECTED))
        return parts

    def _part(self, token: str, start: int) -> Part | None:
        core = token.strip("_")
        start += len(token) - len(token.lstrip("_"))
        if not core:
            return None
        lowered = core.lower().replace("’", "'")
        word, suffix = self._word(lowered)
        if word:
            end = start + len(core) - len(suffix)
            return Part(WORD, start, end, core[: len(core) - len(suffix)], core[len(core) - len(suffix) :], word)
        what = self._marker(core, lowered)
        return None if what is None else Part(what, start, start + len(core), core, "", None)

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
        return FOREIGN if lowered in self.lexicon.foreign and not core.isupper() else None
