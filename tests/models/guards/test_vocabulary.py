"""A tokenizer of another vocabulary is refused when the model is made, not when it is asked."""

import copy
from pathlib import Path
from typing import Any

import pytest
import tiny
import transformers

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill


def with_entries(share: float) -> Any:
    """The small BERT with as many entries as a share of its tokenizer's."""
    network = copy.deepcopy(tiny.network("bert"))
    network.resize_token_embeddings(round(share * len(tiny.tokenizer("wordpiece"))))
    return network


def wrap(network: Any, kind: str = "wordpiece") -> Any:
    return wrap_model(network, tiny.tokenizer(kind), name="mixed", options=RunOptions(cache=False))


def test_more_words_than_vectors_are_refused() -> None:
    with pytest.raises(UserError, match="some words have no vector") as caught:
        wrap(tiny.network("bert"), "byte-bpe")
    assert "tokenizer that was saved with these weights" in caught.value.hint
    with pytest.raises(UserError, match="some words have no vector"):
        wrap(with_entries(0.99))


def test_far_fewer_words_than_vectors_are_refused() -> None:
    with pytest.raises(UserError, match="belongs to another model"):
        wrap(with_entries(1.2))


def test_the_tokenizer_of_a_cased_sibling_is_refused() -> None:
    """28,996 entries beside the 30,522 of uncased weights."""
    with pytest.raises(UserError, match="belongs to another model"):
        wrap(with_entries(30_522 / 28_996))


def test_vectors_padded_to_a_round_number_are_fine() -> None:
    model = wrap(with_entries(1.02))
    assert model.answer([Fill("[MASK] is a doctor.", ("he",))])[0].probability("he") > 0


def test_a_token_added_to_the_tokenizer_alone_is_refused() -> None:
    words = copy.deepcopy(tiny.tokenizer("wordpiece"))
    words.add_tokens(["neologism"])
    with pytest.raises(UserError, match="some words have no vector"):
        wrap_model(tiny.network("bert"), words, name="mixed", options=RunOptions(cache=False))


def test_a_folder_with_the_wrong_tokenizer_is_refused(tmp_path: Path) -> None:
    tiny.network("bert").save_pretrained(tmp_path)
    tiny.tokenizer("byte-bpe").save_pretrained(tmp_path)
    with pytest.raises(UserError, match="some words have no vector"):
        load_model(tmp_path, cache=False)


def test_a_classifier_with_the_wrong_tokenizer_is_refused() -> None:
    network = transformers.BertForSequenceClassification(tiny.network("bert").config)
    assert wrap(network).labels
    with pytest.raises(UserError, match="some words have no vector"):
        wrap(network, "byte-bpe")
