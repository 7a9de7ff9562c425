"""T5: a sentinel stands for the word, and the decoder writes it; against transformers' own forward pass."""

from typing import Any

import numpy as np
import pytest
import tiny
import torch
import transformers
from tokenizers import AddedToken

import equipoise as eq
from equipoise.errors import UserError
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill, Score

TEXT = "The nurse said that [MASK] would help the patient."
SENTINELS = ["<extra_id_0>", "<extra_id_1>"]


@pytest.fixture(scope="module")
def parts() -> tuple[Any, Any]:
    words = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tiny.tokenizer("unigram").backend_tokenizer.__class__.from_str(
            tiny.tokenizer("unigram").backend_tokenizer.to_str()
        ),
        model_max_length=96,
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
    )
    words.add_tokens([AddedToken(one, special=True) for one in SENTINELS])
    config = transformers.T5Config(
        vocab_size=len(words),
        d_model=32,
        d_kv=16,
        d_ff=48,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=words.pad_token_id,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
    )
    with torch.random.fork_rng():
        torch.manual_seed(3)
        network = transformers.T5ForConditionalGeneration(config).eval()
        for weight in network.parameters():
            weight.data += 0.2 * torch.randn_like(weight)
    return network, words


@pytest.fixture
def model(parts: tuple[Any, Any]) -> Any:
    return eq.wrap_model(*parts, name="t5", options=RunOptions(cache=False))


def written(parts: tuple[Any, Any], text: str, span: list[int]) -> torch.Tensor:
    """Log P of the span and of the sentinel that ends it, token by token in one plain forward pass."""
    network, words = parts
    first, second = words.convert_tokens_to_ids(SENTINELS)
    ids = words(text)["input_ids"]
    read = [*ids[: span[0]], first, *ids[span[-1] + 1 :]]
    labels = [first, *(ids[place] for place in span), second]
    with torch.no_grad():
        logits = network(input_ids=torch.tensor([read]), labels=torch.tensor([labels])).logits[0]
    return torch.log_softmax(logits.double(), -1)[range(len(labels)), labels]


def test_a_blank_is_a_span_that_the_decoder_writes(model: Any, parts: tuple[Any, Any]) -> None:
    words = ("he", "she", "phlebotomist")
    (answer,) = model.answer([Fill(TEXT, words)])
    for word, logprob, pieces in zip(words, answer.logprobs, answer.pieces, strict=True):
        text = TEXT.replace("[MASK]", word)
        start = TEXT.index("[MASK]")
        slot = model.tokens.encode(text).positions((start, start + len(word)))
        assert len(slot) == pieces
        assert logprob == pytest.approx(float(written(parts, text, slot)[1:].sum()), abs=1e-5)
    assert answer.pieces[2] > 1


def test_a_sentence_is_scored_one_sentinel_at_a_time(model: Any, parts: tuple[Any, Any]) -> None:
    text = tiny.CORPUS[1]
    (answer,) = model.answer([Score(text)])
    places = model.tokens.encode(text).content
    expected = [float(written(parts, text, [place])[1]) for place in places]
    np.testing.assert_allclose(answer.logprobs, expected, atol=1e-5)


def test_padding_does_not_change_an_answer(model: Any, parts: tuple[Any, Any]) -> None:
    texts = [tiny.CORPUS[0], "He is a doctor.", tiny.CORPUS[3]]
    together = model.answer([Score(text) for text in texts])
    for text, answer in zip(texts, together, strict=True):
        alone = eq.wrap_model(*parts, name="t5", options=RunOptions(cache=False))
        np.testing.assert_allclose(alone.answer([Score(text)])[0].logprobs, answer.logprobs, atol=1e-5)


def test_it_reads_one_blank_at_a_time(model: Any) -> None:
    with pytest.raises(UserError, match="one blank at a time"):
        model.answer([Fill("[MASK] saw [MASK].", ("he",), blank=0)])
