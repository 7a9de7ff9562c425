"""Scoring rules by name, each against its own definition written out as a loop."""

from pathlib import Path

import numpy as np
import pytest
import tiny
import torch
from tiny import plain_logprobs, wrapped

from equipoise.errors import UserError
from equipoise.models.questions import Score

TEXT = "They asked him whether the phlebotomist had called her back."


@pytest.mark.parametrize("family", ["bert", "roberta", "albert"])
def test_within_word_l2r_hides_the_rest_of_the_word(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    encoded = model.tokens.encode(TEXT)
    expected = []
    for place in encoded.content:
        ids = list(encoded.ids)
        for later in encoded.content:
            if later >= place and encoded.words[later] == encoded.words[place]:
                ids[later] = model.mask_id
        expected.append(float(plain_logprobs(model, ids)[place, encoded.ids[place]]))
    (found,) = model.answer([Score(TEXT, "within-word-l2r")])
    np.testing.assert_allclose(found.logprobs, expected, atol=1e-4)


def test_within_word_l2r_differs_from_original_only_inside_long_words(tmp_path: Path) -> None:
    """D17: a peer's constructor takes the rule and scores the original way all the same."""
    model = wrapped("bert", tmp_path)
    original, l2r = model.answer([Score(TEXT, "original"), Score(TEXT, "within-word-l2r")])
    encoded = model.tokens.encode(TEXT)
    words = [encoded.words[place] for place in encoded.content]
    last_piece = [word != after for word, after in zip(words, [*words[1:], None], strict=True)]
    for before, after, last in zip(original.logprobs, l2r.logprobs, last_piece, strict=True):
        assert (before == after) is last
    assert not all(last_piece)


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_unmasked_reads_every_token_in_place(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    encoded = model.tokens.encode(TEXT)
    logprobs = plain_logprobs(model, list(encoded.ids))
    expected = [float(logprobs[place, encoded.ids[place]]) for place in encoded.content]
    (found,) = model.answer([Score(TEXT, "unmasked")])
    np.testing.assert_allclose(found.logprobs, expected, atol=1e-4)
    assert set(found.weights) == {1.0}
    assert found.mean == pytest.approx(np.mean(expected), abs=1e-4)


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_unmasked_attention_weighs_by_attention_received(family: str, tmp_path: Path) -> None:
    """AULA: weights are attention averaged over layers, heads and asking tokens."""
    model = wrapped(family, tmp_path)
    encoded = model.tokens.encode(TEXT)
    model.transformers_model.set_attn_implementation("eager")
    with torch.no_grad():
        layers = model.transformers_model(
            input_ids=torch.tensor([encoded.ids]), output_attentions=True
        ).attentions
    model.transformers_model.set_attn_implementation("sdpa")
    received = torch.cat(layers, 0).mean(0).mean(0).mean(0)
    short = "He is a doctor."
    found = model.answer([Score(TEXT, "unmasked-attention"), Score(short, "unmasked-attention")])[0]
    np.testing.assert_allclose(found.weights, received[encoded.content], atol=1e-5)
    plain = model.answer([Score(TEXT, "unmasked")])[0]
    assert found.total == pytest.approx(float(np.dot(found.weights, plain.logprobs)), abs=1e-3)


def test_an_unknown_rule_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="within-word-l2r"):
        wrapped("bert", tmp_path).answer([Score(TEXT, "within-word-l2")])


def test_a_masked_rule_is_refused_by_a_causal_model(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="causal"):
        wrapped("gpt2", tmp_path).answer([Score(TEXT, "original")])


def test_special_tokens_are_not_scored_and_punctuation_is(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    (found,) = model.answer([Score("He is a doctor.")])
    assert "".join(found.tokens).replace("##", "") == "heisadoctor."


def test_the_first_word_of_a_causal_model_has_a_context(tmp_path: Path) -> None:
    model = wrapped("gpt2", tmp_path)
    (found,) = model.answer([Score("He is a doctor.")])
    assert not np.isnan(found.logprobs).any()
    assert model.start_ids == (tiny.tokenizer("byte-bpe").bos_token_id,)
