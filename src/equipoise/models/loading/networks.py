"""Load a model and refuse broken checkpoints: a missing head, a wrong kind, remote code, unwanted pickles."""

from pathlib import Path
from typing import Any

import torch

from equipoise.errors import UserError
from equipoise.models.engine.executors import find_executor
from equipoise.models.guards.tokenizer import refuse_foreign_tokenizer
from equipoise.models.loading.checkpoints import Checkpoint, check_head, kind_of, read_checkpoint, read_packed
from equipoise.models.loading.errors import EITHER, explained_loading
from equipoise.models.loading.files import VOCABULARIES, refuse_changes
from equipoise.models.loading.gguf import find_gguf, is_gguf, read_gguf
from equipoise.models.loading.names import FOLDERS, draw_of, is_random
from equipoise.models.loading.packed import is_packed
from equipoise.models.loading.random_weights import random_parts
from equipoise.models.neural.base import NeuralModel
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.classifier import ClassifierModel
from equipoise.models.neural.devices import device_for, find_device
from equipoise.models.neural.encoder_decoder import EncoderDecoderModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.neural.precision import check_precision
from equipoise.models.options import RunOptions
from equipoise.models.progress import LOADING, Progress, unheard
from equipoise.models.reporting import stop_reported

KINDS: dict[str, type[NeuralModel]] = {
    "masked": MaskedModel,
    "causal": CausalModel,
    "encoder-decoder": EncoderDecoderModel,
}


def load_neural(name: str, options: RunOptions) -> NeuralModel | ClassifierModel:
    """Load a built-in model, a folder, a GGUF file or a hub name as the kind of model it is."""
    report = options.progress or unheard
    device = find_device(options.device)
    check_precision(options.precision, device)
    find_executor(options.executor)
    with stop_reported(report, name):
        place = _find_place(name, options.allow_pickle)
        with refuse_changes(place):
            report(Progress(LOADING, 0, 2, name))
            checkpoint = _read(name, place, options)
            report(Progress(LOADING, 1, 2, name))
            with explained_loading(name, place, EITHER):
                model = _wrap(checkpoint, device, name, options)
        report(Progress(LOADING, 2, 2, name))
    return model


def wrap_model(
    network: Any, tokenizer: Any, *, name: str, options: RunOptions | None = None
) -> NeuralModel | ClassifierModel:
    """A transformers model and tokenizer already in memory as a `LanguageModel`.

    Neither is changed: the network stays in its mode, precision and place. If it is trained on later, the
    next question is answered by the new weights.
    """
    if not isinstance(network, torch.nn.Module):
        raise UserError(
            f"A {type(network).__name__} was given as the network of {name!r}.",
            "Give a transformers model first and its tokenizer second; a folder or name is for load_model.",
        )
    chosen = options or RunOptions()
    check_precision(chosen.precision, device_for(network, chosen.device))
    find_executor(chosen.executor)
    kind = kind_of(network.config, name, loaded_as=type(network).__name__)
    check_head(network, kind, name)
    if kind == "classifier":
        return ClassifierModel(network, tokenizer, name=name, options=options)
    model = KINDS[kind](network, tokenizer, name=name, options=options, borrowed=True)
    refuse_foreign_tokenizer(model, network, tokenizer)
    return model


def _find_place(name: str, allow_pickle: bool) -> Path | None:
    """The folder or GGUF file that a name stands for; None for random weights and names of the hub."""
    if is_random(name):
        return None
    return find_gguf(name) if is_gguf(name) else _find_folder(name, allow_pickle)


def _read(name: str, place: Path | None, options: RunOptions) -> Checkpoint:
    """What stands behind a name: random weights, a GGUF file, a folder or a model of the hub."""
    if is_random(name):
        return Checkpoint("masked", *random_parts(draw_of(name)))
    if place is not None and is_gguf(name):
        return read_gguf(name, place)
    if place is not None and is_packed(place):
        return read_packed(name, place)
    return read_checkpoint(name, place, allow_pickle=options.allow_pickle)


def _wrap(
    checkpoint: Checkpoint, device: torch.device, name: str, options: RunOptions
) -> NeuralModel | ClassifierModel:
    network = checkpoint.network.to(device)
    if checkpoint.kind == "classifier":
        return ClassifierModel(network, checkpoint.tokenizer, name=name, options=options)
    model = KINDS[checkpoint.kind](network, checkpoint.tokenizer, name=name, options=options)
    refuse_foreign_tokenizer(model, network, checkpoint.tokenizer)
    return model


def refuse_absent(name: str, options: RunOptions) -> None:
    """Refuse a name that stands for no folder here, before other models are measured."""
    if not is_random(name) and not Path(name).expanduser().is_file():
        _find_folder(name, options.allow_pickle)


def _find_folder(name: str, allow_pickle: bool) -> Path | None:
    """The folder that a name stands for, if it holds a model; None for a name of the hub."""
    folder = FOLDERS.get(name) or Path(name).expanduser()
    if folder.is_dir():
        _check_folder(folder, allow_pickle)
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
    if not any((folder / name).exists() for name in VOCABULARIES):
        raise UserError(
            f"{str(folder)!r} holds no tokenizer.",
            "Save the tokenizer beside the weights: tokenizer.save_pretrained(folder).",
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
