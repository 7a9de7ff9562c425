"""Load a model and refuse broken checkpoints: a missing head, a wrong kind, remote code, unwanted pickles."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from equipoise.errors import UserError
from equipoise.models.engine.engine import find_executor
from equipoise.models.guards.tokenizer import refuse_foreign_tokenizer
from equipoise.models.loading import FOLDERS, draw_of, is_random
from equipoise.models.loading.checkpoints import Checkpoint, check_head, kind_of, read_checkpoint, read_packed
from equipoise.models.loading.files import EITHER, VOCABULARIES, explained_loading, refuse_changes
from equipoise.models.loading.gguf import find_gguf, is_gguf, read_gguf
from equipoise.models.loading.packed import is_packed
from equipoise.models.loading.random_weights import random_parts
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.classifier import ClassifierModel
from equipoise.models.neural.devices import check_precision, device_for, find_device
from equipoise.models.neural.encoder_decoder import encoder_decoder
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.options import RunOptions
from equipoise.models.progress import LOADING, Progress, stop_reported, unheard

KINDS: dict[str, Callable[..., NeuralModel]] = {
    "masked": MaskedModel,
    "causal": CausalModel,
    "encoder-decoder": encoder_decoder,
}


class NetworkLoader(ABC):
    """Loads a network with its tokenizer, and refuses what cannot be measured honestly."""

    @abstractmethod
    def accepts(self, name: str) -> bool:
        """Whether this loader is the one for the name."""

    def find(self, name: str, options: RunOptions) -> Path | None:
        """The folder or file that the name stands for, if any; refused if it cannot be read."""
        return None

    @abstractmethod
    def read(self, name: str, place: Path | None, options: RunOptions) -> Checkpoint:
        """Network and tokenizer."""

    def check(self, name: str, options: RunOptions) -> None:
        """Refuse a name under which nothing can be read."""
        self.find(name, options)

    def load(self, name: str, options: RunOptions) -> NeuralModel | ClassifierModel:
        """The model of that name, of whichever kind it is."""
        report = options.progress or unheard
        device = find_device(options.device)
        check_precision(options.precision, device)
        find_executor(options)
        with stop_reported(report, name):
            place = self.find(name, options)
            with refuse_changes(place):
                report(Progress(LOADING, 0, 2, name))
                checkpoint = self.read(name, place, options)
                report(Progress(LOADING, 1, 2, name))
                with explained_loading(name, place, EITHER):
                    model = _wrap(checkpoint, device, name, options)
            report(Progress(LOADING, 2, 2, name))
        return model


class RandomLoader(NetworkLoader):
    """The small built-in model with random weights."""

    def accepts(self, name: str) -> bool:
        """Whether the name is that of a draw."""
        return is_random(name)

    def read(self, name: str, place: Path | None, options: RunOptions) -> Checkpoint:
        """The draw that is meant."""
        return Checkpoint("masked", *random_parts(draw_of(name)))


class GgufLoader(NetworkLoader):
    """A GGUF file, as llama.cpp runs it."""

    def accepts(self, name: str) -> bool:
        """Whether the name ends as such a file's does."""
        return is_gguf(name)

    def find(self, name: str, options: RunOptions) -> Path:
        """The path of the file."""
        return find_gguf(name)

    def read(self, name: str, place: Path | None, options: RunOptions) -> Checkpoint:
        """The network in fp32, and the tokenizer."""
        return read_gguf(name, place or find_gguf(name))


class FolderLoader(NetworkLoader):
    """A folder as transformers saves it, of a language model or a classifier."""

    def accepts(self, name: str) -> bool:
        """Whether there is a folder of that name."""
        return folder_of(name).is_dir()

    def find(self, name: str, options: RunOptions) -> Path:
        """The folder, if its files are there."""
        _check_folder(folder_of(name), options.allow_pickle)
        return folder_of(name)

    def read(self, name: str, place: Path | None, options: RunOptions) -> Checkpoint:
        """What transformers reads."""
        return read_checkpoint(name, place, allow_pickle=options.allow_pickle)


class PackedLoader(FolderLoader):
    """A folder with packed weights, such as the built-in BERT's."""

    def accepts(self, name: str) -> bool:
        """Whether there is a packed folder of that name."""
        return is_packed(folder_of(name))

    def read(self, name: str, place: Path | None, options: RunOptions) -> Checkpoint:
        """The weights unpacked."""
        return read_packed(name, place or folder_of(name))


class HubLoader(NetworkLoader):
    """A model of the hub, or fetched from it earlier."""

    def accepts(self, name: str) -> bool:
        """Any name that no other loader took."""
        return True

    def find(self, name: str, options: RunOptions) -> None:
        """Nothing on this disk; a name that is meant as a path is refused."""
        if folder_of(name).exists() or _looks_like_path(name):
            raise UserError(
                f"There is no model folder at {name!r}.",
                "Give a folder that holds config.json, a tokenizer and model.safetensors.",
            )

    def read(self, name: str, place: Path | None, options: RunOptions) -> Checkpoint:
        """What transformers fetches."""
        return read_checkpoint(name, None, allow_pickle=options.allow_pickle)


def folder_of(name: str) -> Path:
    """The folder that a name would stand for: a built-in one, or a path."""
    return FOLDERS.get(name) or Path(name).expanduser()


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
    find_executor(chosen)
    kind = kind_of(network.config, name, loaded_as=type(network).__name__)
    check_head(network, kind, name)
    if kind == "classifier":
        return ClassifierModel(network, tokenizer, name=name, options=options)
    model = KINDS[kind](network, tokenizer, name=name, options=options, borrowed=True)
    refuse_foreign_tokenizer(model, network, tokenizer)
    return model


def _wrap(
    checkpoint: Checkpoint, device: torch.device, name: str, options: RunOptions
) -> NeuralModel | ClassifierModel:
    network = checkpoint.network.to(device)
    if checkpoint.kind == "classifier":
        return ClassifierModel(network, checkpoint.tokenizer, name=name, options=options)
    model = KINDS[checkpoint.kind](network, checkpoint.tokenizer, name=name, options=options)
    refuse_foreign_tokenizer(model, network, checkpoint.tokenizer)
    return model


def _check_folder(folder: Path, allow_pickle: bool) -> None:
    if not (folder / "config.json").exists():
        raise UserError(
            f"{str(folder)!r} holds no config.json, so it is not a model folder.",
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
    return name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name
