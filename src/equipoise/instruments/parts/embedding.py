"""Vectors of texts or of words in them, at one layer or at all: asked, and read back as matrices."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.instruments.base import ALL, LAST, Answers, Ask, VectorChoice
from equipoise.models.protocol import LanguageModel, reason_against
from equipoise.models.questions import MEAN, Embed
from equipoise.stats.clusters import Floats

TOP = -1
_ROLE = "vector at layer "


@dataclass(frozen=True)
class Stimulus:
    """A text, or a word in it, whose vector is asked."""

    item: str
    text: str
    span: tuple[int, int] | None = None


def asked_vectors(
    stimuli: Iterable[Stimulus], model: LanguageModel, choice: VectorChoice, *, pooling: str = ""
) -> Iterator[Ask]:
    """The vector of every stimulus that the model can be asked, at the chosen layers."""
    layers = _asked_layers(model, choice.layer)
    how = pooling or choice.pooling
    for stimulus in stimuli:
        used = how if stimulus.span is None else MEAN
        if reason_against(model, Embed(stimulus.text, span=stimulus.span, pooling=used)):
            continue
        for layer in layers:
            question = Embed(stimulus.text, layer, stimulus.span, used)
            yield Ask(stimulus.item, f"{_ROLE}{layer}", question)


def vectors_by_layer(answers: Answers, items: Sequence[str]) -> dict[int, Floats]:
    """A row for each item at every layer asked, NaN where the model has none; the last layer is the last."""
    layers = sorted({int(role.removeprefix(_ROLE)) for _, role in answers if role.startswith(_ROLE)})
    width = next((len(answer.vector) for (_, role), answer in answers.items() if role.startswith(_ROLE)), 1)
    missing = np.full(width, np.nan)
    return {
        layer: np.array(
            [
                answers[item, f"{_ROLE}{layer}"].vector if (item, f"{_ROLE}{layer}") in answers else missing
                for item in items
            ],
            dtype=np.float64,
        ).reshape(len(items), width)
        for layer in layers
    }


def _asked_layers(model: LanguageModel, layer: str) -> tuple[int, ...]:
    """The numbers of the layers; a model without layers has one vector for each text."""
    depth = model.layers
    if depth is None or layer == LAST:
        return (TOP,)
    return tuple(range(depth + 1)) if layer == ALL else (int(layer),)
