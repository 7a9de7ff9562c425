"""A vocabulary of the right size but other words is refused where the weights were trained on their own."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import transformers
from tokenizers import BertWordPieceTokenizer, Tokenizer
from tokenizers.models import WordLevel

from equipoise.errors import UserError
from equipoise.models.guards.tokenizer import agreement, related_pairs, structure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions

SPECIAL = 999
"""The first entries of the vocabulary are special or unused: they stay where they are."""


@cache
def shipped() -> Any:
    return load_model("embedded", cache=False)


def entries() -> list[str]:
    vocabulary = shipped().tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.__getitem__)


def tokenizer_of(words: list[str]) -> Any:
    """A tokenizer like the shipped model's with its words in another order."""
    backend = BertWordPieceTokenizer({word: place for place, word in enumerate(words)}, lowercase=True)
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("mask", "unk", "pad", "cls", "sep")}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend._tokenizer, **names)


def wrap(network: Any, words: list[str]) -> Any:
    return wrap_model(network, tokenizer_of(words), name="mixed", options=RunOptions(cache=False))


def shuffled(words: list[str]) -> list[str]:
    rest = words[SPECIAL:]
    return words[:SPECIAL] + [rest[place] for place in np.random.default_rng(0).permutation(len(rest))]


@pytest.mark.parametrize(
    "reorder",
    [shuffled, lambda words: words[:SPECIAL] + sorted(words[SPECIAL:])],
    ids=["shuffled", "alphabetical"],
)
def test_another_vocabulary_of_the_same_size_is_refused(reorder: Any) -> None:
    words = reorder(entries())
    assert len(words) == len(entries())
    with pytest.raises(UserError, match="'mixed' belongs to another model") as caught:
        wrap(shipped().transformers_model, words)
    assert "saved with these weights" in caught.value.hint


def test_the_right_vocabulary_is_taken() -> None:
    assert wrap(shipped().transformers_model, entries()).kind == "masked"


def test_random_weights_know_no_words_and_are_taken_with_any() -> None:
    """Large ones too, to whom every sentence is unlikely: nothing was learned that could be contradicted."""
    config = transformers.BertConfig(
        vocab_size=len(entries()),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    config.initializer_range = 3.0
    assert wrap(transformers.BertForMaskedLM(config), shuffled(entries())).kind == "masked"


def test_pairs_are_words_with_another_ending_or_in_capitals() -> None:
    words = ("days", "Frau", "Frauen", "frau", "day", "book", "books", "is", "iss", "bookshelf")
    backend = Tokenizer(WordLevel({word: place for place, word in enumerate(words)}, unk_token="is"))
    # day is too short to tell, and so is is.
    assert related_pairs(backend).tolist() == [[1, 2], [1, 3], [5, 6]]


def test_agreement_and_structure_by_hand() -> None:
    first = np.eye(4, dtype=np.float32)
    assert agreement(first, first) == 1.0
    assert agreement(first, np.roll(first, 2, axis=0)) == 0.0
    random = np.random.default_rng(1).normal(size=(2, 900, 64)).astype(np.float32)
    directions = random / np.linalg.norm(random, axis=2, keepdims=True)
    assert agreement(*directions) == pytest.approx(0.5, abs=0.05)
    assert structure(directions[0]) < 1.0
    near = np.repeat(directions[0, ::2], 2, axis=0) + 0.05 * directions[1]
    assert structure(near / np.linalg.norm(near, axis=1, keepdims=True)) > 1.8
