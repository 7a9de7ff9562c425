"""Which tokens of a text are first names, by the words around them."""

from collections.abc import Iterator, Sequence
from itertools import chain, compress

from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import bare, load_names
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
