"""Head refit: the ridge against scipy's least squares, and a model of which only gendered rows move."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import tiny
import torch
import transformers

from equipoise.errors import UserError
from equipoise.mitigations.base import Materials
from equipoise.mitigations.distilling.contexts import frame_contexts
from equipoise.mitigations.head_refit import HeadRefit, solve_ridge
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill
from equipoise.text.rewriting.mirroring import Mirror


def test_the_ridge_is_least_squares_with_rows_added() -> None:
    rng = np.random.default_rng(0)
    inputs, wanted, weights = rng.normal(size=(40, 5)), rng.normal(size=40), rng.uniform(0.1, 2, size=40)
    solved = solve_ridge(*(torch.tensor(one) for one in (inputs, wanted, weights)), 0.1)
    scale = 0.1 * np.mean(np.sum(weights[:, None] * inputs**2, axis=0))
    rows = np.vstack([np.sqrt(weights)[:, None] * inputs, np.sqrt(scale) * np.eye(5)])
    expected = scipy.linalg.lstsq(rows, np.concatenate([np.sqrt(weights) * wanted, np.zeros(5)]))[0]
    np.testing.assert_allclose(solved, expected, rtol=1e-8)


@pytest.fixture(scope="module")
def model() -> Any:
    words = tiny.tokenizer("wordpiece")
    return wrap_model(tiny.network("bert"), words, name="bert", options=RunOptions(cache=False))


@pytest.fixture(scope="module")
def changed(model: Any) -> Any:
    return HeadRefit(frames=200, keep=0.1).change(model, Materials()).model


def lean(model: Any, texts: list[str]) -> float:
    answers = model.answer([Fill(text, ("he", "she")) for text in texts])
    return float(np.mean([abs(answer.logprobs[0] - answer.logprobs[1]) for answer in answers]))


def test_neutral_texts_lean_less(model: Any, changed: Any) -> None:
    contexts = frame_contexts(Mirror(), 0, count=200)
    texts = [
        c.text for c in contexts if c.kind == "occupation" and c.text.count("[MASK]") == 1 and c.mirrored
    ]
    assert lean(changed, texts) < 0.3 * lean(model, texts)


def test_only_gendered_rows_move(model: Any, changed: Any) -> None:
    before, after = model.transformers_model, changed.transformers_model
    assert torch.equal(before.get_input_embeddings().weight, after.get_input_embeddings().weight)
    moved = (before.get_output_embeddings().weight != after.get_output_embeddings().weight).any(dim=1)
    words = {model.tokens.token(int(one)) for one in moved.nonzero()}
    assert {"he", "she", "his", "her"} <= words
    assert not words & {"the", "doctor", "nurse", "they", "."}


def test_the_folder_is_plain(changed: Any, tmp_path: Path) -> None:
    changed.transformers_model.save_pretrained(tmp_path)
    changed.tokenizer.save_pretrained(tmp_path)
    asked = [Fill("[MASK] is a doctor.", ("he", "she", "they"))]
    again = load_model(tmp_path, cache=False)
    assert again.answer(asked)[0].logprobs == pytest.approx(changed.answer(asked)[0].logprobs, abs=1e-5)
    plain = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path)
    torch.testing.assert_close(
        plain.get_output_embeddings().weight, changed.transformers_model.get_output_embeddings().weight
    )


def test_a_ridge_of_nothing_is_refused(model: Any) -> None:
    with pytest.raises(UserError, match="ridge 0"):
        HeadRefit(ridge=0.0).change(model, Materials())
