"""Fine-tuning a classifier on a task: the encoder of a language model, a new head, a few passes."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import transformers

from equipoise.errors import UserError
from equipoise.mitigations.networks import changed_model, masked_model, own_copy
from equipoise.models.neural.classifier import ClassifierModel
from equipoise.models.neural.language import NeuralModel
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel
from equipoise.models.wrappers.base import WrappedModel


@dataclass(frozen=True)
class ClassifierRecipe:
    """How a classifier is tuned: passes over the texts, texts per step, largest rate, length of texts."""

    epochs: int = 3
    batch: int = 16
    rate: float = 5e-5
    longest: int = 128
    seed: int = 0


def train_classifier(
    model: LanguageModel,
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    recipe: ClassifierRecipe | None = None,
    options: RunOptions | None = None,
) -> ClassifierModel:
    """A classifier on a copy of the model's encoder; the model itself stays as it is.

    The same texts, labels and seed give the same order, dropout and head, whatever the encoder's weights.
    """
    chosen = recipe or ClassifierRecipe()
    neural = _with_encoder(model)
    names = sorted(set(labels))
    if len(names) < 2:
        raise UserError(f"All texts have the same label: {', '.join(names)}.", "Give two labels or more.")
    with torch.random.fork_rng():
        torch.manual_seed(chosen.seed)
        network = _new_network(neural, names)
        _tune(network, neural.tokenizer, list(zip(texts, map(names.index, labels), strict=True)), chosen)
    return ClassifierModel(
        network, neural.tokenizer, name=f"{model.name} (classifier)", options=options or RunOptions()
    )


def with_encoder_of(model: LanguageModel, classifier: ClassifierModel) -> LanguageModel:
    """The model with the encoder that a classifier was tuned on; its head stays as it was."""
    masked = masked_model(model, "a classifier")
    network = own_copy(masked)
    tuned = classifier.transformers_model.base_model.state_dict()
    network.base_model.load_state_dict(tuned, strict=False)  # a language model may have no pooler
    return changed_model(network, masked, "tuned to classify")


def _with_encoder(model: LanguageModel) -> NeuralModel:
    inner: Any = model
    if isinstance(inner, WrappedModel):
        raise UserError(
            f"{model.name!r} is a wrapper: it has no weights of its own to tune a classifier on.",
            "Give the folder of a model with changed weights.",
        )
    if not isinstance(inner, NeuralModel):
        raise UserError(
            f"{model.name!r} is a {model.kind} model, which has no encoder to tune a classifier on.",
            "Give a masked, causal or encoder-decoder model.",
        )
    return inner


def _new_network(neural: NeuralModel, names: Sequence[str]) -> Any:
    """The encoder's weights under a new head."""
    source = neural.transformers_model
    config = copy.deepcopy(source.config)
    config.num_labels = len(names)
    config.id2label = dict(enumerate(names))
    config.label2id = {name: number for number, name in enumerate(names)}
    config.problem_type = "single_label_classification"
    network = transformers.AutoModelForSequenceClassification.from_config(config)
    lacking = network.base_model.load_state_dict(source.base_model.state_dict(), strict=False)
    random = [name for name in lacking.missing_keys if "pooler" not in name]
    if random:
        raise UserError(
            f"{neural.name!r} has no weights for {len(random)} parts of the encoder, the first: {random[0]}.",
            "Give a model of another family.",
        )
    return network


def _tune(network: Any, tokenizer: Any, examples: list[tuple[str, int]], recipe: ClassifierRecipe) -> None:
    """Cross-entropy with AdamW and a rate that falls to 0."""
    order = np.random.default_rng(recipe.seed)
    steps = recipe.epochs * -(-len(examples) // recipe.batch)
    optimiser = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=0.01)
    falling = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / max(1, steps))
    network.train()
    for _ in range(recipe.epochs):
        places = order.permutation(len(examples))
        for start in range(0, len(places), recipe.batch):
            batch = [examples[place] for place in places[start : start + recipe.batch]]
            rows = tokenizer(
                [text for text, _ in batch],
                truncation=True,
                max_length=recipe.longest,
                padding=True,
                return_tensors="pt",
            )
            loss = network(**rows, labels=torch.tensor([label for _, label in batch])).loss
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            falling.step()
    network.eval()
