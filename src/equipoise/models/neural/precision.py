"""Half precision: whether it pays on this processor, and how far its answers are from fp32."""

import subprocess
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

import torch

from equipoise.errors import UserError, unknown_name
from equipoise.models.neural.network import PRECISIONS, Network

if TYPE_CHECKING:
    from equipoise.models.engine.engine import Engine

_TIMING = """
import time, torch
def seconds(kind):
    a, b = torch.randn(512, 768).to(kind), torch.randn(768, 768).to(kind)
    torch.nn.functional.linear(a, b)
    best = 1e9
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(4):
            torch.nn.functional.linear(a, b)
        best = min(best, time.perf_counter() - start)
    return best
print(seconds(torch.float32) / seconds(torch.bfloat16))
"""


@lru_cache
def bf16_speed() -> float:
    """How many times faster bf16 is than fp32 here; 0 where the processor fails at it.

    Measured in a process of its own: some virtual machines announce bf16 instructions and die on them.
    """
    done = subprocess.run([sys.executable, "-c", _TIMING], capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else 0.0


def check_precision(precision: str, device: torch.device) -> None:
    """Refuse a precision that does not exist, or that this processor makes slower."""
    if precision not in PRECISIONS:
        raise unknown_name("precision", precision, PRECISIONS)
    if precision == "fp32" or device.type != "cpu":
        return
    speed = bf16_speed()
    if speed == 0:
        raise UserError(
            "bf16 does not run on this processor: it stops at an illegal instruction.",
            "Leave --precision out: fp32 is exact and is the fastest here.",
        )
    if speed < 1:
        raise UserError(
            f"bf16 runs at {speed:.2f} times the speed of fp32 on this processor, "
            "which has no fast bf16 instructions.",
            "Leave --precision out: fp32 is exact and is the fastest here.",
        )


def largest_deviation(engine: "Engine") -> float:
    """The largest |log P(this precision) - log P(fp32)| over a sample of the rows that were run."""
    network = engine.network
    rows = [row for row in engine.sample if not row.vectors]
    if network.precision == "fp32" or not rows:
        return 0.0
    exact = type(engine)(
        Network(network.model), engine.store, padding_id=engine.padding_id, budget=engine.budget
    )
    differences = [
        abs(ours.logprobs[ask] - theirs.logprobs[ask])
        for row in rows
        for ours, theirs in [(engine.compute([row])[0], exact.compute([row])[0])]
        for ask in row.asks
    ]
    return max(differences, default=0.0)
