"""Which tokens of a text are first names, by the words around them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, compress

from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import bare, load_names, without_ending
from equipoise.text.rewriting.find.scanning import Hit
from equipoise.text.rewriting.find.tokens import MOST_CHUNKS, words_with_offsets
from equipoise.text.rewriting.names.context import (
    FIRST,
    LAST,
    OPEN_FIRST,
    OPEN_OTHER,
    SEASONS,
    WORDS,
    verdicts,
)
from equipoise.text.rewriting.names.neighbourhood import UNREAD, UnreadError


def find_names(tokens: Sequence[str], *, candidates: Sequence[int] | None = None) -> list[int]:
    """The indexes of the tokens that are first names; tokens are words and punctuation marks in order.

    A whole document at once is best: a word that is surely a first name or surely a surname in one
    place decides the places where its context says nothing. Candidates, if given, are the indexes of
    all tokens among `load_names().classes`, for a caller who has looked them up already.
    """
    classes = load_names().classes
    hits = candidates
    if hits is None:
        hits = list(compress(range(len(tokens)), map(classes.__contains__, tokens)))
    if not hits:
        return []
    judged = verdicts(tokens, hits, classes)
    first, last = (
        {bare(tokens[index]) for index, verdict in judged.items() if verdict == sure}
        for sure in (FIRST, LAST)
    )
    first |= {  # a word that is a name in one place is one in others too
        bare(tokens[index])
        for index, verdict in judged.items()
        if verdict == OPEN_FIRST and classes[tokens[index]] in WORDS and tokens[index] not in SEASONS
    }
    return [index for index in hits if _is_first(judged[index], bare(tokens[index]), first, last)]


def _is_first(verdict: int, name: str, first: set[str], last: set[str]) -> bool:
    if verdict == OPEN_FIRST:
        return name in first or name not in last
    if verdict == OPEN_OTHER:
        return name in first and name not in last
    return verdict == FIRST


NEAR, FAR = (6, 9), (30, 40)
"""Chunks before a candidate, and from it on: those that most rules for names look at, and that all do."""


class ChunkTokens(dict[str, tuple[str, ...]]):
    """Words and marks of chunks, learned as they are met; the memory stays bounded."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        if len(self) >= MOST_CHUNKS:
            self.clear()
        self[chunk] = tokens = tuple(token for token, _ in words_with_offsets(chunk))
        return tokens


@lru_cache(maxsize=20_000)
def _candidates(chunk: str) -> tuple[tuple[int, int], ...]:
    """The number and the offset of each token of a chunk that may be a first name."""
    known = load_names().classes
    numbered = enumerate(words_with_offsets(chunk))
    return tuple((place, start) for place, (token, start) in numbered if token in known)


_tokens_of = ChunkTokens().__getitem__


def names_in(document: Document, hits: Sequence[Hit]) -> dict[int, str]:
    """The first names of a document by their offset, as they are written without a possessive ending."""
    named = [hit for hit in hits if hit[2].maybe_name]
    if "  " in document.plain:
        return _names_within(document.chunks, named, (len(document.chunks), len(document.chunks)))
    try:
        return _names_within(document.chunks, named, NEAR)
    except UnreadError:
        return _names_within(document.chunks, named, FAR)


def _names_within(chunks: list[str], hits: Sequence[Hit], reach: tuple[int, int]) -> dict[int, str]:
    """The same, read from so many chunks before each candidate and after it."""
    left, right = reach
    gap = (UNREAD,) if reach == NEAR else ()
    tokens: list[str] = []
    candidates: list[int] = []
    starts: list[int] = []
    last, reached = -right, 0
    for start, _, part, chunk in hits:
        if chunk == last:
            continue
        if chunk - left > last + right:  # far from the name before, so that nothing is read between them
            tokens += _tokens(chunks[reached : max(0, last + right)])
            reached = max(reached, chunk - left)
            tokens += gap
        tokens += _tokens(chunks[reached:chunk])
        for place, offset in _candidates(chunks[chunk]):
            candidates.append(len(tokens) + place)
            starts.append(start - part.start + offset)
        tokens += _tokens_of(chunks[chunk])
        last, reached = chunk, chunk + 1
    tokens += _tokens(chunks[reached : last + right])
    if last + right < len(chunks):
        tokens += gap
    first = set(find_names(tokens, candidates=candidates))
    return {
        start: without_ending(tokens[index])
        for index, start in zip(candidates, starts, strict=True)
        if index in first
    }


def _tokens(chunks: Sequence[str]) -> Iterator[str]:
    return chain.from_iterable(map(_tokens_of, chunks))
