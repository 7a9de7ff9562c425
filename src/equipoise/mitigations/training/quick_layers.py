"""Quicker layers for training on a processor: the same mathematics in less time.

`Linear` multiplies by whichever library is quicker there (`products`). `Dropout` draws a random number for
every value, where sixteen random bits are enough to hit a rate to 1 in 65,536.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional

from equipoise.mitigations.training.products import QuickLinear, is_onednn_quicker

LEVELS = 1 << 16
"""How many values sixteen bits have."""


class QuickDropout(nn.Dropout):
    """Dropout by sixteen random bits a value, drawn from torch's generator."""

    def forward(self, given: Tensor) -> Tensor:
        """What is kept, made larger by as much as is lost."""
        if not self.training or not 0 < self.p < 1 or given.device.type != "cpu":
            return functional.dropout(given, self.p, self.training)
        kept = _random_bits(given.numel()).view(given.shape) >= round(self.p * LEVELS) - LEVELS // 2
        return given * (kept.to(given.dtype) / (1 - self.p))


def _random_bits(count: int) -> Tensor:
    """Whole numbers from -32,768 to 32,767, each as likely."""
    lowest = torch.iinfo(torch.int64).min
    return torch.empty((count + 3) // 4, dtype=torch.int64).random_(lowest, None).view(torch.int16)[:count]


@contextmanager
def quick_layers(network: nn.Module) -> Iterator[None]:
    """Within it the network's linear and dropout layers are the quick ones; what it holds stays its own."""
    own_kinds = {module: type(module) for module in network.modules()}
    for module in own_kinds:
        module.__class__ = _quick_kind(module)
    try:
        yield
    finally:
        for module, kind in own_kinds.items():
            module.__class__ = kind


def _quick_kind(module: nn.Module) -> type[nn.Module]:
    if type(module) is nn.Dropout:
        return QuickDropout
    is_slow = type(module) is nn.Linear and is_onednn_quicker(module)
    return QuickLinear if is_slow else type(module)
