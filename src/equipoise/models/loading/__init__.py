"""Language models: three questions about text, whatever the architecture."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equipoise.errors import UserError
from equipoise.models.options import RunOptions, choose_options

if TYPE_CHECKING:
    from equipoise.models.protocol import LanguageModel


def load_model(
    name: str | Path | None = None, options: RunOptions | None = None, **choices: Any
) -> "LanguageModel":
    """Load a model by folder (of weights, or of a wrapper), GGUF file, file of word vectors or hub name.

    With no name, the default one.

    Options come as one `RunOptions`, or one by one: `load_model(folder, precision="bf16", cache=False)`.
    """
    chosen = choose_options(options, choices)
    if isinstance(name, str) and not name.strip():
        raise UserError(
            f"The name of the model is empty: {name!r}.",
            "Give a folder or a hub name (is a variable unset?), or leave it out for the built-in model.",
        )
    with _collector_resting():
        from equipoise.models.static import is_static, load_static

        if name is not None and is_static(Path(name).expanduser()):
            return load_static(Path(name).expanduser())
        from equipoise.models.wrappers.saving import is_wrapper, load_wrapper

        if name is not None and is_wrapper(Path(name).expanduser()):
            return load_wrapper(Path(name).expanduser(), chosen)
        from equipoise.models.loading.names import DEFAULT_MODEL
        from equipoise.models.loading.networks import load_neural

        return load_neural(str(name) if name is not None else DEFAULT_MODEL, chosen)


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Imports leave nothing to collect, and looking for it takes a tenth of their time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
