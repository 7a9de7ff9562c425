"""What a causal model reads before a text: a named choice, noted in the result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
from tiny import wrapped

import equipoise as eq
from equipoise.errors import UserError
from equipoise.models.questions import Fill, Score

TEXT = "He is a doctor and she is an engineer."


def plain(model: Any, ids: list[int]) -> list[float]:
    """Log P of each token but the first, from one forward pass of transformers."""
    with torch.no_grad():
        logits = model.transformers_model(input_ids=torch.tensor([ids])).logits[0]
    logprobs = torch.log_softmax(logits.double(), -1)
    return [float(logprobs[place - 1, token]) for place, token in enumerate(ids) if place]


@pytest.mark.parametrize("family", tiny.CAUSAL_FAMILIES)
@pytest.mark.parametrize("start", ["auto", "bos", "newline", "none"])
def test_scores_after_each_start(family: str, start: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path, start=start)
    words = model.tokenizer
    ids = words(TEXT, add_special_tokens=False)["input_ids"]
    before = {
        "auto": [words.bos_token_id],
        "bos": [words.bos_token_id],
        "newline": words("\n", add_special_tokens=False)["input_ids"],
        "none": [],
    }[start]
    (answer,) = model.answer([Score(TEXT)])
    expected = plain(model, [*before, *ids])[max(0, len(before) - 1) :]
    np.testing.assert_allclose(answer.logprobs[: len(expected)], expected, atol=1e-5)
    assert len(answer.logprobs) == len(model.tokens.encode(TEXT).content) - (start == "none")
    assert any("texts begin" in note for note in model.notes)


def test_a_start_that_is_a_chat_marker_is_noted(tmp_path: Path) -> None:
    words = tiny.tokenizer("byte-bpe")
    chatting = words.__class__(tokenizer_object=words.backend_tokenizer, bos_token="<s>", eos_token="</s>")
    chatting.chat_template = "{% for m in messages %}<s>{{ m['content'] }}{% endfor %}"
    model = eq.wrap_model(tiny.network("gpt2"), chatting, name="chat")
    assert any("marker of chats" in note for note in model.notes)
    assert not any("marker of chats" in note for note in wrapped("gpt2", tmp_path).notes)


def test_a_start_that_is_not_there_is_refused(tmp_path: Path) -> None:
    words = tiny.tokenizer("byte-bpe")
    bare = words.__class__(tokenizer_object=words.backend_tokenizer, eos_token="</s>", pad_token="<pad>")
    with pytest.raises(UserError, match="no start token"):
        eq.wrap_model(tiny.network("gpt2"), bare, name="bare", options=eq.RunOptions(start="bos"))
    with pytest.raises(UserError, match="start of a text"):
        eq.RunOptions(start="bso")


def test_the_start_is_part_of_what_is_stored(tmp_path: Path) -> None:
    """One store, two starts: neither reads the other's answers."""
    question = Fill("[MASK] is a doctor.", ("He", "She"))
    values = [
        wrapped("gpt2", tmp_path, start=start).answer([question])[0].logprobs for start in ("bos", "newline")
    ]
    assert abs(values[0][0] - values[1][0]) > 1e-4
