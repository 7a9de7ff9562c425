"""A map of what one layer of a network hands to the next, taken along as a recipe around the model.

What it does  The states behind a layer lose a few directions (x - outward (inward x) + shift) before the
              next layer reads them; everything above sees the mapped states.
Why a recipe  The next layer reads the states through its own products, into which a map could be folded,
              and adds them to what it makes of them, which has no weights: no plain folder can hold it. At
              the head, where nothing is added, it can (see direction-removal without a layer).
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from equipoise.errors import UserError
from equipoise.models.guards.weights import share_weights
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Question
from equipoise.models.wrappers.base import WrappedModel

Rows = Sequence[Sequence[float]]


class LayerMapped(WrappedModel):
    """A model whose states are mapped behind one of its layers; its weights are the inner model's."""

    def __init__(
        self, inner: LanguageModel, layer: int, outward: Rows, inward: Rows, shift: Sequence[float]
    ) -> None:
        source_model = _mappable(inner, layer)
        recipe = {"layer": layer, "outward": outward, "inward": inward, "shift": shift}
        super().__init__(inner, recipe, name=f"{inner.name} (map behind layer {layer})")
        self.notes = (*inner.notes, f"{len(inward)} direction(s) are mapped behind layer {layer}")
        source = source_model.transformers_model
        network = share_weights(source, next(source.parameters()).device)
        _map_behind(_layers(network, source_model.layers)[layer - 1], outward, inward, shift)
        self.mapped = type(source_model)(
            network, source_model.tokenizer, name=self.name, options=source_model.options
        )

    def answer(self, questions: Sequence[Question]) -> list[Any]:
        """What the model with its map answers; kept under a fingerprint of its own."""
        return self.mapped.answer(questions)


def _map_behind(layer: nn.Module, outward: Rows, inward: Rows, shift: Sequence[float]) -> None:
    """Let a layer give mapped states. The map lies among its weights, so that it counts as another model."""
    for name, values in (("map_outward", outward), ("map_inward", inward), ("map_shift", shift)):
        layer.register_buffer(name, torch.tensor(values, dtype=torch.float32))
    layer.register_forward_hook(_mapped, prepend=True)  # before what records the states of layers


def _mapped(layer: Any, _inputs: Any, output: Any) -> Any:
    states = output[0] if isinstance(output, tuple) else output
    mapped = states - (states @ layer.map_inward.T) @ layer.map_outward + layer.map_shift
    return (mapped, *output[1:]) if isinstance(output, tuple) else mapped


def _mappable(inner: LanguageModel, layer: int) -> MaskedModel | CausalModel:
    if not isinstance(inner, MaskedModel | CausalModel):
        raise UserError(
            f"{inner.name!r} is a {inner.kind} model, whose layers cannot be reached.",
            "Name the folder of a masked or a causal model.",
        )
    if not 1 <= layer <= inner.layers:
        raise UserError(
            f"Layer {layer} was asked of a model with {inner.layers} layers.",
            f"Give a layer from 1 to {inner.layers}, or 0 for the head.",
        )
    return inner


def _layers(network: Any, count: int) -> nn.ModuleList:
    lists = [module for module in network.base_model.modules() if isinstance(module, nn.ModuleList)]
    fitting = next((one for one in lists if len(one) == count), None)
    if fitting is None:
        raise UserError(
            f"The layers of {type(network).__name__} are not in one list, so that none can be mapped.",
            "Use layer=0, which maps at the head.",
        )
    return fitting
