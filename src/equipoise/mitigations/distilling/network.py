"""A network whose upper layers are tuned: the lower ones run once, and the head where it is asked."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from equipoise.errors import UserError
from equipoise.mitigations.networks import BaseOutput
from equipoise.models.neural.network import replaced_forward

States = torch.Tensor
USUAL = 4
"""Upper layers that are tuned where no number is given and the model has so many."""


class UpperLayers:
    """A copy of a network, of which the uppermost layers (0: the usual number) and most of the head learn."""

    def __init__(self, network: Any, count: int, *, is_halved: bool = False) -> None:
        self.network = copy.deepcopy(network).eval()
        self._caches = getattr(network.config, "use_cache", None)
        self.network.config.use_cache = False  # nothing is written token by token
        self.base = self.network.base_model
        self.owner, self.name = _layer_list(self.base)
        self.layers = getattr(self.owner, self.name)
        if not 0 <= count <= len(self.layers):
            raise UserError(
                f"{count} layers were to be tuned of a model with {len(self.layers)}.",
                f"Give a number from 1 to {len(self.layers)}, or 0 for the usual number.",
            )
        self.count = count or min(USUAL, len(self.layers))
        self.embeddings = getattr(self.base, "embeddings", None) or self.base.get_input_embeddings()
        self.is_halved = False
        self._check_apart()
        self.is_halved = is_halved and has_half_products()
        for parameter in self.network.parameters():
            parameter.requires_grad_(False)
        for module in (*self.layers[len(self.layers) - self.count :], *self._head_modules()):
            for parameter in module.parameters():
                parameter.requires_grad_(True)

    def tuned(self) -> Any:
        """The network as it is now, with the configuration that it came with."""
        self.network.config.use_cache = self._caches
        return self.network

    @property
    def learning(self) -> list[nn.Parameter]:
        """The parameters that are tuned."""
        return [parameter for parameter in self.network.parameters() if parameter.requires_grad]

    @torch.no_grad()
    def lower(self, ids: torch.Tensor, attention: torch.Tensor) -> States:
        """The states below the tuned layers."""
        if self.count == len(self.layers):
            return self.embeddings(ids)
        lower = self.layers[: len(self.layers) - self.count]
        given: list[States] = []
        handle = lower[-1].register_forward_hook(
            lambda _layer, _inputs, output: given.append(output[0] if isinstance(output, tuple) else output)
        )
        try:  # what comes behind the layers, such as a last normalisation, belongs to the upper ones
            with self._only(lower), self._products():
                self.base(input_ids=ids, attention_mask=attention)
        finally:
            handle.remove()
        return given[0].float()

    def upper(self, states: States, attention: torch.Tensor) -> States:
        """The last hidden states, from those below the tuned layers on."""
        dummy = torch.zeros(states.shape[:2], dtype=torch.long)
        with (
            self._only(self.layers[len(self.layers) - self.count :]),
            replaced_forward(self.embeddings, lambda *_args, **_kwargs: states),
            self._products(),
        ):
            return self.base(input_ids=dummy, attention_mask=attention)[0].float()

    def logits(self, hidden: States) -> torch.Tensor:
        """The head on chosen hidden states `[places, width]`."""
        dummy = torch.zeros((1, len(hidden)), dtype=torch.long)
        output = BaseOutput(hidden[None])
        with replaced_forward(self.base, lambda *_args, **_kwargs: output), self._products():
            return self.network(input_ids=dummy).logits[0].float()

    @torch.no_grad()
    def _check_apart(self) -> None:
        """Whether lower layers, upper layers and head one after another give what the whole model gives."""
        ids = torch.arange(8).view(2, 4) % int(self.network.config.vocab_size)
        attention = torch.ones_like(ids)
        attention[1, 3] = 0
        whole = self.network(input_ids=ids, attention_mask=attention).logits[0]
        try:
            apart = self.logits(self.upper(self.lower(ids, attention), attention)[0])
        except (RuntimeError, TypeError, AttributeError):
            apart = torch.full_like(whole, torch.nan)
        if not torch.allclose(apart, whole, atol=1e-4):
            raise _not_apart(self.base)

    def _products(self) -> torch.autocast:
        """Products of matrices in bfloat16 where that is wanted; the weights stay as they are."""
        return torch.autocast("cpu", torch.bfloat16, enabled=self.is_halved)

    @contextmanager
    def _only(self, layers: Any) -> Iterator[None]:
        setattr(self.owner, self.name, nn.ModuleList(layers))
        try:
            yield
        finally:
            setattr(self.owner, self.name, self.layers)

    def _head_modules(self) -> list[nn.Module]:
        """The parts of the head before its last product, which shares its weights with the word vectors."""
        last = self.network.get_output_embeddings()
        inside = {id(module) for module in self.base.modules()}
        return [
            module
            for module in self.network.modules()
            if id(module) not in inside and module is not last and not list(module.children())
        ]


def has_half_products() -> bool:
    """Whether this processor multiplies matrices of bfloat16 itself, which takes a third of the time."""
    known = torch.cpu.get_capabilities()
    return bool(known.get("avx512_bf16") or known.get("amx_bf16"))


def _layer_list(base: Any) -> tuple[Any, str]:
    """The module that holds the list of layers, and the list's name in it."""
    wanted = int(base.config.num_hidden_layers)
    for module in base.modules():
        for name, child in module.named_children():
            if isinstance(child, nn.ModuleList) and len(child) == wanted:
                return module, name
    raise _not_apart(base)


def _not_apart(base: Any) -> UserError:
    return UserError(
        f"The layers of {type(base).__name__} cannot be run apart, so its upper ones cannot be tuned alone.",
        "Use a model of BERT's, RoBERTa's, DistilBERT's, DeBERTa's or MPNet's family, or another mitigation.",
    )
