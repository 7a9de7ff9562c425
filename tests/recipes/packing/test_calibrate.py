"""The measured sensitivities predict what a small change of the weights really does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from recipes.packing import Recipe
from recipes.packing.calibrate import (
    EmbeddingStatistics,
    LayerStatistics,
    Statistics,
    add_statistics,
    empty_statistics,
)
from recipes.packing.passages import MaskedBatch, masked_batches
from recipes.packing.recipe import _load_source
from recipes.packing.steps import plan_embeddings, plan_layer
from recipes.packing.tune import divergence_from

LAYERS = ["bert.encoder.layer.0.intermediate.dense", "bert.encoder.layer.1.attention.self.value"]


@pytest.fixture(scope="module")
def batches(tiny_source: Path, tiny_texts: list[str], tiny_recipe: Recipe) -> list[MaskedBatch]:
    recipe = replace(tiny_recipe, passages=60, batch_tokens=512)
    return list(masked_batches(tiny_texts, _load_source(tiny_source)[1], recipe=recipe, seed=1))


@pytest.fixture(scope="module")
def statistics(tiny_source: Path, batches: list[MaskedBatch]) -> Statistics:
    model = _load_source(tiny_source)[0]
    found = empty_statistics(model)
    for seed in range(6):
        add_statistics(found, model, batches=batches, seed=seed)
    return found


def _divergence(original: Any, changed: Any, batches: list[MaskedBatch]) -> float:
    with torch.no_grad():
        sums = [float(divergence_from(original, changed, batch=b)) * int(b.masked.sum()) for b in batches]
    return sum(sums)


@pytest.mark.parametrize("name", LAYERS)
def test_half_the_fisher_form_predicts_the_divergence(
    tiny_source: Path, batches: list[MaskedBatch], statistics: Statistics, name: str
) -> None:
    original, changed = _load_source(tiny_source)[0], _load_source(tiny_source)[0]
    weight = changed.get_submodule(name).weight
    change = 0.003 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(8))
    with torch.no_grad():
        weight += change
    layer = statistics.layers[name]
    form = ((change @ layer.mean_hessian()) * change).sum(1)
    predicted = 0.5 * float((form * layer.row_weight).sum()) / 6
    assert predicted == pytest.approx(_divergence(original, changed, batches), rel=0.4)


def test_traces_are_those_of_the_gradients_of_whole_passages() -> None:
    generator = torch.Generator().manual_seed(4)
    inputs, gradients = (torch.randn(3, 5, width, generator=generator) for width in (4, 2))
    found = LayerStatistics(torch.zeros(4, 4), torch.zeros(2))
    found.add(inputs[:1], gradients[:1])
    found.add(inputs[1:], gradients[1:])
    hessian, rows = torch.zeros(4, 4), torch.zeros(2)
    for passage in range(3):
        whole = sum(torch.outer(gradients[passage, n], inputs[passage, n]) for n in range(5))
        fisher = torch.outer(whole.flatten(), whole.flatten()).view(2, 4, 2, 4)
        hessian += sum(fisher[row, :, row, :] for row in range(2))
        rows += torch.stack([fisher[row, :, row, :].trace() for row in range(2)])
    torch.testing.assert_close(found.hessian, hessian)
    torch.testing.assert_close(found.row_weight, rows)


def test_every_weight_is_planned_to_do_the_same_harm(statistics: Statistics) -> None:
    layer = statistics.layers[LAYERS[0]]
    plan = plan_layer(layer, damping=0.01)
    harm = (plan.row_step.pow(2) * layer.row_weight)[:, None] * (
        plan.column_step / plan.factor.diagonal()
    ).pow(2)[None, :]
    torch.testing.assert_close(harm, torch.ones_like(harm), rtol=1e-3, atol=0)


def test_frequent_words_get_finer_steps_and_none_too_fine(tiny_recipe: Recipe) -> None:
    statistics = EmbeddingStatistics(torch.eye(4), torch.eye(4))
    counts = torch.tensor([0, 3, 15, 1023, 10**9])
    steps = plan_embeddings(statistics, counts, recipe=tiny_recipe).row_step
    assert torch.equal(steps, steps.sort(descending=True).values)
    assert float(steps[1] / steps[2]) == pytest.approx((16 / 4) ** 0.25, rel=1e-4)
    level = steps.log().mean().exp()
    assert float(steps.max() / steps.min()) < 64
    assert float(level / steps[-1]) < 64
