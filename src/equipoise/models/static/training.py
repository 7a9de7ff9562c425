"""Word vectors from text: skip-gram with negative sampling (Mikolov et al. 2013), trained by gensim.

The text is a file with a sentence on each line and an empty line after each document, read from the disk in
every pass. One thread trains, so that the same seed gives the same numbers on the same machine.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.errors import UserError
from equipoise.models.static.table import WordVectors

Advance = Callable[[int, int], None]
TOLD_EVERY = 1000
"""Sentences between two reports."""

WORDS_A_SECOND = 400_000
"""Words of text that one core reads in a second of training, for a first guess at the time."""


@dataclass(frozen=True)
class SkipGram:
    """Settings: numbers per vector, words on either side, passes, and the least count of a word."""

    width: int = 100
    window: int = 5
    epochs: int = 10
    fewest: int = 5

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 1:
                raise UserError(f"{name} is {value}.", "Give a whole number of 1 or more.")

    def seconds(self, words: int) -> float:
        """Estimate the seconds that a training on so many words takes."""
        return 1.0 + self.epochs * words / WORDS_A_SECOND


@dataclass(frozen=True)
class SentenceStream:
    """The sentences of a file, from the beginning each time; `resample` draws documents anew by a seed.

    Drawing is Poisson's bootstrap: every document stands as often as a draw with mean 1 says, the same in
    every pass. `told` hears the bytes that were read since it was last told.
    """

    path: Path
    resample: int | None = None
    told: Callable[[int], None] = lambda _size: None

    def __iter__(self) -> Iterator[list[str]]:
        rng = None if self.resample is None else np.random.default_rng(self.resample)

        def times() -> int:
            return 1 if rng is None else int(rng.poisson(1.0))

        document: list[list[str]] = []
        read = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file):
                read += len(line)
                words = line.decode("utf-8").split()
                if words:
                    document.append(words)
                else:
                    yield from document * times()
                    document = []
                if number % TOLD_EVERY == 0:
                    self.told(read)
                    read = 0
        yield from document * times()  # the last document may have no empty line after it
        self.told(read)


def require_gensim() -> Any:
    """The class that trains, or how to get it."""
    try:
        from gensim.models import Word2Vec
    except ImportError as error:
        raise UserError(
            "Training word vectors needs gensim, which is not installed.",
            "Install it with: pip install gensim.",
        ) from error
    return Word2Vec


def train_vectors(
    sentences: Path,
    recipe: SkipGram | None = None,
    *,
    seed: int = 0,
    resample: bool = False,
    advance: Advance | None = None,
) -> WordVectors:
    """Train vectors of all words that are frequent enough in a file of sentences, most frequent first.

    `advance` is told how many bytes of all passes have been read.
    """
    chosen, trainer = recipe or SkipGram(), require_gensim()
    stream = SentenceStream(sentences, seed if resample else None, _counted(sentences, chosen, advance))
    network = trainer(
        vector_size=chosen.width,
        window=chosen.window,
        min_count=chosen.fewest,
        sg=1,
        workers=1,
        seed=seed,
    )
    network.build_vocab(stream)
    if not len(network.wv):
        raise UserError(
            f"No word stands {chosen.fewest} times in the text.", "Give more text, or count rarer words."
        )
    network.train(stream, total_examples=network.corpus_count, epochs=chosen.epochs)
    return WordVectors(list(network.wv.index_to_key), np.asarray(network.wv.vectors, dtype=np.float32))


def _counted(sentences: Path, recipe: SkipGram, advance: Advance | None) -> Callable[[int], None]:
    """Adds up what was read: one pass counts words, the others train."""
    total, done = (recipe.epochs + 1) * sentences.stat().st_size, 0

    def told(size: int) -> None:
        nonlocal done
        done += size
        if advance is not None:
            advance(done, total)

    return told
