"""How often the network and the tokenizer are run: once where once is enough, with the same answers."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from tiny import wrapped

from equipoise.models.engine.forward import LanguageForward, find_places, padded_if_needed
from equipoise.models.engine.rows import Row
from equipoise.models.neural.network import Network
from equipoise.models.neural.words import place_word
from equipoise.models.questions import Embed, Fill, TopFill

TEXT = "The nurse said that she would help the patient before he left the ward."


def count_calls(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[str]:
    calls: list[str] = []
    plain = getattr(owner, name)

    def counted(*given: Any, **named: Any) -> Any:
        calls.append(name)
        return plain(*given, **named)

    monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.mark.parametrize("family", ["bert", "roberta", "gpt2", "bart"])
def test_three_layers_and_two_spans_are_one_pass(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = wrapped(family, tmp_path)
    questions = [Embed(TEXT, layer=layer, span=span) for layer in (0, 1, -1) for span in ((4, 9), (20, 23))]
    alone = [wrapped(family, tmp_path / str(n)).answer([q])[0] for n, q in enumerate(questions)]
    calls = count_calls(monkeypatch, Network, "layers")
    together = model.answer(questions)
    assert len(calls) == model.engine.rows_run == 1
    for ours, theirs in zip(together, alone, strict=True):
        np.testing.assert_allclose(ours.vector, theirs.vector, atol=1e-6)
    again = wrapped(family, tmp_path)
    for ours, theirs in zip(again.answer(questions), together, strict=True):
        np.testing.assert_array_equal(ours.vector, theirs.vector)
    assert again.engine.rows_run == 0


def test_another_layer_asked_later_keeps_the_first(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    model.answer([Embed(TEXT, layer=1)])
    model.answer([Embed(TEXT, layer=0)])
    assert model.engine.rows_run == 2
    model.answer([Embed(TEXT, layer=0), Embed(TEXT, layer=1)])
    assert model.engine.rows_run == 2


class CountingBackend:
    """A tokenizer's backend that counts how often it is asked to tokenise."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.backend, name)

    def encode(self, text: str) -> Any:
        self.calls += 1
        return self.backend.encode(text)

    def encode_batch(self, texts: list[str]) -> Any:
        self.calls += 1
        return self.backend.encode_batch(texts)


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "albert", "gpt2"])
def test_a_fill_of_eighty_words_is_tokenised_in_one_call(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    letters = {letter for text in tiny.CORPUS for letter in text.lower() if letter.isalpha()}
    spelt = [first + second for first in sorted(letters) for second in "aeio"]
    words = tuple(dict.fromkeys(["he", "she", "phlebotomist", *spelt]))[:80]
    question = Fill("The nurse said that [MASK] would help.", words, unknown_as_nan=True)
    one_by_one = [place_word(model.tokens, question.text, word) for word in words]
    model.tokens.backend = CountingBackend(model.tokens.backend)
    model.ask(question)
    assert len(words) == 80
    assert model.tokens.backend.calls == 1
    from equipoise.models.neural.words import place_words

    assert place_words(model.tokens, question.text, words) == one_by_one


@pytest.mark.parametrize("family", [*tiny.MASKED_FAMILIES, "bart"])
def test_a_probe_is_one_pass(family: str, tmp_path: Path) -> None:
    """Given words of one piece and the likeliest words at the same blank read one row.

    Where a tokenizer writes a space before the mask that it does not write before a word there are two rows,
    in one batch.
    """
    model = wrapped(family, tmp_path)
    text = "The nurse said that [MASK] would help."
    single = [w for w in ("he", "she", "they", "it", "a", "the") if _pieces(model, text, w) == 1]
    assert single
    given, likeliest = model.answer([Fill(text, tuple(single)), TopFill(text, 5)])
    assert model.engine.passes == 1
    assert model.engine.rows_run == (2 if tiny.TOKENIZER_OF.get(family) in ("byte-bpe", "unigram") else 1)
    apart = wrapped(family, tmp_path / "apart")
    np.testing.assert_allclose(
        given.logprobs, apart.answer([Fill(text, tuple(single))])[0].logprobs, atol=1e-5
    )
    np.testing.assert_allclose(likeliest.logprobs, apart.answer([TopFill(text, 5)])[0].logprobs, atol=1e-5)


def _pieces(model: Any, text: str, word: str) -> int:
    return len(place_word(model.tokens, text, word).slot)


@pytest.mark.parametrize("family", ["bert", "roberta", "gpt2"])
def test_every_tensor_of_a_pass_is_made_on_the_device_of_the_network(family: str) -> None:
    """On `meta`, which has no numbers: a tensor that was made elsewhere would be refused."""
    network = Network(deepcopy(tiny.network(family)))
    network.model.to("meta")
    network.device, network.last = torch.device("meta"), None
    forward = LanguageForward(network, 0)
    rows = [Row((1, 5, 6, 7, 2), ((2, 5),)), Row((1, 5, 6, 8, 2), ((1, 5), (1, 6)))]
    ids, attention = padded_if_needed([row.ids for row in rows], 0, forward.device)
    logits = list(forward._logits_at(find_places(rows), (ids, attention, None)))
    assert sum(len(chunk) for chunk in logits) == 2
    assert all(chunk.device.type == "meta" and chunk.shape[1] == network.vocabulary for chunk in logits)
    states = network.layers(ids, attention, {0, -1})
    assert {state.device.type for state in states.values()} == {"meta"}
