"""What training asks of a model: how examples become a batch, and what a batch costs."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch

Batch = dict[str, torch.Tensor]
Logits = Callable[[Batch], torch.Tensor]
"""The model's logits `[places, vocabulary]` at the places that a batch names."""


class Judged(NamedTuple):
    """What a model did at every place that was asked: its loss in nats, and whether it was right."""

    losses: torch.Tensor
    right: torch.Tensor


class Objective(Protocol):
    """Turns examples into batches and judges what a model makes of them, whoever trains it and how."""

    def batch(self, examples: Sequence[Any], rngs: Sequence[np.random.Generator]) -> Batch:
        """`ids`, `attention`, `rows` and `positions` of the places asked, and what the losses need.

        Each example has a generator of its own, drawn from seed, epoch and its number: whatever is chosen
        by chance comes out the same after a run was killed.
        """

    def judge(self, logits: Logits, batch: Batch) -> Judged:
        """Losses `[places]` and whether the model was right there `[places]`."""
