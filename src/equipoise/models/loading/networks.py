"""Load a model and refuse broken checkpoints: a missing head, a wrong kind, remote code, unwanted pickles.

Models with random weights are made here too: the small built-in one, and the control of any model's own
architecture. What an instrument gives for them is what it gives for no knowledge at all.
"""

import copy
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from equipoise.data.reading import own_words
from equipoise.errors import UserError
from equipoise.models.engine.engine import find_executor
from equipoise.models.guards.tokenizer import refuse_foreign_tokenizer
from equipoise.models.loading import FOLDERS, draw_of, is_random
from equipoise.models.loading.checkpoints import Checkpoint, check_head, kind_of, read_checkpoint, read_packed
from equipoise.models.loading.files import EITHER, VOCABULARIES, explained_loading, refuse_changes
from equipoise.models.loading.gguf import find_gguf, is_gguf, read_gguf
from equipoise.models.loading.packed import is_packed
from equipoise.models.neural.causal import CausalModel
from equipoise.models.neural.classifier import ClassifierModel
from equipoise.models.neural.devices import check_precision, device_for, find_device
from equipoise.models.neural.encoder_decoder import encoder_decoder
from equipoise.models.neural.language import NeuralModel
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.options import LOADING, Progress, RunOptions, stop_reported, unheard

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


SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
SEED = 20
"""The first draw's, only so that two runs agree; no seed is better than another."""

_drawing = Lock()
"""Torch has one generator for the whole process: two threads that draw at once would share its numbers."""


def random_parts(draw: int = 1) -> tuple[Any, Any]:
    """A two-layer BERT with random weights, and a tokenizer over the words of the shipped tables."""
    vocabulary = _vocabulary()
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=128,
    )
    return _seeded(transformers.BertForMaskedLM, config, draw), _tokenizer(vocabulary)


def random_control(model: NeuralModel, draw: int = 1) -> NeuralModel:
    """The same architecture and tokenizer with random weights instead of the trained ones."""
    trained = model.transformers_model
    network = _seeded(type(trained), copy.deepcopy(trained.config), draw)
    number = "" if draw == 1 else f", draw {draw}"
    tokenizer = copy.deepcopy(model.tokens.tokenizer)
    return type(model)(
        network, tokenizer, name=f"{model.name} (random weights{number})", options=model.options
    )


def random_controls(model: NeuralModel, draws: int) -> Iterator[NeuralModel]:
    """Several draws of `random_control`: one draw is not neutral, their mean and spread say how far it is."""
    return (random_control(model, draw) for draw in range(1, draws + 1))


def _seeded(kind: Any, config: Any, draw: int) -> Any:
    with _drawing, torch.random.fork_rng():
        torch.manual_seed(SEED + draw - 1)
        return kind(config).eval()


def _vocabulary() -> list[str]:
    """Special tokens, characters alone and inside a word, and every word of the shipped tables."""
    words = own_words()
    letters = sorted({letter for word in words for letter in word} | set("abcdefghijklmnopqrstuvwxyz"))
    inside = [f"##{letter}" for letter in letters if re.match(r"\w", letter)]
    longer = sorted(word for word in words if len(word) > 1)
    return [*SPECIAL, *letters, *inside, *longer]


def _tokenizer(vocabulary: list[str]) -> Any:
    ids = {token: number for number, token in enumerate(vocabulary)}
    backend = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=True)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    backend.post_processor = processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    names = dict(zip(("pad", "unk", "cls", "sep", "mask"), SPECIAL, strict=True))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend,
        model_max_length=128,
        **{f"{name}_token": token for name, token in names.items()},
    )
