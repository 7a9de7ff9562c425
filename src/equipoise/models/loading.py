"""Loading that cannot lie: no missing head, no wrong kind, no remote code, no pickle unless it is allowed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import UserError
from equipoise.models.causal import CausalModel
from equipoise.models.checkpoints import kind_of, read_checkpoint, read_packed
from equipoise.models.encoder_decoder import EncoderDecoderModel
from equipoise.models.engine.precision import check_precision
from equipoise.models.engine.store import cache_file
from equipoise.models.masked import MaskedModel
from equipoise.models.names import FOLDERS, RANDOM
from equipoise.models.neural import NeuralModel
from equipoise.models.packing import is_packed
from equipoise.models.random_weights import random_parts

KINDS: dict[str, type[NeuralModel]] = {
    "masked": MaskedModel,
    "causal": CausalModel,
    "encoder-decoder": EncoderDecoderModel,
}


@dataclass(frozen=True)
class LoadSettings:
    """How to load: precision, whether pickled weights may be read, where answers are kept."""

    precision: str = "fp32"
    allow_pickle: bool = False
    cache: bool = True
    store: Path | None = None

    @property
    def store_path(self) -> Path | None:
        """The answer store's file, or None to keep answers for this run only."""
        return (self.store or cache_file()) if self.cache else None


def load_neural(name: str, settings: LoadSettings) -> NeuralModel:
    """Load a built-in model, a folder or a hub name as the kind of model it is."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    check_precision(settings.precision, device)
    if name == RANDOM:
        network, tokenizer = random_parts()
        return wrap_model(network, tokenizer, name=name, settings=settings)
    folder = _find_folder(name, settings)
    if folder is not None and is_packed(folder):
        found = read_packed(name, folder)
    else:
        found = read_checkpoint(name, folder, allow_pickle=settings.allow_pickle)
    return _wrap(found.kind, found.network.to(device), found.tokenizer, name, settings)


def wrap_model(
    network: Any, tokenizer: Any, *, name: str, settings: LoadSettings | None = None
) -> NeuralModel:
    """A transformers model and tokenizer already in memory as a `LanguageModel`."""
    kind = kind_of(network.config, name, loaded_as=type(network).__name__)
    return _wrap(kind, network, tokenizer, name, settings or LoadSettings())


def _wrap(kind: str, network: Any, tokenizer: Any, name: str, settings: LoadSettings) -> NeuralModel:
    return KINDS[kind](network, tokenizer, name=name, precision=settings.precision, store=settings.store_path)


def _find_folder(name: str, settings: LoadSettings) -> Path | None:
    """The folder that a name stands for, if it holds a model; None for a name of the hub."""
    folder = FOLDERS.get(name) or Path(name).expanduser()
    if folder.is_dir():
        _check_folder(folder, settings.allow_pickle)
        return folder
    if folder.exists() or _looks_like_path(name):
        raise UserError(
            f"There is no model folder at {name!r}.",
            "Give a folder that holds config.json, a tokenizer and model.safetensors.",
        )
    return None


def _check_folder(folder: Path, allow_pickle: bool) -> None:
    if not (folder / "config.json").exists():
        raise UserError(
            f"{str(folder)!r} holds no config.json, so it is no model folder.",
            "Give a folder written by save_pretrained.",
        )
    if any(folder.glob("*.safetensors")):
        return
    if not any(folder.glob("*.bin")):
        raise UserError(
            f"{str(folder)!r} holds a configuration but no weights.",
            "Put model.safetensors beside config.json.",
        )
    if not allow_pickle:
        raise UserError(
            f"{str(folder)!r} holds only pickled weights, which can run code when they are read.",
            "Save it as safetensors, or pass --allow-pickle if you trust where it came from.",
        )


def _looks_like_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name or not name
