"""A wrapper on disk: a small file that names the model inside, its fingerprint and the recipe."""

import json
from pathlib import Path
from typing import Any

from equipoise.errors import UserError
from equipoise.files import write_beside
from equipoise.models.loading import load_model
from equipoise.models.options import RunOptions
from equipoise.models.wrappers import WRAPPERS, wrapper_class
from equipoise.models.wrappers.base import WrappedModel

FILE = "equipoise-wrapper.json"


class WrapperLoader:
    """Loads a wrapper, and the model inside it."""

    def accepts(self, name: str) -> bool:
        """Whether the folder holds a wrapper instead of weights."""
        return (Path(name).expanduser() / FILE).is_file()

    def check(self, name: str, options: RunOptions) -> None:
        """A name that was accepted is there."""

    def load(self, name: str, options: RunOptions) -> WrappedModel:
        """The wrapper around its inner model."""
        return load_wrapper(Path(name).expanduser(), options)


def save_wrapper(model: WrappedModel, folder: Path) -> None:
    """Write the recipe into a folder that exists; what the inner model is comes with it by name."""
    name = next((name for name in WRAPPERS if wrapper_class(name) is type(model)), None)
    if name is None:
        raise UserError(
            f"{type(model).__name__} is not among the wrappers that can be saved.",
            f"Those are: {', '.join(WRAPPERS)}.",
        )
    inner = Path(model.inner.name).expanduser()
    record = {
        "wrapper": name,
        "options": model.recipe,
        "inner": {
            "name": str(inner.resolve()) if inner.exists() else model.inner.name,
            "fingerprint": model.inner.fingerprint,
        },
    }
    write_beside(folder / FILE, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def load_wrapper(folder: Path, options: RunOptions) -> WrappedModel:
    """The wrapper of a folder around its inner model, which must still be the one it was made with."""
    record = _read(folder / FILE)
    try:
        inner = load_model(record["inner"]["name"], options)
    except UserError as error:
        raise UserError(
            f"{str(folder)!r} is a recipe around a model that cannot be loaded. {error.message}",
            f"{error.hint} Or make the wrapper again around the model where it is now.",
        ) from error
    if inner.fingerprint != record["inner"]["fingerprint"]:
        raise UserError(
            f"{str(folder)!r} wraps {record['inner']['name']!r}, whose weights have changed since.",
            "Make the wrapper again, or put the old weights back.",
        )
    try:
        wrapped = wrapper_class(record["wrapper"])(inner, **record["options"])
    except (TypeError, ValueError, AttributeError) as error:
        raise _damaged(folder / FILE, str(error)) from error
    wrapped.name = str(folder)
    return wrapped


def inner_model(folder: Path) -> str:
    """The name or path of the model inside a wrapper's folder; of another folder nothing."""
    return str(_read(folder / FILE)["inner"]["name"]) if (folder / FILE).is_file() else ""


def _read(path: Path) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        texts = (record["wrapper"], record["inner"]["name"], record["inner"]["fingerprint"])
        is_whole = all(isinstance(one, str) for one in texts) and isinstance(record["options"], dict)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise _damaged(path, f"{type(error).__name__}: {error}") from error
    if not is_whole:
        raise _damaged(path, "an entry is of the wrong type")
    return record


def _damaged(path: Path, reason: str) -> UserError:
    return UserError(
        f"{str(path)!r} is not a whole recipe of a wrapper ({reason}).",
        "It holds wrapper, options and inner (name, fingerprint); make it again with equipoise mitigate.",
    )
