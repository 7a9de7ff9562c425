"""What a network does beside its weights is part of what it is: hooks, adapters, exchanged modules."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peft
import pytest
import tiny
import torch

from equipoise.models.guards.weights import customisations
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions

TEXT, WORDS = "The nurse said that [MASK] would help.", ["he", "she"]


def network() -> Any:
    return copy.deepcopy(tiny.network("bert", 11))


def wrap(module: Any, folder: Path) -> Any:
    options = RunOptions(store=folder / "answers.sqlite")
    return wrap_model(module, tiny.tokenizer("wordpiece"), name="theirs", options=options)


def by_transformers(module: Any) -> list[float]:
    """Log P of both words, by the network's own forward."""
    tokenizer = tiny.tokenizer("wordpiece")
    ids = tokenizer(TEXT, return_tensors="pt").input_ids
    place = int((ids[0] == tokenizer.mask_token_id).nonzero())
    with torch.no_grad():
        logprobs = copy.deepcopy(module).eval()(input_ids=ids).logits[0, place].log_softmax(-1)
    return logprobs[tokenizer.convert_tokens_to_ids(WORDS)].tolist()


def steer(module: Any) -> None:
    def double(_module: Any, _inputs: Any, output: Any) -> Any:
        return (output[0] * 2.0, *output[1:]) if isinstance(output, tuple) else output * 2.0

    module.bert.encoder.layer[0].register_forward_hook(double)


def exchange_activation(module: Any) -> None:
    for layer in module.bert.encoder.layer:
        layer.intermediate.intermediate_act_fn = torch.nn.Tanh()


def widen_norm(module: Any) -> None:
    module.bert.embeddings.LayerNorm.eps = 1.0


def replace_forward(module: Any) -> None:
    dense = module.bert.encoder.layer[0].output.dense
    own = dense.forward
    dense.forward = lambda states: own(states) * 3.0


def steer_long_rows(module: Any) -> None:
    """The probe rows of the engine have four tokens: they do not notice this hook."""

    def double(_module: Any, _inputs: Any, output: Any) -> Any:
        return (output[0] * 2.0, *output[1:]) if output[0].shape[1] > 4 else output

    module.bert.encoder.layer[-1].attention.register_forward_hook(double)


class AboveFour(torch.nn.Module):
    """A projection that does more on long rows."""

    def __init__(self, own: Any) -> None:
        super().__init__()
        self.own = own

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        projected = self.own(states)
        return projected * 3.0 if states.dim() == 3 and states.shape[1] > 4 else projected


def replace_projection(module: Any) -> None:
    attention = module.bert.encoder.layer[-1].attention.self
    attention.query = AboveFour(attention.query)


class Larger(torch.nn.Module):
    """A parametrisation that makes every weight larger."""

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * 1.5


def parametrise(module: Any) -> None:
    query = module.bert.encoder.layer[-1].attention.self.query
    torch.nn.utils.parametrize.register_parametrization(query, "weight", Larger())


def hook_head_by_position(module: Any) -> None:
    """The head alone sees chosen positions only, so their numbers are not those of the row."""

    def scale(_module: Any, _inputs: Any, output: Any) -> Any:
        return output * torch.arange(1, output.shape[-2] + 1)[:, None] if output.shape[-2] > 4 else output

    module.cls.predictions.transform.register_forward_hook(scale)


CHANGES = [
    *(steer, exchange_activation, widen_norm, replace_forward, steer_long_rows, replace_projection),
    *(parametrise, hook_head_by_position),
]


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_beside_the_weights_is_noticed(change: Callable[[Any], None], tmp_path: Path) -> None:
    """The answers of the plain network lie in the same store, under other names."""
    module = network()
    before = wrap(module, tmp_path)
    plain, print_before = before.fill(TEXT, WORDS)["logprob"].tolist(), before.fingerprint
    assert plain == pytest.approx(by_transformers(module), abs=1e-5)
    change(module)
    changed = by_transformers(module)
    assert changed != pytest.approx(plain, abs=1e-2)
    for model in (before, wrap(module, tmp_path)):
        assert model.fill(TEXT, WORDS)["logprob"].tolist() == pytest.approx(changed, abs=1e-5)
        assert model.fingerprint != print_before


def test_a_hook_on_every_module_of_the_process_is_noticed(tmp_path: Path) -> None:
    module = network()
    model = wrap(module, tmp_path)
    plain = model.fill(TEXT, WORDS)["logprob"].tolist()

    def double(called: Any, _inputs: Any, output: Any) -> Any:
        is_long = isinstance(called, torch.nn.LayerNorm) and output.shape[-2] > 4
        return output * 2.0 if is_long else output

    handle = torch.nn.modules.module.register_module_forward_hook(double)
    try:
        hooked = by_transformers(module)
        assert hooked != pytest.approx(plain, abs=1e-2)
        assert model.fill(TEXT, WORDS)["logprob"].tolist() == pytest.approx(hooked, abs=1e-5)
    finally:
        handle.remove()
    assert model.fill(TEXT, WORDS)["logprob"].tolist() == pytest.approx(plain, abs=1e-5)


def test_a_hook_that_is_gone_leaves_the_model_it_was(tmp_path: Path) -> None:
    module = network()
    model = wrap(module, tmp_path)
    before = model.fingerprint
    handle = module.bert.register_forward_pre_hook(lambda _module, _inputs: None)
    assert model.fingerprint != before
    handle.remove()
    assert model.fingerprint == before


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")  # by peft
def test_adapters_that_are_switched_are_noticed(tmp_path: Path) -> None:
    module = network()
    strong = peft.LoraConfig(target_modules=["query", "value"], init_lora_weights=False, r=4, lora_alpha=64)
    adapted = peft.get_peft_model(module, strong)
    adapted.add_adapter("second", strong)
    model = wrap(module, tmp_path)
    seen = {}
    for name in ("default", "second"):
        adapted.set_adapter(name)
        seen[model.fingerprint] = by_transformers(module)
        assert model.fill(TEXT, WORDS)["logprob"].tolist() == pytest.approx(by_transformers(module), abs=1e-5)
    with adapted.disable_adapter():
        seen[model.fingerprint] = by_transformers(module)
        assert model.fill(TEXT, WORDS)["logprob"].tolist() == pytest.approx(by_transformers(module), abs=1e-5)
    assert len(seen) == len({tuple(values) for values in seen.values()}) == 3


@pytest.mark.parametrize("family", tiny.FAMILIES)
def test_a_network_as_its_configuration_builds_it_has_nothing_peculiar(family: str) -> None:
    assert customisations(tiny.network(family)) == ""


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_a_loaded_model_that_others_put_into_training_answers_as_before(family: str, tmp_path: Path) -> None:
    """Dropout in an answer would be kept in the store, for every later run."""
    module = copy.deepcopy(tiny.network(family))
    module.save_pretrained(tmp_path / "model")
    tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece")).save_pretrained(tmp_path / "model")
    options = RunOptions(store=tmp_path / "answers.sqlite")
    model = load_model(str(tmp_path / "model"), options)
    model.transformers_model.train()
    answered = model.fill(TEXT, WORDS)["logprob"].tolist()
    vectors = model.embed([TEXT.replace("[MASK]", "he")])
    assert model.transformers_model.training
    fresh = load_model(str(tmp_path / "model"), RunOptions(cache=False))
    assert answered == fresh.fill(TEXT, WORDS)["logprob"].tolist()
    assert (vectors == fresh.embed([TEXT.replace("[MASK]", "he")])).all()
    assert model.fingerprint == fresh.fingerprint


def test_weights_trained_in_the_hands_of_others_are_still_noticed(tmp_path: Path) -> None:
    model = wrap(network(), tmp_path)
    before = model.fill(TEXT, WORDS)["logprob"].tolist()
    with torch.no_grad():
        model.transformers_model.get_output_embeddings().bias.add_(torch.randn(()) + torch.arange(190) * 0.01)
    assert model.fill(TEXT, WORDS)["logprob"].tolist() != before


@pytest.mark.parametrize("name", ["a folder", "embedded"])
def test_a_hook_on_a_loaded_model_steers_its_answers(name: str, tmp_path: Path) -> None:
    """The shipped model runs in plain torch until others have it; then it is transformers' own."""
    if name == "a folder":
        name = str(tmp_path / "model")
        network().save_pretrained(name)
        tiny.tokenizer("wordpiece").save_pretrained(name)
    model = load_model(name, RunOptions(store=tmp_path / "answers.sqlite"))
    plain, before = model.fill("[MASK] is a nurse.", WORDS)["logprob"].tolist(), model.fingerprint
    layer = model.transformers_model.bert.encoder.layer[0]
    assert (model.fingerprint, model.transformers_model.training) == (before, False)
    handle = layer.register_forward_hook(lambda _module, _inputs, output: output * 1.5)
    assert model.fill("[MASK] is a nurse.", WORDS)["logprob"].tolist() != pytest.approx(plain, abs=1e-2)
    handle.remove()
    assert model.fingerprint == before
    assert model.fill("[MASK] is a nurse.", WORDS)["logprob"].tolist() == plain


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_what_is_handed_out_of_a_caller_s_network_is_ready_to_be_copied(
    kind: torch.dtype, tmp_path: Path
) -> None:
    """In fp32 and not in training, whatever the caller's own is in."""
    module = network().to(kind).train()
    handed = wrap(module, tmp_path).transformers_model
    assert not handed.training
    assert {weight.dtype for weight in handed.parameters()} == {torch.float32}
    assert module.training


def test_what_is_handed_out_is_of_the_weights_as_they_are_now(tmp_path: Path) -> None:
    """In bf16 the weights are copied: a copy of earlier ones would be changed or saved in their place."""
    module = network().to(torch.bfloat16)
    model = wrap(module, tmp_path)
    before = model.transformers_model.get_output_embeddings().bias.clone()
    assert model.transformers_model is model.transformers_model
    with torch.no_grad():
        module.get_output_embeddings().bias.add_(1.0)
    assert torch.equal(model.transformers_model.get_output_embeddings().bias, before + 1.0)
