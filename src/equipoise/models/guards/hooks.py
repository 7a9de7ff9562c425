"""Detect what changes a network's answers besides its weights: hooks, adapters, replaced modules."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import torch
from torch.nn.modules import module as every_module

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
