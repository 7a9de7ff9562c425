"""Other people's networks: what makes two the same, run without changing them, and noticed when one changes.

Weights, hooks, exchanged modules, configuration and tokenizer are parts of a model, however it is stored.
"""

import copy
import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import torch
from torch.nn.modules import module as every_module


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


_VOLATILE = frozenset({"_name_or_path", "architectures", "dtype", "torch_dtype", "transformers_version"})
"""Entries of a configuration that say where or by what it was written, not what it computes."""


def fingerprint(model: Any, tokenizer: Any, *, beside: str = "") -> str:
    """SHA-256 over every weight, the configuration, the tokenizer, and what else is said of the model."""
    whole = hashlib.sha256()
    for part in _weight_parts(model):
        whole.update(part)
    whole.update(_config_text(model.config).encode())
    whole.update(_tokenizer_text(tokenizer).encode())
    whole.update(beside.encode())
    return whole.hexdigest()


def weights_digest(model: Any) -> str:
    """SHA-256 over every weight alone."""
    return hashlib.sha256(b"".join(_weight_parts(model))).hexdigest()


def _weight_parts(model: Any) -> Iterator[bytes]:
    """The name and the digest of every weight, in the order of their names."""
    state = model.state_dict()
    distinct = {memory_of(tensor): tensor for tensor in state.values()}
    with ThreadPoolExecutor(max_workers=2) as pool:
        digests = dict(zip(distinct, pool.map(_tensor_digest, distinct.values()), strict=True))
    for name in sorted(state):
        yield name.encode()
        yield digests[memory_of(state[name])]


def _tensor_digest(tensor: torch.Tensor) -> bytes:
    """Weights are compared at the precision they are used at: an fp16 file equals its fp32 copy."""
    values = tensor.detach().cpu()
    values = values.float() if values.is_floating_point() else values
    digest = hashlib.sha256(f"{values.dtype}{tuple(values.shape)}".encode())
    digest.update(values.contiguous().numpy().data)
    return digest.digest()


def _config_text(config: Any) -> str:
    kept = {key: value for key, value in config.to_dict().items() if key not in _VOLATILE}
    return json.dumps(kept, sort_keys=True, default=str)


def _tokenizer_text(tokenizer: Any) -> str:
    """The fast tokenizer's own description, or failing that its vocabulary and special tokens."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    described = backend.to_str() if backend else json.dumps(tokenizer.get_vocab(), sort_keys=True)
    return described + json.dumps(tokenizer.special_tokens_map, sort_keys=True, default=str)


_ADAPTER = ("_active_adapter", "_disable_adapters", "merged_adapters", "scaling")
"""Attributes of peft's modules that say which adapters take part, and how much; all have the first."""


def structure_snapshot(network: Any) -> list[object]:
    """Something to compare: equal as long as nothing but weights has changed."""
    return [
        (type(module), module.extra_repr(), _hooks(module), _adapters(module)) for module in network.modules()
    ]


def customisations(network: Any) -> str:
    """What tells a network from one that its configuration builds; empty where nothing does.

    What a hook does cannot be read from it, so a network with hooks is like no other, not even itself.
    """
    own, built = dict(_modules(network)), dict(_modules(_as_built(network)))
    changed = [f"{name}: {text}" for name, text in own.items() if built.get(name) != text]
    adapted = [f"{name}: {adapters}" for name, adapters in _adapted(network)]
    hooked = [uuid4().hex] if any(_hooks(module) for module in network.modules()) else []
    return "\n".join([*changed, *adapted, *hooked])


def is_customised(network: Any) -> bool:
    """Whether hooks, adapters or replaced modules may answer otherwise than the published architecture."""
    return bool(customisations(network))


def _modules(network: Any) -> Iterator[tuple[str, str]]:
    for name, module in network.named_modules():
        yield name, f"{type(module).__qualname__}({module.extra_repr()})"


def _adapted(network: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, module in network.named_modules():
        if adapters := _adapters(module):
            yield name, adapters


def _as_built(network: Any) -> torch.nn.Module:
    """What the configuration builds, without weights; nothing where a class wants more than that."""
    from transformers.initialization import no_init_weights

    try:
        with torch.device("meta"), no_init_weights():
            built: torch.nn.Module = type(network)(network.config)
    except (TypeError, ValueError, AttributeError, RuntimeError, NotImplementedError):
        return torch.nn.Module()
    return built


def _hooks(module: Any) -> tuple[object, ...]:
    """What is called beside or in place of a module's forward, but for what transformers itself calls."""
    replaced = () if hasattr(module, "_hf_hook") else (vars(module).get("forward"),)
    called = (
        *module._forward_pre_hooks.values(),
        *module._forward_hooks.values(),
        *replaced,
        *_global_hooks(),
    )
    return tuple(hook for hook in called if hook is not None and not _is_of_library(hook))


def _global_hooks() -> tuple[object, ...]:
    """What torch calls before and after every module of the process."""
    return (*every_module._global_forward_pre_hooks.values(), *every_module._global_forward_hooks.values())


def _is_of_library(hook: object) -> bool:
    """Whether a hook only listens, as those by which transformers tells of its layers do."""
    return str(getattr(hook, "__module__", "")).startswith(("transformers.", "accelerate."))


def _adapters(module: Any) -> tuple[str, ...]:
    held = vars(module)
    return tuple(repr(held.get(name)) for name in _ADAPTER) if _ADAPTER[0] in held else ()
