"""Errors of loading a model, in words: the file that is at fault, or what the machine ran out of."""

from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from textwrap import shorten

from equipoise.errors import Cancelled, UserError, shortage, unknown_name
from equipoise.models.loading.files import is_failure, unreadable_file
from equipoise.models.loading.names import BUILT_IN

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
            f"{name!r} is no folder here, the model hub cannot be reached, and no copy was fetched earlier.",
            "Check the name and the network, or give the path of a folder that holds the model.",
        )
    return UserError(
        f"{name!r} is neither a folder here nor a model that could be fetched from the hub: {text[:200]}",
        "Check the name and the network, or give the path of a folder that holds the model.",
    )
