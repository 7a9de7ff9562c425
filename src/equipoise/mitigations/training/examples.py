"""From texts to token ids: sentences or whole documents, none longer than the model reads, none lost."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from equipoise.corpora.documents import Document
from equipoise.errors import UserError, unknown_name
from equipoise.models.neural.words import Encoded, Tokens
from equipoise.text.sentences import sentence_spans

UNITS = ("sentence", "document")
FEWEST_DOCUMENTS = 5
"""Documents that can be split at all; with fewer, what is held out says nothing."""


@dataclass(frozen=True)
class Example:
    """What is read at once: token ids, and the word that each token belongs to (-1: special)."""

    ids: tuple[int, ...]
    words: tuple[int, ...]

    def behind(self, start: tuple[int, ...]) -> "Example":
        """The same behind the ids that a model reads first, as a special token each."""
        own = [place for place, word in enumerate(self.words) if word >= 0 or not start]
        ids, words = (tuple(values[place] for place in own) for values in (self.ids, self.words))
        return Example((*start, *ids), (*(-1 for _ in start), *words))

    def __len__(self) -> int:
        return len(self.ids)


def split_documents(
    documents: Sequence[Document], share: float, seed: int
) -> tuple[list[Document], list[Document]]:
    """Documents to train on and documents held out; every copy of one is on the same side.

    Splitting comes before any rewriting: otherwise a text would be trained on and its twin held out.
    """
    if not share:
        return list(documents), []
    names = sorted({document.id for document in documents})
    if len(names) < FEWEST_DOCUMENTS:
        raise UserError(
            f"A corpus of {len(names)} documents is too small to hold some of them out.",
            f"Give at least {FEWEST_DOCUMENTS}, or set validation=0 to train on everything.",
        )
    count = max(1, round(share * len(names)))
    drawn = np.random.default_rng(seed).permutation(len(names))[:count]
    held = {names[place] for place in drawn}
    train = [document for document in documents if document.id not in held]
    return train, [document for document in documents if document.id in held]


def text_pieces(texts: Iterable[str], unit: str) -> Iterator[str]:
    """The texts themselves, or their sentences."""
    if unit not in UNITS:
        raise unknown_name("unit of text", unit, UNITS)
    for text in texts:
        if unit == "document":
            yield text
        else:
            yield from (text[start:end] for start, end in sentence_spans(text))


def encode_examples(pieces: Iterable[str], tokens: Tokens, longest: int) -> list[Example]:
    """Every piece as ids; one that is too long is cut into parts at the borders of its words."""
    examples: list[Example] = []
    for encoded in tokens.encode_all(list(pieces)):
        examples.extend(_parts(encoded, longest))
    return [one for one in examples if any(word >= 0 for word in one.words)]


def _parts(encoded: Encoded, longest: int) -> Iterator[Example]:
    words = word_numbers(encoded)
    if len(words) <= longest:
        yield Example(encoded.ids, words)
        return
    before, after = _edges(encoded)
    inner = range(before, len(words) - after)
    room = longest - before - after
    part: list[int] = []
    for _, group in groupby(inner, key=lambda place: words[place]):
        word = list(group)
        if part and len(part) + len(word) > room:
            yield _framed(encoded, words, part, (before, after))
            part = []
        while len(word) > room:  # a chain of letters longer than the model reads
            yield _framed(encoded, words, word[:room], (before, after))
            word = word[room:]
        part += word
    yield _framed(encoded, words, part, (before, after))


def _framed(encoded: Encoded, words: Sequence[int], part: list[int], edges: tuple[int, int]) -> Example:
    """A part of a long text between the special tokens of the whole."""
    before, after = edges
    places = [*range(before), *part, *range(len(words) - after, len(words))]
    return Example(tuple(encoded.ids[place] for place in places), tuple(words[place] for place in places))


def _edges(encoded: Encoded) -> tuple[int, int]:
    """How many special tokens stand before and after the text."""
    content = encoded.content
    return (content[0], len(encoded.ids) - 1 - content[-1]) if content else (0, 0)


def word_numbers(encoded: Encoded) -> tuple[int, ...]:
    """The word of every token, numbered from 0; pieces belong to one word when no space is between them.

    Tokenizers number words in their own ways (one that reads sentences whole has a single one), so white
    space decides; punctuation is a word of its own where the tokenizer says so.
    """
    numbers: list[int] = []
    current, last_end, last_id = -1, -1, object()
    for (start, end), special, own in zip(encoded.spans, encoded.special, encoded.words, strict=True):
        if special:
            numbers.append(-1)
            continue
        piece: Any = encoded.text[start:end]
        starts_new = current < 0 or own != last_id or start > last_end or piece[:1].isspace()
        current += starts_new
        numbers.append(current)
        last_end, last_id = end, own
    return tuple(numbers)
