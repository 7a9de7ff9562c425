"""Devices: which are here, which one is meant, and how many tokens keep it busy."""

from typing import Any

import torch

from equipoise.errors import UserError

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
    """The device that a name stands for; one that is not here is refused with those that are."""
    here = devices_here()
    if name == "auto":
        return torch.device(here[0])
    wanted = "cuda:0" if name == "cuda" else name
    if wanted not in here:
        raise UserError(
            f"There is no device {name!r} here.",
            f"Here are: {', '.join(here)}; `auto` takes the first of them.",
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
