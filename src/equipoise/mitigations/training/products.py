"""Products of matrices by oneDNN for training on a processor, where they are quicker than torch's own.

Which library multiplies quicker hangs on the processor: seen were oneDNN a fifth ahead on one and a quarter
behind on another of the same maker. So both are timed once for each shape of weight, for a fraction of a
second. The mathematics is the same; the last bit may differ. It rests on an operator of torch that is not
public, and pays: a whole step of BERT-base (1,000 tokens) took 3.8 s of a processor in place of 5.6.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

SMALLEST = 1 << 18
"""Weights of a layer below which nothing is to be gained."""

TURNS, WORK = 5, 5e8
"""How often each way is timed, and multiplications in one turn."""


class _Product(torch.autograd.Function):
    """x W' + b and its gradients, by oneDNN."""

    @staticmethod
    def forward(context: Any, rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Rows `[n, in]` times a weight `[out, in]`."""
        context.save_for_backward(rows, weight)
        return _multiplied(rows, weight, bias)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """The gradients of rows, weight and bias, as far as they are asked."""
        rows, weight = context.saved_tensors
        (of_output,) = gradients
        of_output = of_output.contiguous()
        of_rows = _multiplied(of_output, weight.t(), None) if context.needs_input_grad[0] else None
        of_weight = of_output.t() @ rows if context.needs_input_grad[1] else None
        of_bias = of_output.sum(0) if context.needs_input_grad[2] else None
        return of_rows, of_weight, of_bias


def _multiplied(rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    product: Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return product


class QuickLinear(nn.Linear):
    """A linear layer by oneDNN, wherever its numbers are plain floats in ordinary memory."""

    def forward(self, given: Tensor) -> Tensor:
        """The layer's output, in the shape of what it was given."""
        is_plain = given.dtype == self.weight.dtype == torch.float32 and given.device.type == "cpu"
        if not is_plain or torch.is_autocast_enabled("cpu") or given.numel() == 0:
            return functional.linear(given, self.weight, self.bias)
        rows = given.reshape(-1, self.in_features).contiguous()
        product: Tensor = _Product.apply(rows, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return product.view(*given.shape[:-1], self.out_features)


@contextmanager
def quick_products(network: nn.Module) -> Iterator[None]:
    """Within it the network's linear layers are the quicker ones; what it holds stays its own."""
    slow = [one for one in network.modules() if type(one) is nn.Linear and is_onednn_quicker(one)]
    for layer in slow:
        layer.__class__ = QuickLinear
    try:
        yield
    finally:
        for layer in slow:
            layer.__class__ = nn.Linear


def is_onednn_quicker(layer: nn.Linear) -> bool:
    """Whether a layer's product and the gradient of its rows take oneDNN less time on this machine."""
    weight = layer.weight
    is_large = weight.numel() >= SMALLEST and weight.dtype == torch.float32 and weight.device.type == "cpu"
    return is_large and _has_onednn() and _wins(layer.out_features, layer.in_features)


def _has_onednn() -> bool:
    is_there: bool = torch._C._has_mkldnn
    return is_there and hasattr(torch.ops.mkldnn, "_linear_pointwise")


@cache
@torch.no_grad()
def _wins(outputs: int, inputs: int) -> bool:
    """Both ways in turns, the quickest turn of each."""
    weight = torch.ones(outputs, inputs)
    rows = torch.ones(max(32, round(WORK / weight.numel())), inputs)
    gradients = torch.ones(len(rows), outputs)

    def by_torch() -> None:
        functional.linear(rows, weight)
        torch.mm(gradients, weight)

    def by_onednn() -> None:
        _multiplied(rows, weight, None)
        _multiplied(gradients, weight.t(), None)

    with _one_thread():
        turns = [(_seconds(by_torch), _seconds(by_onednn)) for _ in range(TURNS)]
    torchs_own, onednn = (min(side) for side in zip(*turns, strict=True))
    return onednn < torchs_own


@contextmanager
def _one_thread() -> Iterator[None]:
    """One thread's own time does not hang on what else the machine is doing."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _seconds(work: Callable[[], None]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began
