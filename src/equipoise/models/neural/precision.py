"""Half precision: whether it pays on this processor, and how far its answers are from fp32."""

import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache

import torch

from equipoise.errors import UserError, unknown_name
from equipoise.models.engine.forward import Forward
from equipoise.models.engine.rows import Row
from equipoise.models.neural.network import PRECISIONS

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


def largest_deviation(forward: Forward, exact: Forward, rows: Sequence[Row]) -> float:
    """The largest |log P(this precision) - log P(fp32)| over rows that were run."""
    differences = [
        abs(ours.logprobs[ask] - theirs.logprobs[ask])
        for row in rows
        if not row.vectors
        for ours, theirs in [(forward.compute([row])[0], exact.compute([row])[0])]
        for ask in row.asks
    ]
    return max(differences, default=0.0)
