"""Contexts of a chosen length around a gendered word, each inside one document.

A document is cut into stretches of `length` tokens, and in each the gendered word nearest to the middle is
the one a model is asked for (Deng and Breuch; their code cut one text made of all articles, so that contexts
crossed from one article into the next). Other gendered words in a context tell the answer, so they are kept
with it: such contexts can be scored apart. They may be more than the words that a model is asked for.
"""

import random
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from equipoise.corpora.documents import Document
from equipoise.corpora.vocabulary import Targets, gendered_words, load_targets
from equipoise.errors import UserError
from equipoise.text.rewriting.names.entities import entities
from equipoise.text.sentences import Span, sentence_spans

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


SOMEONE = "someone"
_TOKENS = re.compile(r"['’]s\b|[^\W_]+(?:-[^\W_]+)*|[^\w\s]|_")
_OPENING = " \t\n\"'“”‘’«»([—–-"
_ENDS = (".", "!", "?", "…")


def person_spans(text: str) -> list[Span]:
    """Where a text names persons: a first name with the names after it is one place."""
    tokens = list(_TOKENS.finditer(text))
    spans: list[Span] = []
    last_index = last_person = -1
    for index, person in sorted(entities([token[0] for token in tokens]).items()):
        start, end = tokens[index].span()
        if index == last_index + 1 and person == last_person:
            spans[-1] = Span(spans[-1].start, end)
        else:
            spans.append(Span(start, end))
        last_index, last_person = index, person
    return spans


def without_names(context: Context) -> Context:
    """The context with "someone" for every person named; its gendered and target words stay."""
    kept = [context.span, *context.others, *(target.span for target in context.targets)]
    replaced = [
        span
        for span in person_spans(context.text)
        if not any(span.start < end and span.end > start for start, end in kept)
    ]
    if not replaced:
        return context
    parts, at = [], 0
    for start, end in replaced:
        before = context.text[:start].rstrip(_OPENING)
        opens = not before or before.endswith(_ENDS)
        parts += [context.text[at:start], SOMEONE.capitalize() if opens else SOMEONE]
        at = end
    text = "".join([*parts, context.text[at:]])
    return _moved(context, text, lambda place: place + _shift(place, replaced))


def _shift(place: int, replaced: list[Span]) -> int:
    return sum(len(SOMEONE) - (end - start) for start, end in replaced if end <= place)


def _moved(context: Context, text: str, move: Callable[[int], int]) -> Context:
    def moved(span: Span) -> Span:
        return Span(move(span.start), move(span.start) + span.end - span.start)

    return replace(
        context,
        text=text,
        span=moved(context.span),
        targets=tuple(replace(target, span=moved(target.span)) for target in context.targets),
        others=tuple(map(moved, context.others)),
    )


LONGEST_SENTENCE = 600
"""Characters of a sentence beyond which it is skipped: it is a list or a table."""

_WORD = re.compile(r"[^\W\d_]+")


class WordContext(NamedTuple):
    """A sentence, the word in it as it is written, and where it stands."""

    document: str
    text: str
    span: tuple[int, int]


def contexts_of_words(
    documents: Iterable[Document], words: Collection[str], *, size: int, seed: int
) -> dict[str, list[WordContext]]:
    """Up to `size` sentences for each word, each as likely as any other; a word without any has none.

    A word with a capital letter is a name and must be written so; others may begin a sentence.
    """
    rng = random.Random(seed)
    kept: dict[str, list[WordContext]] = {word: [] for word in words}
    seen = dict.fromkeys(words, 0)
    for document in documents:
        if not any(_as_listed(word, kept) for word in set(_WORD.findall(document.text))):
            continue
        for start, end in sentence_spans(document.text):
            sentence = document.text[start:end]
            if len(sentence) <= LONGEST_SENTENCE:
                for word, span in _words_in(sentence, kept).items():
                    seen[word] += 1
                    _keep(kept[word], WordContext(document.id, sentence, span), seen[word], size, rng)
    return kept


def _words_in(sentence: str, known: Collection[str]) -> dict[str, tuple[int, int]]:
    """Return the known words of a sentence with the position of their first occurrence."""
    places: dict[str, tuple[int, int]] = {}
    for match in _WORD.finditer(sentence):
        word = _as_listed(match.group(), known)
        if word:
            places.setdefault(word, match.span())
    return places


def _as_listed(word: str, known: Collection[str]) -> str:
    return word if word in known else word.lower() if word.lower() in known else ""


def _keep(sample: list[WordContext], context: WordContext, count: int, size: int, rng: random.Random) -> None:
    """Algorithm R: the first `size` are kept, each later one takes a random place with its due chance."""
    if len(sample) < size:
        sample.append(context)
        return
    place = rng.randrange(count)
    if place < size:
        sample[place] = context
