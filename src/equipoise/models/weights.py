"""Other people's weights: run without changing them, and noticed when somebody else changes them."""

import copy
from typing import Any

import torch


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


class WeightWatch:
    """Whether a network's weights are still what they were when they were last looked at.

    Training and loading count up a tensor's version. Writing to `.data` does not, so one row and one column
    of every weight are compared too: whole rows, whole columns and whole tensors do not change unseen.
    """

    def __init__(self, network: Any) -> None:
        self.network = network
        self.versions, self.sample = self._look()

    def has_changed(self) -> bool:
        """Whether something changed since the last time this was asked."""
        before = self.versions, self.sample
        self.versions, self.sample = self._look()
        return before != (self.versions, self.sample)

    @torch.inference_mode(False)
    def _look(self) -> tuple[list[tuple[object, ...]], bytes]:
        tensors = [*self.network.parameters(), *self.network.buffers()]
        return [_version(tensor) for tensor in tensors], _sample(tensors)


def _version(tensor: torch.Tensor) -> tuple[object, ...]:
    counted = 0 if tensor.is_inference() else tensor._version
    return tensor.data_ptr(), counted, tensor.dtype


@torch.no_grad()
def _sample(tensors: list[torch.Tensor]) -> bytes:
    """One row and one column of every tensor."""
    parts = []
    for tensor in tensors:
        flat = tensor.detach().reshape(-1, tensor.shape[-1]) if tensor.dim() else tensor.detach().view(1, 1)
        parts.append(flat[len(flat) // 2])
        if len(flat) > 1:
            parts.append(flat[:, flat.shape[1] // 2])
    kinds = {part.dtype for part in parts}
    return b"".join(
        torch.cat([part for part in parts if part.dtype == kind]).cpu().view(torch.uint8).numpy().tobytes()
        for kind in sorted(kinds, key=str)
    )
