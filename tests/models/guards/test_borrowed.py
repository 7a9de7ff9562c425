"""A caller's model and tokenizer are left as they were, and weights changed later are noticed."""

import copy
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
import transformers

from equipoise.models.guards.weights import WeightWatch
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Embed, Fill, Score

QUESTIONS = [
    Score("He is a doctor.", "unmasked-attention"),
    Fill("[MASK] is a doctor.", ("he", "she")),
    Embed("She is an engineer.", layer=1),
]


def parts() -> tuple[Any, Any]:
    return copy.deepcopy(tiny.network("bert")), copy.deepcopy(tiny.tokenizer("wordpiece"))


def wrap(network: Any, tokenizer: Any, tmp_path: Path) -> Any:
    options = RunOptions(store=tmp_path / "answers.sqlite")
    return wrap_model(network, tokenizer, name="theirs", options=options)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_nothing_of_the_callers_is_changed(kind: torch.dtype, tmp_path: Path) -> None:
    network, tokenizer = parts()
    network.to(kind).train()
    network.bert.eval()  # a mixture, as when a part is frozen
    tokenizer.backend_tokenizer.enable_truncation(5)
    tokenizer.backend_tokenizer.enable_padding(length=9)
    modes = [module.training for module in network.modules()]
    before = {name: weight.clone() for name, weight in network.state_dict().items()}
    settings = tokenizer.backend_tokenizer.truncation, tokenizer.backend_tokenizer.padding
    attention = network.config._attn_implementation
    model = wrap(network, tokenizer, tmp_path)
    model.answer(QUESTIONS)
    assert [module.training for module in network.modules()] == modes
    assert {weight.dtype for weight in network.parameters()} == {kind}
    assert all(torch.equal(weight, before[name]) for name, weight in network.state_dict().items())
    assert (tokenizer.backend_tokenizer.truncation, tokenizer.backend_tokenizer.padding) == settings
    assert network.config._attn_implementation == attention
    assert not any("forward" in vars(module) for module in network.modules())


def test_weights_in_fp32_are_shared_not_copied(tmp_path: Path) -> None:
    network, tokenizer = parts()
    model = wrap(network, tokenizer, tmp_path)
    ours = dict(model.engine.forward.network.transformers_model.named_parameters())
    assert ours
    assert all(ours[name] is weight for name, weight in network.named_parameters())


def test_a_tokenizer_set_to_cut_texts_later_cuts_nothing_here(tmp_path: Path) -> None:
    network, tokenizer = parts()
    model = wrap(network, tokenizer, tmp_path)
    text = tiny.CORPUS[0]
    whole = model.tokens.encode(text).ids
    for used in (tokenizer, model.tokenizer):
        used([text, "He."], truncation=True, max_length=4, padding="max_length")
        assert model.tokens.encode(text).ids == whole


def train_a_step(network: Any) -> None:
    network.train()
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.05)
    ids = torch.tensor([[2, 20, 21, 22, 3]])
    network(input_ids=ids, labels=ids).loss.backward()
    optimiser.step()


def load_others(network: Any) -> None:
    network.load_state_dict(tiny.network("bert", seed=99).state_dict())


def write_data(network: Any) -> None:
    for weight, other in zip(network.parameters(), tiny.network("bert", seed=99).parameters(), strict=True):
        weight.data.copy_(other.data)


def write_one_row(network: Any) -> None:
    he = tiny.tokenizer("wordpiece").convert_tokens_to_ids("he")
    network.get_input_embeddings().weight.data[he] *= 3.0


def replace_a_weight(network: Any) -> None:
    head = network.cls.predictions.transform.dense
    head.weight = torch.nn.Parameter(head.weight.detach() * 2)


def halve_precision(network: Any) -> None:
    network.half()


CHANGES = [train_a_step, load_others, write_data, write_one_row, replace_a_weight, halve_precision]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_weights_answer_for_themselves(change: Any, tmp_path: Path) -> None:
    """A loop that measures between epochs sees every epoch, and the old weights' answers stay theirs."""
    network, tokenizer = parts()
    start = copy.deepcopy(network.state_dict())
    model = wrap(network, tokenizer, tmp_path)
    question = [Score("He is a doctor."), Fill("[MASK] is a doctor.", ("he", "she"))]
    before, known_as = model.answer(question), model.fingerprint
    change(network)
    after = model.answer(question)
    fresh = wrap(copy.deepcopy(network), tokenizer, tmp_path / "fresh")
    expected = fresh.answer(question)
    for ours, theirs in zip(after, expected, strict=True):
        np.testing.assert_allclose(ours.logprobs, theirs.logprobs, atol=1e-5)
    assert model.fingerprint == fresh.fingerprint != known_as
    assert np.abs(np.subtract(after[0].logprobs, before[0].logprobs)).max() > 1e-5
    network.float().load_state_dict(start)
    again = wrap(network, tokenizer, tmp_path)
    assert again.fingerprint == known_as
    assert again.answer(question) == before


def test_a_loaded_model_that_is_handed_out_and_trained_is_noticed_too() -> None:
    model: Any = load_model("random", cache=False)
    question = [Score("He is a doctor.")]
    before, known_as = model.answer(question), model.fingerprint
    write_to_head(model.transformers_model)
    after = model.answer(question)
    assert model.fingerprint != known_as
    assert np.abs(np.subtract(after[0].logprobs, before[0].logprobs)).max() > 1e-3


def write_to_head(network: Any) -> None:
    with torch.no_grad():
        network.cls.predictions.bias.add_(torch.linspace(-2, 2, len(network.cls.predictions.bias)))


def test_unchanged_weights_are_not_hashed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from equipoise.models.neural import base as neural

    model = wrap(*parts(), tmp_path)
    monkeypatch.setattr(neural, "fingerprint", None)
    model.answer(QUESTIONS)
    model.answer(QUESTIONS)
    assert model.engine.rows_run == 3


def test_looking_at_the_weights_of_bert_base_takes_milliseconds() -> None:
    with torch.device("cpu"):
        network = transformers.BertForMaskedLM(transformers.BertConfig())
    watch = WeightWatch(network)
    times = []
    for _ in range(5):
        start = time.process_time()
        assert not watch.has_changed()
        times.append(time.process_time() - start)
    assert min(times) < 0.02
