"""How near the encoder comes to the fastest that this machine multiplies, both timed in turns.

A shared machine's speed drifts by a quarter within a minute: windows of 0.4 s of the multiplication alone
were seen anywhere between 311 and 397 GFLOP/s. So every batch is followed by a turn of multiplications, and
both are averaged over the same minutes. The quickest single turn is reported too; the encoder's average
misses it by the drift as well as by its own losses.
"""

import time
from typing import Any

import torch

LAYER, KEY_AND_VALUE = 4 * 768 * 768 + 2 * 768 * 3072, 2 * 768 * 768
LAYERS_BELOW = 11 * LAYER
"""Multiplications per token, attention scores apart; of the last layer a token needs key and value only."""


class Multiplication:
    """The multiplication that a BERT-base layer spends most of its time in: 2048 x 768 x 3072."""

    FLOPS = 2 * 2048 * 768 * 3072

    def __init__(self, kind: torch.dtype) -> None:
        self.left, self.right = torch.randn(2048, 768).to(kind), torch.randn(3072, 768).to(kind)
        self.turns: list[float] = []

    @torch.inference_mode()
    def take_turn(self, times: int = 5) -> None:
        """Time a few multiplications, after one untimed that brings the operands near."""
        torch.nn.functional.linear(self.left, self.right)
        start = time.perf_counter()
        for _ in range(times):
            torch.nn.functional.linear(self.left, self.right)
        self.turns.append(self.FLOPS * times / (time.perf_counter() - start))

    @property
    def average(self) -> float:
        """FLOP/s over all turns."""
        return len(self.turns) / sum(1 / rate for rate in self.turns)

    @property
    def best(self) -> float:
        """FLOP/s of the quickest turn."""
        return max(self.turns)


class TimedNetwork:
    """A network that adds up the time and the work of its encoder, and multiplies after each batch."""

    def __init__(self, network: Any, multiplication: Multiplication) -> None:
        self.network, self.multiplication = network, multiplication
        self.seconds, self.flops = 0.0, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.network, name)

    def hidden_at(
        self, ids: torch.Tensor, attention: torch.Tensor | None, places: tuple[torch.Tensor, torch.Tensor]
    ) -> torch.Tensor:
        """Run the encoder and keep count of the work done; padding is not counted as work."""
        start = time.perf_counter()
        states: torch.Tensor = self.network.hidden_at(ids, attention, places)
        self.seconds += time.perf_counter() - start
        tokens = ids.numel() if attention is None else int(attention.sum())
        work = 2 * (tokens * (LAYERS_BELOW + KEY_AND_VALUE) + len(ids) * (LAYER - KEY_AND_VALUE))
        self.flops += work + (11 * tokens + len(ids)) * 4 * ids.shape[1] * 768
        self.multiplication.take_turn()
        return states

    @property
    def average(self) -> float:
        """The encoder's FLOP/s over the whole run."""
        return self.flops / self.seconds
