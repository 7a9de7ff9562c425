"""What each weight matrix sees and how much its outputs matter, measured on text.

For a small change of the weights the Kullback-Leibler divergence between the old and the new
output distribution is half the Fisher form of that change. For one passage with inputs x_n and
output gradients g_n the gradient of a linear layer is the sum of g_n x_n', so its Fisher
information holds products of different tokens too: in attention their changes add up. It is kept
as its two partial traces, one over the rows and one over the inputs, whose product stands for
it. Labels are drawn from the model itself, as the Fisher information requires: no gold text enters.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from recipes.packing.passages import MaskedBatch


@dataclass
class LayerStatistics:
    """The Fisher information of one matrix, summed over its rows, and summed over its inputs."""

    hessian: torch.Tensor
    row_weight: torch.Tensor

    def add(self, inputs: torch.Tensor, gradients: torch.Tensor) -> None:
        """Add the passages of one batch; both are [passages, tokens, width]."""
        like_gradients = gradients @ gradients.transpose(1, 2)
        like_inputs = inputs @ inputs.transpose(1, 2)
        self.hessian += inputs.flatten(0, 1).T @ (like_gradients @ inputs).flatten(0, 1)
        self.row_weight += ((like_inputs @ gradients) * gradients).sum((0, 1))

    def mean_hessian(self) -> torch.Tensor:
        """What one unit of row weight stands for: the input side with a trace of one."""
        return self.hessian / self.row_weight.sum()


@dataclass
class EmbeddingStatistics:
    """Sums over tokens for the two roles of the word embeddings: read, and multiplied to logits."""

    read: torch.Tensor
    written: torch.Tensor


@dataclass
class Statistics:
    """Everything calibration measured, by the name of the module."""

    layers: dict[str, LayerStatistics]
    embeddings: EmbeddingStatistics

    @classmethod
    def from_tables(cls, tables: dict[str, Any]) -> "Statistics":
        """The statistics that `dataclasses.asdict` turned into plain tables."""
        layers = {name: LayerStatistics(**table) for name, table in tables["layers"].items()}
        return cls(layers, EmbeddingStatistics(**tables["embeddings"]))


def linear_layers(model: Any) -> dict[str, nn.Linear]:
    """The linear layers of a model, apart from an output matrix that is the embeddings again."""
    output = model.get_output_embeddings()
    return {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and module is not output
    }


def add_statistics(statistics: Statistics, model: Any, *, batches: Iterable[MaskedBatch], seed: int) -> None:
    """Run the masked batches forwards and backwards and add what passes through each matrix."""
    model.eval().requires_grad_(False)
    generator = torch.Generator().manual_seed(seed)
    handles = _attach(model, statistics)
    try:
        for batch in batches:
            logits = masked_logits(model, batch)
            drawn = torch.multinomial(logits.detach().softmax(-1), 1, generator=generator)
            nn.functional.cross_entropy(logits, drawn[:, 0], reduction="sum").backward()  # type: ignore[no-untyped-call]
    finally:
        for handle in handles:
            handle.remove()


def masked_logits(model: Any, batch: MaskedBatch) -> torch.Tensor:
    """The logits at the masked positions alone, [masked, vocabulary]."""

    def keep_masked(_module: Any, _inputs: Any, output: Any) -> Any:
        output.last_hidden_state = output.last_hidden_state[batch.masked][:, None]
        return output

    handle = model.base_model.register_forward_hook(keep_masked)
    try:
        answer = model(input_ids=batch.ids, attention_mask=batch.attention, return_dict=True)
    finally:
        handle.remove()
    return answer.logits[:, 0]


def empty_statistics(model: Any) -> Statistics:
    """Sums of zero for every linear layer and for the word embeddings."""
    layers = {
        name: LayerStatistics(
            torch.zeros(layer.in_features, layer.in_features), torch.zeros(layer.out_features)
        )
        for name, layer in linear_layers(model).items()
    }
    width = model.get_input_embeddings().weight.shape[1]
    return Statistics(layers, EmbeddingStatistics(torch.zeros(width, width), torch.zeros(width, width)))


def _attach(model: Any, statistics: Statistics) -> list[Any]:
    handles = [
        layer.register_forward_hook(_layer_hook(statistics.layers[name]))
        for name, layer in linear_layers(model).items()
    ]
    handles.append(model.get_input_embeddings().register_forward_hook(_read_hook(statistics)))
    handles.append(model.get_output_embeddings().register_forward_hook(_write_hook(statistics)))
    return handles


def _layer_hook(statistics: LayerStatistics) -> Callable[..., None]:
    def after(_module: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        seen = inputs[0].detach()
        output.register_hook(lambda grad: statistics.add(seen, grad))  # type: ignore[no-untyped-call]

    return after


def _read_hook(statistics: Statistics) -> Callable[..., None]:
    def after(_module: Any, _inputs: Any, output: torch.Tensor) -> None:
        output.requires_grad_(True)
        output.register_hook(lambda grad: _add_read(statistics, grad.flatten(0, 1)))  # type: ignore[no-untyped-call]

    return after


def _add_read(statistics: Statistics, gradients: torch.Tensor) -> None:
    statistics.embeddings.read += gradients.T @ gradients


def _add_written(statistics: Statistics, states: torch.Tensor, logits: torch.Tensor) -> None:
    """For one masked position the logit of a word with share p counts p (1 - p)."""
    share = logits.softmax(-1)
    weight = (share * (1 - share)).sum(-1)
    statistics.embeddings.written += (states * weight[:, None]).T @ states


def _write_hook(statistics: Statistics) -> Callable[..., None]:
    def after(_module: Any, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        _add_written(statistics, inputs[0].detach().flatten(0, -2), output.detach().flatten(0, -2))

    return after
