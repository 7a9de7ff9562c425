"""Names of persons: the matched name of the other sex, or an entity token."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, compress

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.casing import match_case
from equipoise.text.rewriting.document import Document, words_of
from equipoise.text.rewriting.names import bare, entities, find_names, load_names
from equipoise.text.rewriting.scanning import MOST_CHUNKS, NAME, Hit

_ENDINGS = ("'s", "’s", "'S", "’S")
LEFT, RIGHT = 30, 40
"""Chunks before a candidate, and from it on, that the rules for names look at: about a sentence."""


class ChunkTokens(dict[str, tuple[str, ...]]):
    """The words and marks of chunks between blanks, learned as they are met."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        """Cut a chunk up; the memory stays bounded."""
        if len(self) >= MOST_CHUNKS:
            self.clear()
        tokens = self[chunk] = tuple(words_of(chunk))
        return tokens


_TOKENS = ChunkTokens()


def names_in(document: Document, hits: Sequence[Hit]) -> dict[int, str]:
    """The first names of a document by their offset, as they are written without a possessive ending."""
    tokens = list(chain.from_iterable(map(_TOKENS.__getitem__, _around(document, hits))))
    known = load_names().classes.__contains__
    candidates = list(compress(range(len(tokens)), map(known, tokens)))
    first = set(find_names(tokens, candidates=candidates))
    waiting = iter(hit for hit in hits if hit.part.what == NAME)
    hit, names = next(waiting, None), {}
    for index in candidates:  # every hit is a candidate, and both are in the order of the text
        if hit is not None and tokens[index] == hit.part.surface:
            if index in first:
                names[hit.start] = without_ending(hit.part.surface)
            hit = next(waiting, None)
    return names


def _around(document: Document, hits: Sequence[Hit]) -> list[str]:
    """The chunks that the rules for names may look at, which are few in a long text."""
    chunks = document.chunks
    if len(chunks) < LEFT + RIGHT or "  " in document.plain:
        return chunks
    near: list[str] = []
    begin = end = 0
    for hit in hits:
        if hit.chunk + RIGHT > end and hit.part.maybe_name:
            if hit.chunk - LEFT > end:
                near += chunks[begin:end]
                begin = hit.chunk - LEFT
            end = hit.chunk + RIGHT
    return near + chunks[begin:end]


def without_ending(token: str) -> str:
    """The token without a possessive ending, in its own case."""
    return token[:-2] if token.endswith(_ENDINGS) else token


def name_change(start: int, name: str) -> Change | None:
    """The change of a first name into its partner, or None where it has none."""
    partner = partner_of(name)
    return Change(start, start + len(name), name, partner, "name") if partner else None


_BARE_POSSESSIVE = re.compile(r"['’](?=\s+\w)")


def with_possessive(document: Document, change: Change) -> Change:
    """A name that ends in s may be possessive by an apostrophe alone; its partner then needs an s: Mary's."""
    mark = _BARE_POSSESSIVE.match(document.plain, change.end)
    if mark is None or change.old[-1] not in "sS" or change.new[-1] in "sS":
        return change
    ending = mark[0] + ("S" if change.old.isupper() else "s")
    return change._replace(end=mark.end(), old=change.old + mark[0], new=change.new + ending)


@lru_cache(maxsize=20_000)
def partner_of(name: str) -> str | None:
    """The matched name of the other sex in the case of the name given, or None where it has none."""
    partner = load_names().partner(name.lower())
    return match_case(name, partner) if partner else None


def anonymous_changes(document: Document, *, numbered: bool) -> list[Change]:
    """Every person's names as one token: E1, E2 in order of appearance, or "someone"."""
    tokens = document.tokens
    numbers = entities([token for token, _ in tokens])
    changes: list[Change] = []
    previous = -2
    for index in sorted(numbers):
        token, start = tokens[index]
        end = start + len(without_ending(token))
        if previous == index - 1 and numbers[previous] == numbers[index] and changes:
            first = changes.pop()
            start, label = first.start, first.new
        else:
            label = f"E{numbers[index]}" if numbered else _someone(document, start)
        changes.append(Change(start, end, document.text[start:end], label, "entity"))
        previous = index
    return changes


def _someone(document: Document, start: int) -> str:
    return "Someone" if document.begins_sentence(start) else "someone"


@lru_cache(maxsize=20_000)
def gender_of(name: str) -> str | None:
    """The sex that a first name is given to, None if either."""
    gender = load_names().gender(bare(name))
    return gender if gender in ("male", "female") else None
