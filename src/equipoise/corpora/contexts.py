"""Contexts of a chosen length around a gendered word, each inside one document.

A document is cut into stretches of `length` tokens, and in each the gendered word nearest to the middle is
the one a model is asked for (Deng and Breuch; their code cut one text made of all articles, so that contexts
crossed from one article into the next). Other gendered words in a context tell the answer, so they are kept
with it: such contexts can be scored apart. They may be more than the words that a model is asked for.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from equipoise.corpora.documents import Document
from equipoise.corpora.vocabulary import Targets, gendered_words, load_targets
from equipoise.errors import UserError
from equipoise.text.sentences import Span

WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
Tokenise = Callable[[str], Sequence[tuple[int, int]]]


@dataclass(frozen=True)
class TargetWord:
    """A target word of a context, by category."""

    category: str
    word: str
    span: Span


@dataclass(frozen=True)
class Context:
    """A stretch of a document from `start` on; all spans are places in its text."""

    document: str
    groups: Mapping[str, str]
    start: int
    text: str
    span: Span
    gender: str
    targets: tuple[TargetWord, ...]
    others: tuple[Span, ...]

    @property
    def word(self) -> str:
        """The gendered word as it is written."""
        return self.text[self.span.start : self.span.end]

    @property
    def leaks(self) -> bool:
        """Whether other gendered words tell the answer."""
        return bool(self.others)

    def masked(self, blank: str) -> str:
        """The text with a blank in place of the gendered word."""
        return self.text[: self.span.start] + blank + self.text[self.span.end :]


def white_space_tokens(text: str) -> list[tuple[int, int]]:
    """The spans between white space."""
    return [match.span() for match in re.finditer(r"\S+", text)]


def contexts(
    documents: Iterable[Document],
    length: int,
    *,
    words: Mapping[str, str] | None = None,
    telling: Container[str] = (),
    targets: Targets | None = None,
    tokenise: Tokenise = white_space_tokens,
) -> Iterator[Context]:
    """The contexts of `length` tokens that hold a gendered word; the last one of a document may be shorter.

    `words` are gendered words in lower case with the gender of each; `telling` are more words that tell the
    answer and are never asked for; `tokenise` gives the spans of tokens, those of white space unless a
    model's are wanted.
    """
    if length < 1:
        raise UserError(f"A context of {length} tokens was asked for.", "Give a length of 1 or more.")
    genders, listed = words if words is not None else gendered_words(), targets or load_targets()
    for document in documents:
        tokens = tokenise(document.text)
        for first in range(0, len(tokens), length):
            context = _context(document, tokens[first : first + length], _Listed(genders, telling, listed))
            if context is not None:
                yield context


class _Listed(NamedTuple):
    """The words that matter."""

    genders: Mapping[str, str]
    telling: Container[str]
    targets: Targets


def _context(document: Document, tokens: Sequence[tuple[int, int]], listed: _Listed) -> Context | None:
    start = tokens[0][0]
    text = document.text[start : tokens[-1][1]]
    matches = [(match[0].lower(), Span(*match.span())) for match in WORD.finditer(text)]
    gendered = [(word, span) for word, span in matches if word in listed.genders]
    if not gendered:
        return None
    begins = [begin - start for begin, _ in tokens]
    middle = (len(tokens) - 1) / 2
    # The earlier one of two that are equally near.
    word, span = min(gendered, key=lambda at: abs(bisect_right(begins, at[1].start) - 1 - middle))
    return Context(
        document=document.id,
        groups=document.groups,
        start=start,
        text=text,
        span=span,
        gender=listed.genders[word],
        targets=tuple(
            TargetWord(category, name, place)
            for name, place in matches
            for category in listed.targets.categories_of(name)
        ),
        others=tuple(
            place
            for name, place in matches
            if place != span and (name in listed.genders or name in listed.telling)
        ),
    )
