"""The shelf: models that were loaded once and are kept to be asked again."""

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from urllib.parse import urlsplit

from equipoise.errors import UserError
from equipoise.models.loading import BUILT_IN, DEFAULT_MODEL, LABELS, is_random, load_model, portable_name
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel

KEPT = 4
"""Models kept in memory; the one not asked for longest makes room."""


class Shelf:
    """Loads each model once, whoever asks first, and keeps the last few."""

    def __init__(self, named: Sequence[str], options: RunOptions) -> None:
        self.options = options
        self.names = list(dict.fromkeys([*(named or [DEFAULT_MODEL]), *BUILT_IN]))
        self._models: OrderedDict[str, LanguageModel] = OrderedDict()
        self._loading = Lock()
        self._lock = Lock()

    def model(self, name: str) -> LanguageModel:
        """The model of that name, loaded if it is not there."""
        kept = self._kept(name)
        if kept is not None:
            return kept
        self.check_name(name)
        with self._loading:  # one at a time, which is also what memory wants
            model = self._kept(name) or load_model(name, self.options)
        with self._lock:
            self._models[name] = model
            while len(self._models) > KEPT:
                self._models.popitem(last=False)
        return model

    def fresh(self, name: str, options: RunOptions) -> LanguageModel:
        """The model of that name for one caller alone, with options of its own."""
        self.check_name(name)
        with self._loading:
            return load_model(name, options)

    def _kept(self, name: str) -> LanguageModel | None:
        with self._lock:
            if name in self._models:
                self._models.move_to_end(name)
            return self._models.get(name)

    def check_name(self, name: str) -> None:
        """A model that was named at the start, or lies on this machine: nothing typed is downloaded."""
        if name in self.names or is_random(name) or _is_here(name):
            return
        raise UserError(
            f"There is no model called {name!r} on this machine.",
            "Give the path of a folder, or the address of a server on this machine. Name a model of the hub "
            "at the start: equipoise app --model NAME.",
        )

    def described(self) -> list[dict[str, str]]:
        """The models that were named, by what they are."""
        return [{"name": name, "label": self.label(name)} for name in self.names]

    def label(self, name: str) -> str:
        """What a model is, for people: ours by what they are, a folder without those above it."""
        return LABELS.get(name, portable_name(name))


def _is_here(name: str) -> bool:
    """Whether a name stands for a file, a folder or a server of this machine."""
    if "\0" in name:
        return False
    address = urlsplit(name)
    if address.scheme in ("http", "https"):
        return address.hostname in ("127.0.0.1", "localhost", "::1")
    return bool(name) and Path(name).expanduser().exists()
