"""A short tuning of what is stored exactly: biases, layer norms, and one scale for each row.

The integers stay as they are. The loss is the Kullback-Leibler divergence from the original's
distribution at the masked positions of ordinary text; gold words play no part.
"""

from math import cos, pi
from typing import Any

import torch
from torch import nn
from torch.nn.functional import kl_div, linear, log_softmax

from recipes.packing.calibrate import linear_layers, masked_logits
from recipes.packing.passages import MaskedBatch

WARM_UP_STEPS = 5


class RowScaledLinear(nn.Module):
    """A linear layer whose matrix is fixed but for one factor on each row."""

    def __init__(self, layer: nn.Linear) -> None:
        super().__init__()
        self.weight = layer.weight
        self.bias = layer.bias
        self.scale = nn.Parameter(torch.ones(layer.out_features))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """The layer's output, with the row factors applied to it instead of to the matrix."""
        scaled = linear(inputs, self.weight) * self.scale
        return scaled if self.bias is None else scaled + self.bias


class Tuning:
    """The tuned tensors and their optimiser; its state can be saved and taken up again."""

    def __init__(self, original: Any, packed: Any, *, rate: float, steps: int) -> None:
        self.original = original.eval().requires_grad_(False)
        self.packed = packed.eval().requires_grad_(False)
        self.rate, self.steps, self.step = rate, steps, 0
        self.tuned = {n: p.requires_grad_() for n, p in packed.named_parameters() if p.dim() == 1}
        for name, layer in linear_layers(packed).items():
            scaled = RowScaledLinear(layer)
            packed.set_submodule(name, scaled)
            self.tuned[f"{name}:scale"] = scaled.scale
        self.optimiser = torch.optim.Adam(list(self.tuned.values()), lr=rate, betas=(0.9, 0.95))

    def advance(self, batch: MaskedBatch) -> float:
        """Take one step; the divergence on this batch before it."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * _schedule(self.step, self.steps)
        self.optimiser.zero_grad()
        loss = divergence_from(self.original, self.packed, batch=batch)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        self.step += 1
        return float(loss.detach())

    def values(self) -> dict[str, torch.Tensor]:
        """The tuned tensors by name; row factors are named `layer:scale`."""
        return {name: value.detach() for name, value in self.tuned.items()}

    def state(self) -> dict[str, Any]:
        """What must be saved to go on later."""
        return {
            "step": self.step,
            "values": self.values(),
            "optimiser": self.optimiser.state_dict(),
        }

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.step = state["step"]
        self.optimiser.load_state_dict(state["optimiser"])
        with torch.no_grad():
            for name, value in self.tuned.items():
                value.copy_(state["values"][name])


def divergence_from(original: Any, packed: Any, *, batch: MaskedBatch) -> torch.Tensor:
    """The mean divergence in nats at the masked positions of a batch."""
    with torch.no_grad():
        wanted = log_softmax(masked_logits(original, batch), -1)
    given = log_softmax(masked_logits(packed, batch), -1)
    return kl_div(given, wanted, reduction="batchmean", log_target=True)


def _schedule(step: int, steps: int) -> float:
    return min(1.0, (step + 1) / WARM_UP_STEPS) * (1 + cos(pi * step / steps)) / 2
