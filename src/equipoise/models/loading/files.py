"""The files of a model folder: whether they changed while they were read, and which of them is unreadable."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten

import torch
from safetensors import safe_open
from tokenizers import Tokenizer

from equipoise.errors import Cancelled, UserError, shortage, unknown_name
from equipoise.models.loading import BUILT_IN

VOCABULARIES = (
    *("tokenizer.json", "vocab.txt", "vocab.json", "tokenizer.model", "spiece.model"),
    *("sentencepiece.bpe.model", "spm.model", "bpe.codes"),
)
"""Files that hold a vocabulary; a folder without any has no tokenizer."""

_OTHERS = (
    *("config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json"),
    *("added_tokens.json", "merges.txt", "packed.json"),
)
_WEIGHTS = ("*.safetensors", "*.bin", "*.index.json")


def model_files(place: Path) -> list[Path]:
    """The files of a folder that belong to a model, or the one file that is a model."""
    if place.is_file():
        return [place]
    named = (place / name for name in (*_OTHERS, *VOCABULARIES))
    weights = (path for pattern in _WEIGHTS for path in sorted(place.glob(pattern)))
    return [path for path in (*named, *weights) if path.is_file()]


@contextmanager
def refuse_changes(place: Path | None) -> Iterator[None]:
    """Refuse files that somebody writes to while they are read: their parts would be of two models."""
    before = _versions(place)
    yield
    after = _versions(place)
    changed = [path.name for path in {**before, **after} if before.get(path) != after.get(path)]
    if changed:
        raise UserError(
            f"{', '.join(changed)} in {str(place)!r} changed while the model was loaded.",
            "Wait until nothing writes to the model any more, and load it again.",
        )


def _versions(place: Path | None) -> dict[Path, tuple[int, ...]]:
    if place is None:
        return {}
    stats = {path: path.stat() for path in model_files(place)}
    return {path: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


def unreadable_file(folder: Path) -> str:
    """The first file of a model folder that cannot be read by itself; empty if all of them can."""
    for path in model_files(folder):
        try:
            _read_alone(path)
        except BaseException as error:
            if not is_failure(error):
                raise
            return path.name
    return ""


def is_failure(error: BaseException) -> bool:
    """Whether an error means that something failed; tokenizers' panics are no `Exception`."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def _read_alone(path: Path) -> None:
    if path.suffix == ".json":
        if not isinstance(json.loads(path.read_text(encoding="utf-8")), dict):
            raise ValueError(f"{path.name} holds no JSON object")
        if path.name == "tokenizer.json":
            Tokenizer.from_file(str(path))
    elif path.suffix == ".txt":
        path.read_text(encoding="utf-8")
    elif path.suffix == ".safetensors":
        with safe_open(path, framework="pt"):
            pass
    elif path.suffix == ".bin":
        torch.load(path, map_location="meta", weights_only=True)


NETWORK = "config.json"
TOKENIZER = "tokenizer.json or tokenizer_config.json"
EITHER = "config.json or tokenizer_config.json"
"""What to name if a step of loading failed although every file can be read by itself."""


@contextmanager
def explained_loading(
    name: str, folder: Path | None, suspect: str = NETWORK, *, stored_only: bool = False
) -> Iterator[None]:
    """Turn whatever a library raises into what a person can do about it.

    `suspect` is the file to name if every file of the folder can be read by itself.
    """
    try:
        yield
    except (UserError, Cancelled):
        raise
    except BaseException as error:
        if not is_failure(error):
            raise
        raise _load_error(name, error, folder, (suspect, stored_only)) from error


def _load_error(name: str, error: BaseException, folder: Path | None, where: tuple[str, bool]) -> UserError:
    suspect, stored_only = where
    if lacking := shortage(error):
        return UserError(
            f"{name!r} cannot be loaded: this machine has no {lacking} left for it.",
            "Close other programs or raise the limit, or name a smaller model.",
        )
    text = " ".join(str(error).split())
    if folder is not None:
        file = unreadable_file(folder) or suspect
        reason = shorten(f"{type(error).__name__}: {text}", 300, placeholder="...")
        return UserError(
            f"{name!r} cannot be loaded: {file} is damaged, or does not fit the other files ({reason}).",
            f"Copy or download {file} again, or save the model anew with save_pretrained.",
        )
    if "pickle" in text or "safetensors" in text:
        return UserError(
            f"{name!r} offers no safetensors weights: {text[:200]}",
            "Pass --allow-pickle if you trust where it came from.",
        )
    if "/" not in name and get_close_matches(name.lower(), list(BUILT_IN), cutoff=0.7):
        return unknown_name("model folder or built-in model", name, BUILT_IN)
    if stored_only and isinstance(error, OSError):  # anything else is wrong with a copy that is there
        return UserError(
            f"{name!r} is not a folder, the model hub cannot be reached, and no copy was fetched earlier.",
            "Check the name and the network, or give the path of a folder that holds the model.",
        )
    return UserError(
        f"{name!r} is neither a folder here nor a model that could be fetched from the hub: {text[:200]}",
        "Check the name and the network, or give the path of a folder that holds the model.",
    )
