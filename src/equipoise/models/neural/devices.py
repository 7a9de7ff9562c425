"""Devices: which are here, how many tokens keep one busy, and what half precision gains and costs there."""

import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import torch

from equipoise.errors import UserError, unknown_name
from equipoise.models.engine.forward import Forward
from equipoise.models.engine.rows import Row
from equipoise.models.neural.network import PRECISIONS

CPU_BUDGET = 2048
"""Tokens on their way at once: enough to keep two cores busy, little enough to stay in cache."""

LEAST_BUDGET, MOST_BUDGET = 16_384, 65_536
BYTES_PER_TOKEN = 256 * 1024
"""On an accelerator a token of the budget for every 256 kB that are free, between 16,384 and 65,536.

A token of BERT-base takes some 60 kB at its widest in fp32; a batch that does not fit after all is halved.
"""


def device_for(network: Any, name: str) -> torch.device:
    """The device asked for; where none is, the one on which a caller's network already lies."""
    return next(network.parameters()).device if name == "auto" else find_device(name)


def find_device(name: str) -> torch.device:
    """Return the device of a name. An absent one is refused, and the error lists those that are here."""
    here = devices_here()
    if name == "auto":
        return torch.device(here[0])
    wanted = "cuda:0" if name == "cuda" else name
    if wanted not in here:
        raise UserError(
            f"This machine has no device {name!r}.",
            f"It has: {', '.join(here)}; `auto` takes the first of them.",
        )
    return torch.device(wanted)


def devices_here() -> list[str]:
    """Every device of this machine, the fastest first."""
    cards = [f"cuda:{number}" for number in range(torch.cuda.device_count())] if _has_cuda() else []
    return [*cards, *(["mps"] if torch.backends.mps.is_available() else []), "cpu"]


def token_budget(device: torch.device, given: int = 0) -> int:
    """How many tokens to run at once: the given number, or what suits the device and its free memory."""
    if given:
        return given
    if device.type == "cpu":
        return CPU_BUDGET
    return min(MOST_BUDGET, max(LEAST_BUDGET, _free_memory(device) // BYTES_PER_TOKEN))


def _free_memory(device: torch.device) -> int:
    """Bytes that the device could still give; 0 where it does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "mps":
        return int(torch.mps.recommended_max_memory() - torch.mps.current_allocated_memory())
    return 0


def _has_cuda() -> bool:
    return bool(torch.cuda.is_available())


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
