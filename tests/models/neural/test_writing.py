"""Texts that a causal model writes: transformers' own, each with a seed, none written twice."""

from pathlib import Path
from typing import Any

import pytest
import tiny
import torch
from tiny import wrapped

from equipoise.errors import UnaskableError, UserError
from equipoise.models.questions import Generate, Score

QUESTION = Generate("The nurse said", is_chat=False, max_tokens=6, temperature=0.0)


def test_the_likeliest_text_is_that_of_transformers(tmp_path: Path) -> None:
    model = wrapped("gpt2", tmp_path)
    (answer,) = model.answer([QUESTION])
    ids = model.tokenizer(QUESTION.text)["input_ids"]
    network = model.transformers_model
    for _ in range(QUESTION.max_tokens):  # greedy search by hand
        with torch.no_grad():
            ids.append(int(network(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == model.tokenizer.eos_token_id:
            break
    written = ids[len(model.tokenizer(QUESTION.text)["input_ids"]) :]
    assert answer.texts == (model.tokenizer.decode(written, skip_special_tokens=True),)


def test_texts_have_seeds_of_their_own_and_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question = Generate("The nurse said", is_chat=False, count=3, max_tokens=6, seed=5)
    (first,) = wrapped("gpt2", tmp_path).answer([question])
    assert len(set(first.texts)) > 1
    again = wrapped("gpt2", tmp_path)
    monkeypatch.setattr(type(tiny.network("gpt2")), "generate", None)
    assert again.answer([question]) == [first]
    later = Generate("The nurse said", is_chat=False, count=2, max_tokens=6, seed=6)
    assert again.answer([later])[0].texts == first.texts[1:]


def test_texts_and_scores_come_back_in_the_order_asked(tmp_path: Path) -> None:
    model = wrapped("gpt2", tmp_path)
    score, text = Score("He is a doctor."), QUESTION
    mixed = model.answer([score, text, score])
    assert mixed[0] == mixed[2] == wrapped("gpt2", tmp_path).answer([score])[0]
    assert mixed[1] == model.answer([text])[0]


def test_a_prompt_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnaskableError, match="to write are more"):
        wrapped("gpt2", tmp_path).answer([Generate("He left. " * 60, is_chat=False)])
    masked: Any = wrapped("bert", tmp_path)
    with pytest.raises(UserError, match="cannot write a text"):
        masked.answer([QUESTION])
