"""Load a model by name: of the loaders in the index, the first that accepts the name reads it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from equipoise.errors import UserError
from equipoise.models.loading.names import DEFAULT_MODEL
from equipoise.models.options import RunOptions, choose_options
from equipoise.models.protocol import LanguageModel
from equipoise.plugins import Index

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
