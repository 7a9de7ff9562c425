"""What training asks of a model, and batches of similar length in an order that a resumed run repeats."""

from collections.abc import Callable, Iterator, Sequence, Sized
from typing import Any, NamedTuple, Protocol

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

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


Key = tuple[int, int]
"""Epoch and number of a batch."""

HELD_OUT = 1_000_000
"""The epoch of held-out text: its masks are the same whenever it is looked at, and no epoch's."""


class Batches(Dataset[Batch]):
    """The batches of every epoch, made when they are asked for.

    Examples are sorted by length, those of the same length by chance, and cut where the budget is full. Cuts
    depend on lengths alone, so that each epoch has as many batches; who shares one differs.
    """

    def __init__(self, examples: Sequence[Any], objective: Objective, *, tokens: int, seed: int) -> None:
        self.examples, self.objective, self.seed = examples, objective, seed
        self.lengths = np.array([len(example) for example in examples])
        self.cuts = cut_points(np.sort(self.lengths), tokens)
        self._ordered: tuple[int, Any] = (-1, None)

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def __getitem__(self, key: Key) -> Batch:
        epoch, number = key
        members = self.order(epoch)[self.cuts[number] : self.cuts[number + 1]]
        rngs = [np.random.default_rng((self.seed, epoch, int(member))) for member in members]
        return self.objective.batch([self.examples[member] for member in members], rngs)

    def order(self, epoch: int) -> Any:
        """The examples by length, chance among equals."""
        if self._ordered[0] != epoch:
            chance = np.random.default_rng((self.seed, epoch)).permutation(len(self.lengths))
            self._ordered = epoch, np.lexsort((chance, self.lengths))
        return self._ordered[1]


def cut_points(lengths: Any, tokens: int) -> list[int]:
    """Where batches of ascending lengths begin and end, so that members times longest fits the budget."""
    cuts = [0]
    for place, length in enumerate(lengths):
        if place > cuts[-1] and (place + 1 - cuts[-1]) * int(length) > tokens:
            cuts.append(place)
    return [*cuts, len(lengths)]


class EpochSampler(Sampler[Key]):
    """Yield the batches of an epoch in random order; the trainer sets the epoch."""

    def __init__(self, batches: Sized, seed: int) -> None:
        self.batches, self.seed, self.epoch = batches, seed, 0

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self) -> Iterator[Key]:
        order = np.random.default_rng((self.seed, self.epoch, 1)).permutation(len(self.batches))
        return ((self.epoch, int(number)) for number in order)
