"""Mitigations that accept causal models: what each does to small networks of random weights."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny
import torch
import transformers

from equipoise.corpora.documents import Document, Where
from equipoise.errors import UserError
from equipoise.mitigations import MITIGATIONS, mitigation_class
from equipoise.mitigations.base import Materials
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.distillation import SelfDistillation
from equipoise.mitigations.distilling.contexts import Context
from equipoise.mitigations.distilling.losses import Head, averaged_targets
from equipoise.mitigations.distilling.network import UpperLayers
from equipoise.mitigations.distilling.rows import causal_examples, partners_of, read_examples
from equipoise.mitigations.projections import DirectionRemoval
from equipoise.mitigations.training.examples import Example
from equipoise.mitigations.training.masking import NextTokens
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Embed, Fill, Score
from equipoise.models.wrappers.averaging import AveragedModel
from equipoise.models.wrappers.prior import PriorNormalised
from equipoise.text.rewriting.mirroring import Mirror

TEXTS = tiny.CORPUS[:10]
DOCUMENTS = [Document(str(number), text, {}, Where("texts", number)) for number, text in enumerate(TEXTS)]
BLANKS = [f"The {noun} said that [MASK] is late." for noun in ("nurse", "doctor", "librarian", "teacher")]


def loaded(family: str = "llama") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF[family])
    return wrap_model(tiny.network(family), words, name=family, options=RunOptions(cache=False))


def gaps(model: Any) -> np.ndarray[Any, Any]:
    """Log P(he) - log P(she) of the blanks."""
    answers = model.answer([Fill(text, ("he", "she")) for text in BLANKS])
    return np.array([one.logprobs[0] - one.logprobs[1] for one in answers])


@pytest.mark.parametrize("family", ["llama", "gpt2"])
def test_averaging_makes_he_and_she_equal_where_nothing_tells(family: str) -> None:
    model = loaded(family)
    assert np.abs(gaps(model)).min() > 1e-3
    np.testing.assert_allclose(gaps(AveragedModel(model)), 0.0, atol=1e-6)


def test_a_prior_is_read_about_a_person_of_no_occupation() -> None:
    model = loaded()
    prior = model.answer([Fill("The person said that [MASK] is late.", ("he", "she"))])[0].logprobs
    np.testing.assert_allclose(gaps(PriorNormalised(model)), gaps(model) - (prior[0] - prior[1]), atol=1e-6)


def test_a_direction_behind_a_layer_is_taken_away_and_saved_as_a_recipe(tmp_path: Path) -> None:
    model = loaded()
    changed = DirectionRemoval(layer=1).change(model, Materials()).model
    direction = np.array(changed.recipe["inward"][0])
    states = [changed.mapped.answer([Embed(text, 1)])[0].vector for text in TEXTS[:3]]
    before = [model.answer([Embed(text, 1)])[0].vector for text in TEXTS[:3]]
    assert np.abs(np.array(before) @ direction).min() > 1e-3
    np.testing.assert_allclose(np.array(states) @ direction, 0.0, atol=1e-4)
    assert not np.allclose(gaps(changed), gaps(model))
    with pytest.raises(UserError, match="Give a layer from 1 to 2"):
        DirectionRemoval().change(model, Materials())


def test_next_tokens_are_the_loss_of_transformers() -> None:
    network = tiny.network("llama")
    examples = [Example((0, 5, 6, 7), (-1, 0, 1, 2)), Example((0, 9, 8), (-1, 0, 1))]
    objective = NextTokens(padding=1)
    batch = objective.batch(examples, [np.random.default_rng(0)] * 2)

    def logits(one: dict[str, torch.Tensor]) -> torch.Tensor:
        return network(input_ids=one["ids"], attention_mask=one["attention"]).logits[
            one["rows"], one["positions"]
        ]

    losses = objective.judge(logits, batch).losses
    ids = [torch.tensor([one.ids]) for one in examples]
    expected = [network(input_ids=one, labels=one).loss * (one.shape[1] - 1) for one in ids]
    assert losses.sum().item() == pytest.approx(sum(one.item() for one in expected), rel=1e-5)


@pytest.mark.parametrize("lora", [0, 2])
def test_counterfactual_tuning_goes_through_the_one_trainer(lora: int) -> None:
    if lora:
        pytest.importorskip("peft")
    model = loaded()
    settings = Counterfactual(epochs=4, learning_rate=5e-3, mode="invert", lora=lora, validation=0.2)
    changed = settings.change(model, Materials(documents=DOCUMENTS, options=RunOptions(cache=False)))
    assert changed.model.kind == "causal"
    assert changed.model.start_ids == model.start_ids
    text = "He is a doctor and she is an engineer."
    before, after = (
        one.answer([Score(text.replace("He", "She").replace(" she", " he"))])[0].total
        for one in (model, changed.model)
    )
    assert after > before + 1


def small_llama() -> Any:
    """One whose tokenizer writes " he" as one piece."""
    words = tiny.tokenizer("byte-bpe")
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48}
    config = transformers.LlamaConfig(vocab_size=len(words), initializer_range=0.3, **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        network = transformers.LlamaForCausalLM(config).eval()
    return wrap_model(network, words, name="llama", options=RunOptions(cache=False))


def test_targets_are_the_mean_of_both_texts_wherever_the_pronoun_tells() -> None:
    model, mirror = small_llama(), Mirror()
    text = "The nurse said that [MASK] is a doctor."
    contexts = [Context(text, 0, mirror.blank(text), "occupation"), Context(text, 0, None, "kept")]
    rows = causal_examples(contexts, model, longest=96, seed=0)
    exchange, upper = partners_of(model, mirror), UpperLayers(model.transformers_model, 1)
    reads = read_examples(upper, rows, 0, lambda _tokens: None)
    asked, _ = averaged_targets(Head(upper), rows, reads, exchange)
    he, she = (
        tiny.plain_logprobs(model, list(model.encode(text.replace("[MASK]", word)).ids))
        for word in ("he", "she")
    )
    place, order = rows[0].place, exchange.permutations[False]
    own = he if list(rows[0].ids) == list(model.encode(text.replace("[MASK]", "he")).ids) else she
    other = she if own is he else he
    mean = torch.logaddexp(own, other[:, order]) - np.log(2)
    torch.testing.assert_close(asked[0].double(), mean[place], atol=1e-4, rtol=0)
    count = len(rows[0].also)
    assert count == len(rows[0].mirrored_also) > 2
    torch.testing.assert_close(
        asked[1 : 1 + count].double(), mean[place + 1 : place + 1 + count], atol=1e-4, rtol=0
    )
    assert rows[1].mirrored_ids is None


def test_distillation_tunes_a_copy_of_a_causal_model() -> None:
    model = small_llama()
    settings = SelfDistillation(layers=1, epochs=2, rate=3e-3, frames=12)
    changed = settings.change(model, Materials(options=RunOptions(cache=False)))
    first, last = re.findall(r"\d\.\d{4}", changed.account[-1])
    assert float(last) < float(first)
    assert changed.model.kind == "causal"
    assert changed.model.transformers_model.config.use_cache
    assert changed.model.fingerprint != model.fingerprint


def test_the_documentation_lists_those_that_accept_causal_models() -> None:
    accepted = set()
    for name in MITIGATIONS:
        kind = mitigation_class(name)
        has_layer = any(each.name == "layer" for each in fields(kind))
        try:
            (kind(layer=1) if has_layer else kind()).check(small_llama(), Materials(documents=DOCUMENTS))
            accepted.add(name)
        except UserError:
            continue
    page = Path(__file__).parents[2] / "docs" / "mitigations.md"
    section = page.read_text("utf-8").partition("## Causal models")[2].partition("## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`([\w-]+)`", row)} == accepted
