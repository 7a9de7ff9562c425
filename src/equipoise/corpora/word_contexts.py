"""Sentences of a corpus that hold given words: a random sample for each word, drawn in one pass."""

import random
import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from equipoise.corpora.documents import Document
from equipoise.text.sentences import sentence_spans

LONGEST = 600
"""Characters of a sentence beyond which it is passed over: it is a list or a table."""

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
            if len(sentence) <= LONGEST:
                for word, span in _words_in(sentence, kept).items():
                    seen[word] += 1
                    _keep(kept[word], WordContext(document.id, sentence, span), seen[word], size, rng)
    return kept


def _words_in(sentence: str, known: Collection[str]) -> dict[str, tuple[int, int]]:
    """The known words of a sentence where they first stand."""
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
