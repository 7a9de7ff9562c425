"""Read configuration, network and tokenizer with transformers, from a folder or the hub."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

import torch
import transformers
from huggingface_hub import constants
from transformers.initialization import no_init_weights
from transformers.models.auto import modeling_auto

from equipoise.errors import UserError
from equipoise.models.guards.weights import own_weights
from equipoise.models.loading.files import TOKENIZER, explained_loading
from equipoise.models.loading.packed import load_packed
from equipoise.models.neural.plain_bert import PlainBert, is_plain

_CLASSES = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "encoder-decoder": "AutoModelForSeq2SeqLM",
    "classifier": "AutoModelForSequenceClassification",
}
"""Looked up when they are needed: importing them takes two seconds."""


@dataclass(frozen=True)
class Checkpoint:
    """A network with its tokenizer, and whether it is masked, causal, encoder-decoder or a classifier."""

    kind: str
    network: Any
    tokenizer: Any


def read_checkpoint(name: str, folder: Path | None, *, allow_pickle: bool) -> Checkpoint:
    """What a folder holds, or without one, what the hub or an earlier download has under the name."""
    stored_only = folder is None and hub_is_away()
    source = name if folder is None else str(folder)
    how = {"trust_remote_code": False, "local_files_only": stored_only}
    with explained_loading(name, folder, stored_only=stored_only), quiet():
        kind = kind_of(transformers.AutoConfig.from_pretrained(source, **how), name)
        # With peft installed, transformers looks for an adapter, and asks the hub unless it is told not to.
        adapters = {"local_files_only": stored_only}
        weights = {"use_safetensors": None if allow_pickle else True, "adapter_kwargs": adapters}
        network = load_network(source, kind, how | weights)
    with explained_loading(name, folder, TOKENIZER, stored_only=stored_only), quiet():
        return Checkpoint(kind, network, transformers.AutoTokenizer.from_pretrained(source, **how))


def read_packed(name: str, folder: Path) -> Checkpoint:
    """What a packed folder holds."""
    how = {"trust_remote_code": False, "local_files_only": True}
    with explained_loading(name, folder), quiet():
        config = transformers.AutoConfig.from_pretrained(folder, **how)
        kind = kind_of(config, name)
        network = _unpacked(folder, kind, config)
    with explained_loading(name, folder, TOKENIZER), quiet():
        return Checkpoint(kind, network, transformers.AutoTokenizer.from_pretrained(folder, **how))


def kind_of(config: Any, name: str, loaded_as: str | None = None) -> str:
    """Whether a checkpoint was trained as masked, causal or encoder-decoder model, or as a classifier.

    BERT and RoBERTa stand in transformers' list of causal models too; read that way they give numbers that
    mean nothing. So the class that wrote the checkpoint decides, and masked comes first where it is silent.
    """
    written_by = {loaded_as} if loaded_as else set(config.architectures or ())
    if any(str(kind).endswith("ForSequenceClassification") for kind in written_by):
        return "classifier"
    if config.is_encoder_decoder:
        return "encoder-decoder"
    masked = modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES
    causal = modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if written_by & set(masked.values()):
        return "masked"
    if written_by & set(causal.values()) or getattr(config, "is_decoder", False):
        return "causal"
    if config.model_type in masked:
        return "masked"
    if config.model_type in causal:
        return "causal"
    raise UserError(
        f"{name!r} is a {config.model_type!r} model ({', '.join(written_by) or 'unknown class'}), "
        "which is not a language model.",
        "Give a masked, causal or encoder-decoder language model.",
    )


def check_head(network: Any, kind: str, name: str) -> None:
    """Refuse a network in memory that has no head for words, or gives other answers beside."""
    names = {"masked": "MASKED_LM", "causal": "CAUSAL_LM", "encoder-decoder": "SEQ_TO_SEQ_CAUSAL_LM"}
    if kind == "classifier" or type(network).__name__ in _class_names(names[kind]):
        return
    if network.get_output_embeddings() is None or type(network).__name__ in _class_names("PRETRAINING"):
        raise UserError(
            f"{name!r} is a {type(network).__name__}, which does not answer with the logits of words alone.",
            f"Load it with transformers' {_CLASSES[kind]}, from a checkpoint with a language-model head.",
        )


def _class_names(task: str) -> set[str]:
    """The classes that transformers has for a task."""
    named: dict[str, str | tuple[str, ...]] = getattr(modeling_auto, f"MODEL_FOR_{task}_MAPPING_NAMES")
    return {name for names in named.values() for name in ([names] if isinstance(names, str) else names)}


def load_network(source: str, kind: str, how: dict[str, Any]) -> Any:
    """Load in fp32 and refuse anything that was not in the checkpoint."""
    network, info = getattr(transformers, _CLASSES[kind]).from_pretrained(
        source,
        dtype=torch.float32,
        output_loading_info=True,
        weights_only=True,
        **how,
    )
    missing = sorted(info["missing_keys"]) + sorted(str(key[0]) for key in info["mismatched_keys"])
    if missing:
        is_classifier = kind == "classifier"
        what, head = ("model", "classifier's") if is_classifier else ("language model", "language-model")
        shown = ", ".join(missing[:4]) + (", ..." if len(missing) > 4 else "")
        raise UserError(
            f"{source!r} has no weights for {len(missing)} parts of a {kind} {what} ({shown}): "
            "they would be random, and so would every score.",
            f"Give the checkpoint that was saved with its {head} head.",
        )
    return own_weights(network)


def _unpacked(folder: Path, kind: str, config: Any) -> Any:
    """A packed model as a network: every weight comes from the file, and none is left over."""
    network, weights = _empty_network(kind, config), load_packed(folder)
    try:
        network.load_state_dict(weights, strict=True, assign=True)
    except RuntimeError as error:
        text = " ".join(str(error).split())
        raise UserError(
            f"The packed weights in {str(folder)!r} do not fit its configuration: {text[:200]}",
            "Pack the model again.",
        ) from error
    network.tie_weights()
    return network


def _empty_network(kind: str, config: Any) -> Any:
    if kind == "masked" and is_plain(config):
        return PlainBert(config)
    with no_init_weights():
        return getattr(transformers, _CLASSES[kind]).from_config(config)


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back transformers' bars and reports: what matters of them is checked and reported."""
    log = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()


PATIENCE = 3.0
"""Seconds to wait for the hub to accept a connection."""


def hub_is_away() -> bool:
    """Whether only models fetched earlier can be loaded; behind a proxy the hub's client finds out itself."""
    if constants.HF_HUB_OFFLINE:
        return True
    if getproxies():
        return False
    address = urlsplit(constants.ENDPOINT)
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname or "", port), timeout=PATIENCE).close()
    except OSError:
        return True
    return False
