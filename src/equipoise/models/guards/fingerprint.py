"""What makes two models the same: weights, workings, configuration and tokenizer, however they are stored."""

import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch

from equipoise.models.guards.weights import memory_of

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
