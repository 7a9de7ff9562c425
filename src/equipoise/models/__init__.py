"""Language models: three questions about text, whatever the architecture."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.models.base import LanguageModel


def load_model(
    name: str | Path | None = None,
    *,
    precision: str = "fp32",
    cache: bool = True,
    allow_pickle: bool = False,
) -> LanguageModel:
    """Load a model by folder, file of word vectors or hub name; with no name, the default one."""
    with _collector_resting():
        from equipoise.models.static import SUFFIXES, load_static

        if name is not None and str(name).endswith(SUFFIXES) and Path(name).expanduser().is_file():
            return load_static(Path(name).expanduser())
        from equipoise.models.loading import LoadSettings, load_neural
        from equipoise.models.names import DEFAULT_MODEL

        settings = LoadSettings(precision=precision, cache=cache, allow_pickle=allow_pickle)
        return load_neural(str(name) if name is not None else DEFAULT_MODEL, settings)


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
