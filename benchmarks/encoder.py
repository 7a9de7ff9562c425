"""How near the encoder comes to the fastest that this machine multiplies, both timed in turns.

A shared machine's speed drifts by a quarter within a minute: the multiplication alone, timed over windows of
0.15 s, was seen anywhere between 270 and 398 GFLOP/s. So runs of the encoder and turns of multiplications
alternate, and both are averaged over the same minutes. The quickest window is reported too; the encoder's
average misses it by the drift as well as by its own losses.
"""

import time
from typing import Any, NamedTuple

import torch

from equipoise.models.engine.local import lanes_on

LAYER, KEY_AND_VALUE = 4 * 768 * 768 + 2 * 768 * 3072, 2 * 768 * 768
LAYERS_BELOW = 11 * LAYER
"""Multiplications per token, attention scores apart; of the last layer a token needs key and value only."""


class Multiplication:
    """The multiplication that a BERT-base layer spends most of its time in: 2048 x 768 x 3072."""

    FLOPS = 2 * 2048 * 768 * 3072

    def __init__(self, kind: torch.dtype) -> None:
        self.left, self.right = torch.randn(2048, 768).to(kind), torch.randn(3072, 768).to(kind)
        self.windows: list[float] = []

    @torch.inference_mode()
    def take_turn(self, windows: int = 8, times: int = 5) -> None:
        """Time windows of a few multiplications, after one untimed that brings the operands near."""
        torch.nn.functional.linear(self.left, self.right)
        for _ in range(windows):
            start = time.perf_counter()
            for _ in range(times):
                torch.nn.functional.linear(self.left, self.right)
            self.windows.append(self.FLOPS * times / (time.perf_counter() - start))

    @property
    def average(self) -> float:
        """FLOP/s over all turns."""
        return len(self.windows) / sum(1 / rate for rate in self.windows)

    @property
    def best(self) -> float:
        """FLOP/s of the quickest window."""
        return max(self.windows)


class Pass(NamedTuple):
    """One forward pass of the encoder."""

    flops: float
    seconds: float


class TimedNetwork:
    """A network that notes the time and the work of its encoder, as do the siblings that other lanes run."""

    def __init__(self, network: Any, passes: list[Pass]) -> None:
        self.network, self.passes = network, passes

    def __getattr__(self, name: str) -> Any:
        return getattr(self.network, name)

    def sibling(self) -> "TimedNetwork":
        """Another lane's network, noting in the same list."""
        return TimedNetwork(self.network.sibling(), self.passes)

    def hidden_at(
        self, ids: torch.Tensor, attention: torch.Tensor | None, places: tuple[torch.Tensor, torch.Tensor]
    ) -> torch.Tensor:
        """Run the encoder and note the work done; padding is not counted as work."""
        start = time.perf_counter()
        states: torch.Tensor = self.network.hidden_at(ids, attention, places)
        seconds = time.perf_counter() - start
        tokens = ids.numel() if attention is None else int(attention.sum())
        work = 2 * (tokens * (LAYERS_BELOW + KEY_AND_VALUE) + len(ids) * (LAYER - KEY_AND_VALUE))
        self.passes.append(Pass(work + (11 * tokens + len(ids)) * 4 * ids.shape[1] * 768, seconds))
        return states


def average(passes: list[Pass]) -> float:
    """The encoder's FLOP/s on the whole machine: a second in a lane is that share of the machine's."""
    lanes = lanes_on(torch.device("cpu"))
    return lanes * sum(one.flops for one in passes) / sum(one.seconds for one in passes)
