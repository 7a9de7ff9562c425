"""Load a model by name: the first loader of the index that accepts the name reads it.

The models that come with the package have short names.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from equipoise.errors import UserError
from equipoise.models.options import RunOptions, choose_options
from equipoise.models.protocol import LanguageModel
from equipoise.plugins import Index

RANDOM = "random"
EMBEDDED = "embedded"
FOLDERS = {EMBEDDED: Path(__file__).parents[1] / "embedded"}
"""Built-in models that are folders of the package."""

_SHIPPED = (FOLDERS[EMBEDDED] / "packed.json").exists()
BUILT_IN = {
    **({EMBEDDED: "BERT-base-uncased, compressed, shipped with the package"} if _SHIPPED else {}),
    RANDOM: "a small model with RANDOM WEIGHTS, which knows nothing; for trying things out",
}
DEFAULT_MODEL = EMBEDDED if _SHIPPED else RANDOM
LABELS = {EMBEDDED: "BERT-base-uncased (built-in)", RANDOM: "random weights"}
"""What the names of our own models stand for, for readers who never saw the command line."""


def portable_name(name: str) -> str:
    """A model's or file's name without the folders of one user: of an absolute path its last two parts."""
    path = Path(name).expanduser()
    if not path.is_absolute():
        return name
    home = Path.home()
    parts = path.relative_to(home).parts if path.is_relative_to(home) else path.parts[1:]
    return "/".join(parts[-2:])


def is_random(name: str) -> bool:
    """Whether a name stands for the small model with random weights, in whichever draw."""
    return name == RANDOM or name.startswith(f"{RANDOM}:")


def draw_of(name: str) -> int:
    """Which draw of random weights is meant: `random` and `random:1` are the first."""
    number = name.removeprefix(RANDOM).removeprefix(":") or "1"
    if not re.fullmatch(r"[1-9][0-9]{0,8}", number):
        raise UserError(
            f"{name!r} does not say which draw of random weights is meant.",
            f"Write {RANDOM}, {RANDOM}:2, {RANDOM}:3 and so on.",
        )
    return int(number)


HUB = "hub name"
LOADERS = Index(
    "models",
    {
        "address": "equipoise.models.remote.loader:RemoteLoader",
        "word vectors": "equipoise.models.static.files:VectorsLoader",
        "wrapper": "equipoise.models.wrappers.saving:WrapperLoader",
        "random weights": "equipoise.models.loading.networks:RandomLoader",
        "GGUF file": "equipoise.models.loading.networks:GgufLoader",
        "packed folder": "equipoise.models.loading.networks:PackedLoader",
        "folder": "equipoise.models.loading.networks:FolderLoader",
        HUB: "equipoise.models.loading.networks:HubLoader",
    },
    "loader",
    lambda loader: loader(),
)
"""What each loader reads, and its class; a new back-end is its folder and one line here.

Those that need no torch come first. The last one accepts any name, so those of installed
packages are asked before it.
"""


class Loader(Protocol):
    """Reads one kind of model."""

    def accepts(self, name: str) -> bool:
        """Whether this loader is the one for the name."""

    def check(self, name: str, options: RunOptions) -> None:
        """Refuse a name under which nothing can be read, without reading it."""

    def load(self, name: str, options: RunOptions) -> LanguageModel:
        """The model of that name."""


def load_model(
    name: str | Path | None = None, options: RunOptions | None = None, **choices: Any
) -> LanguageModel:
    """Load a model by folder (of weights, or of a wrapper), GGUF file, file of word vectors or hub name.

    With no name, the default one.

    Options come as one `RunOptions`, or one by one: `load_model(folder, precision="bf16", cache=False)`.
    """
    chosen = choose_options(options, choices)
    wanted = DEFAULT_MODEL if name is None else str(name)
    return find_loader(wanted).load(wanted, chosen)


def refuse_absent(name: str, options: RunOptions) -> None:
    """Refuse a name under which nothing can be read, before other models are measured."""
    find_loader(name).check(name, options)


def find_loader(name: str) -> Loader:
    """The first loader that accepts the name."""
    if not name.strip():
        raise UserError(
            f"The name of the model is empty: {name!r}.",
            "Give a folder or a hub name (is a variable unset?), or leave it out for the built-in model.",
        )
    loaders: Iterator[Loader] = (LOADERS.load(kind) for kind in _in_turn())
    return next(loader for loader in loaders if loader.accepts(name))


def _in_turn() -> list[str]:
    """The loaders in the order in which they are asked."""
    return sorted(LOADERS.usable(), key=lambda kind: kind == HUB)
