"""Other people's weights: run without changing them, and noticed when somebody else changes them."""

import copy
from typing import Any

import torch

from equipoise.models.guards.hooks import structure_snapshot


def share_weights(network: Any, device: torch.device) -> Any:
    """A copy of a network's modules on its weights; only weights of another type or place are copied.

    The copy may be put into evaluation mode, another precision of attention or another configuration: the
    network it came from stays as it is.
    """
    held = [*network.parameters(), *network.buffers()]
    copied = copy.deepcopy(network, {id(tensor): _as_run(tensor, device) for tensor in held})
    return copied.eval()


def _as_run(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    kind = torch.float32 if tensor.is_floating_point() else tensor.dtype
    if tensor.dtype == kind and tensor.device == device:
        return tensor
    moved = tensor.detach().to(device, kind)
    return (
        torch.nn.Parameter(moved, tensor.requires_grad) if isinstance(tensor, torch.nn.Parameter) else moved
    )


def own_weights(network: Any) -> Any:
    """Copy every weight out of the file that it is mapped on, and return the network.

    Mapped weights change when somebody writes to the file, after they were fingerprinted, and the process
    dies if the file is cut short. One weight is copied after the other, so only the largest is held twice.
    """
    copies: dict[tuple[object, ...], torch.Tensor] = {}
    for tensor in (*network.parameters(), *network.buffers()):
        place = memory_of(tensor)
        if place not in copies:
            copies[place] = tensor.data.clone()
        tensor.data = copies[place]
    return network


def memory_of(tensor: torch.Tensor) -> tuple[object, ...]:
    """Where a tensor lies and how it is read: the same for weights that are tied."""
    return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()


class WeightWatch:
    """Whether a network is still what it was when it was last looked at.

    Training and loading count up a tensor's version. Writing to `.data` does not, so one row and one column
    of every weight are compared too: whole rows, whole columns and whole tensors do not change unseen. So
    are hooks, adapters and the modules themselves.
    """

    def __init__(self, network: Any) -> None:
        self.network = network
        self._versions: list[object] = []
        self._parts: list[torch.Tensor] = []
        self._sample = b""
        self.has_changed()

    @torch.inference_mode(False)
    def has_changed(self) -> bool:
        """Whether something changed since the last time this was asked."""
        tensors = [*self.network.parameters(), *self.network.buffers()]
        versions = [*map(_version, tensors), *structure_snapshot(self.network)]
        if versions != self._versions:
            self._versions, self._parts = versions, [part for tensor in tensors for part in _parts(tensor)]
            self._sample = _bytes(self._parts)
            return True
        before, self._sample = self._sample, _bytes(self._parts)
        return before != self._sample


def _version(tensor: torch.Tensor) -> tuple[object, ...]:
    counted = 0 if tensor.is_inference() else tensor._version
    return tensor.data_ptr(), counted, tensor.dtype


def _parts(tensor: torch.Tensor) -> list[torch.Tensor]:
    """One row and one column of a tensor, in its own memory."""
    if tensor.dim() < 2:
        return [tensor.detach().view(-1)]
    rows = tensor.detach().flatten(0, -2)
    return [rows[len(rows) // 2], rows[:, rows.shape[1] // 2]]


def _bytes(parts: list[torch.Tensor]) -> bytes:
    """What the parts hold now, those of one type together."""
    kinds = sorted({part.dtype for part in parts}, key=str)
    together = (torch.cat([part for part in parts if part.dtype == kind]).cpu() for kind in kinds)
    return b"".join(values.view(torch.uint8).numpy().tobytes() for values in together)
