"""BERT in plain torch gives what transformers' BERT gives, under the same names and fingerprint."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForMaskedLM

import equipoise
from equipoise.models.loading import load_model
from equipoise.models.neural.masked import RULES
from equipoise.models.neural.plain_bert import PlainBert
from equipoise.models.questions import Embed, Score

EMBEDDED = Path(equipoise.__file__).parent / "models" / "embedded"
SENTENCES = ["The baker took the bread home.", "She was late, and the rain took his plane to the town."]
Pack = Callable[..., Path]


@pytest.fixture
def pair(tiny_source: Path) -> tuple[PlainBert, Any]:
    theirs = BertForMaskedLM.from_pretrained(tiny_source, dtype=torch.float32).eval()
    plain = PlainBert(theirs.config)
    plain.load_state_dict(theirs.state_dict(), strict=True, assign=True)
    return plain, theirs


@pytest.mark.parametrize("lengths", [(9, 9, 9), (9, 6, 2)])
def test_states_and_logits_are_those_of_transformers(
    pair: tuple[PlainBert, Any], lengths: tuple[int, ...]
) -> None:
    plain, theirs = pair
    ids = torch.randint(5, theirs.config.vocab_size, (3, 9), generator=torch.Generator().manual_seed(2))
    attention = torch.tensor([[1] * length + [0] * (9 - length) for length in lengths])
    with torch.inference_mode():
        states = plain.base_model(input_ids=ids, attention_mask=attention)[0]
        expected = theirs.base_model(input_ids=ids, attention_mask=attention)[0]
        logits = plain(ids, attention).logits, theirs(ids, attention).logits
        alone = plain(ids).logits, theirs(ids).logits
    kept = attention.bool()  # what stands at padding is read by nobody
    assert expected[kept].std() > 0.5
    torch.testing.assert_close(states[kept], expected[kept], atol=1e-5, rtol=0)
    torch.testing.assert_close(logits[0][kept], logits[1][kept], atol=1e-4, rtol=0)
    torch.testing.assert_close(*alone, atol=1e-4, rtol=0)


def test_a_packed_model_is_the_model_that_was_packed(pack_as_it_is: Pack, tiny_source: Path) -> None:
    """Same fingerprint, same answers by every rule and at every layer: nobody sees that it was packed."""
    packed, source = (load_model(folder, cache=False) for folder in (pack_as_it_is(), tiny_source))
    assert isinstance(packed.engine.forward.network.model, PlainBert)
    assert not isinstance(source.engine.forward.network.model, PlainBert)
    assert packed.fingerprint == source.fingerprint
    assert packed.max_length == source.max_length
    questions = [Score(text, rule) for text in SENTENCES for rule in RULES]
    for ours, theirs in zip(packed.answer(questions), source.answer(questions), strict=True):
        np.testing.assert_allclose(ours.logprobs, theirs.logprobs, atol=1e-5)
        np.testing.assert_allclose(ours.weights, theirs.weights, atol=1e-6)
    vectors = [Embed(text, layer=layer) for text in SENTENCES for layer in (0, 1, -1)]
    for ours, theirs in zip(packed.answer(vectors), source.answer(vectors), strict=True):
        np.testing.assert_allclose(ours.vector, theirs.vector, atol=1e-5)


def test_the_network_to_fine_tune_is_transformers_own_on_the_same_memory(pack_as_it_is: Pack) -> None:
    model = load_model(pack_as_it_is(), cache=False)
    network = model.transformers_model
    assert isinstance(network, BertForMaskedLM)
    assert network is model.transformers_model
    theirs = network.state_dict()
    for name, ours in model.engine.forward.network.model.state_dict().items():
        assert torch.equal(theirs[name], ours), name
        assert name.endswith("bias") or theirs[name].data_ptr() == ours.data_ptr(), name
    assert network.get_output_embeddings().weight is network.get_input_embeddings().weight


def test_the_network_can_be_trained_even_if_a_layer_was_read_first(pack_as_it_is: Pack) -> None:
    """Reading runs in inference mode, and what is made in that mode could never be trained."""
    model = load_model(pack_as_it_is(), cache=False)
    model.answer([Embed(SENTENCES[0], layer=1)])
    ids = torch.tensor([model.encode(SENTENCES[0]).ids])
    model.transformers_model(input_ids=ids, labels=ids).loss.backward()
    gradients = {name: one.grad for name, one in model.transformers_model.named_parameters()}
    lacking = [name for name, one in gradients.items() if one is None or not one.abs().sum() > 0]
    assert lacking == []


def test_a_bert_with_another_bend_is_left_to_transformers(
    pack_as_it_is: Pack, tiny_source: Path, tmp_path: Path
) -> None:
    other = tmp_path / "relu"
    shutil.copytree(tiny_source, other)
    config = json.loads((other / "config.json").read_text(encoding="utf-8")) | {"hidden_act": "relu"}
    (other / "config.json").write_text(json.dumps(config), encoding="utf-8")
    packed, source, with_gelu = (
        load_model(folder, cache=False) for folder in (pack_as_it_is(source=other), other, tiny_source)
    )
    assert isinstance(packed.engine.forward.network.model, BertForMaskedLM)
    totals = [model.answer([Score(SENTENCES[0])])[0].total for model in (packed, source, with_gelu)]
    assert totals[0] == pytest.approx(totals[1], abs=1e-5)
    assert abs(totals[0] - totals[2]) > 0.1


def test_a_decoder_is_not_taken_for_plain_bert() -> None:
    from equipoise.models.neural.plain_bert import is_plain

    assert is_plain(BertConfig())
    assert not is_plain(BertConfig(is_decoder=True))
    assert not is_plain(BertConfig(hidden_act="gelu_new"))
    assert not is_plain(BertConfig(position_embedding_type="relative_key"))


@pytest.mark.parametrize("tied", [True, False])
def test_weights_are_tied_where_the_configuration_says_so(pair: tuple[PlainBert, Any], tied: bool) -> None:
    plain, theirs = pair
    state = theirs.state_dict() | {
        "cls.predictions.decoder.weight": torch.ones_like(theirs.cls.predictions.decoder.weight),
        "cls.predictions.decoder.bias": torch.ones_like(theirs.cls.predictions.bias),
    }
    plain.config.tie_word_embeddings = tied
    plain.load_state_dict(state, assign=True)
    plain.tie_weights()
    head, words = plain.cls.predictions, plain.bert.embeddings.word_embeddings.weight
    assert (head.decoder.weight is words) == tied
    assert (head.decoder.bias is head.bias) == tied
    assert torch.equal(head.decoder.weight, words if tied else torch.ones_like(words))


@pytest.mark.skipif(not EMBEDDED.is_dir(), reason="the shipped model is not in this checkout")
def test_a_probe_of_the_shipped_model_does_not_wait_for_transformers_model_classes() -> None:
    """They take two seconds to import; so do the parts of torch and scipy that they pull in."""
    script = (
        "import sys\nfrom equipoise.cli import main\n"
        "main(['probe', '[MASK] is a nurse.', '--no-cache', '--json'])\n"
        "slow = {'transformers.modeling_utils', 'torch._dynamo', 'torch.distributed.tensor', 'scipy'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["likeliest"][0]["word"] == "she"
