"""Names of persons: the matched name of the other sex, or an entity token."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from equipoise.text.rewriting.account import Change
from equipoise.text.rewriting.casing import match_case
from equipoise.text.rewriting.document import Document, words_with_offsets
from equipoise.text.rewriting.names import entities, find_names, load_names
from equipoise.text.rewriting.scanning import MOST_CHUNKS, Hit

_ENDINGS = ("'s", "’s", "'S", "’S")
LEFT, RIGHT = 30, 40
"""Chunks before a candidate, and from it on, that the rules for names look at: about a sentence."""


class ChunkNames(dict[str, tuple[tuple[str, ...], tuple[tuple[int, int], ...]]]):
    """Chunks cut up: words and marks, and the number and offset of each that may be a first name."""

    def __missing__(self, chunk: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
        """Cut a chunk up when it is first met; the memory stays bounded."""
        if len(self) >= MOST_CHUNKS:
            self.clear()
        tokens = list(words_with_offsets(chunk))
        known = load_names().classes
        candidates = tuple((place, start) for place, (token, start) in enumerate(tokens) if token in known)
        self[chunk] = cut = tuple(token for token, _ in tokens), candidates
        return cut


_CHUNKS = ChunkNames()


def names_in(document: Document, hits: Sequence[Hit]) -> dict[int, str]:
    """The first names of a document by their offset, as they are written without a possessive ending."""
    chunks = document.chunks
    left, right = (len(chunks), len(chunks)) if "  " in document.plain else (LEFT, RIGHT)
    tokens: list[str] = []
    candidates: list[int] = []
    starts: list[int] = []
    last, reached = -right, 0
    for start, _, part, chunk in hits:
        if not part.maybe_name or chunk == last:
            continue
        if chunk - left > last + right:  # far from the name before, so that nothing is read between them
            tokens += _tokens(chunks[reached : max(0, last + right)])
            reached = max(reached, chunk - left)
        tokens += _tokens(chunks[reached:chunk])
        inside, places = _CHUNKS[chunks[chunk]]
        for place, offset in places:
            candidates.append(len(tokens) + place)
            starts.append(start - part.start + offset)
        tokens += inside
        last, reached = chunk, chunk + 1
    tokens += _tokens(chunks[reached : last + right])
    first = set(find_names(tokens, candidates=candidates))
    return {
        start: without_ending(tokens[index])
        for index, start in zip(candidates, starts, strict=True)
        if index in first
    }


def _tokens(chunks: Sequence[str]) -> Iterator[str]:
    return chain.from_iterable([_CHUNKS[chunk][0] for chunk in chunks])


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
