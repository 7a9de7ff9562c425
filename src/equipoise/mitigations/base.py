"""What a mitigation is: a frozen dataclass whose fields are its options, and one verb."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import pandas as pd

from equipoise.corpora.documents import Document
from equipoise.errors import UserError, unknown_name
from equipoise.models.capabilities import FILL
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel

Presets = Mapping[str, Mapping[str, Any]]
"""Published recipes by name, each with the options that it sets."""


@dataclass(frozen=True)
class Materials:
    """What a mitigation works with besides the model: texts, a seed, how to run, a room for checkpoints.

    `workshop` is a folder in which a killed run finds what it had finished; None keeps nothing.
    """

    documents: Sequence[Document] = ()
    seed: int = 0
    options: RunOptions = field(default_factory=RunOptions)
    workshop: Path | None = None


@dataclass(frozen=True)
class Changed:
    """A model that came out of a mitigation, and what a reader of its card must know."""

    model: LanguageModel
    account: tuple[str, ...] = ()
    """Sentences: what was done, on what, with which figures (losses, counts, what was left out)."""

    history: pd.DataFrame = field(default_factory=pd.DataFrame)
    """Of a training: the loss of every step, and how the model did on held-out text."""

    used: Mapping[str, Any] = field(default_factory=dict)
    """Options that were really used, where the one given stands for a choice (0 layers: the usual number)."""


@runtime_checkable
class Mitigation(Protocol):
    """Turns a model into another one; the model it was given stays as it is.

    The docstring of its module is its card: what it does, the source, what it is known to break.
    """

    name: ClassVar[str]
    reads_corpus: ClassVar[bool]
    presets: ClassVar[Presets]

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse what `change` would refuse, as far as that can be told before any work is done."""

    def change(self, model: LanguageModel, materials: Materials) -> Changed:
        """The changed model: plain weights, or a wrapper around the model given."""


class WrapsAnswers:
    """Base of wrappers: they change what a model says at a blank."""

    name: ClassVar[str]

    def check(self, model: LanguageModel, materials: Materials) -> None:
        """Refuse a model that fills no blank, such as a classifier: around it nothing would change."""
        if FILL not in model.capabilities:
            raise UserError(
                f"{self.name} cannot change {model.name!r}: a {model.kind} model fills no blank.",
                "Name a masked, causal or encoder-decoder model.",
            )


class TextTuned(Mitigation, Protocol):
    """A mitigation that goes over sentences of its corpus, some of them or all (0), in several epochs."""

    @property
    def sentences(self) -> int:
        """How many are drawn to train on."""

    @property
    def epochs(self) -> int:
        """How often it goes over them."""

    @property
    def passes(self) -> float:
        """Return how often each token is trained on at most: epochs times copies times rates tried."""

    @property
    def validation(self) -> float:
        """Which share of the documents is held out."""


def set_options(kind: type[Any], choices: Sequence[str], preset: str | None = None) -> Any:
    """A mitigation from a preset and `name=value` texts, each read as the type of the field's default."""
    known = {each.name.replace("_", "-"): each for each in fields(kind)}
    values: dict[str, Any] = dict(preset_values(kind, preset)) if preset is not None else {}
    for choice in choices:
        name, separator, text = choice.partition("=")
        if not separator:
            raise UserError(f"{choice!r} is not of the form NAME=VALUE.", "Write for example epochs=3.")
        if name not in known:
            raise unknown_name(f"option of {kind.name}", name, known)
        values[known[name].name] = _read(name, text, known[name].default)
    return kind(**values)


def options_help(kind: type[Any]) -> dict[str, str]:
    """What each option is for; a field that only sets another default has the text of the class above."""
    told: dict[str, str] = {}
    for each in reversed([one for one in kind.__mro__ if is_dataclass(one)]):
        told |= {one.name: one.metadata.get("help", told.get(one.name, "")) for one in fields(each)}
    return told


def preset_values(kind: type[Any], preset: str) -> Mapping[str, Any]:
    """The options that a preset sets."""
    presets: Presets = kind.presets
    if not presets:
        raise UserError(f"{kind.name} has no presets.", "Set its options one by one with --set NAME=VALUE.")
    if preset not in presets:
        raise unknown_name(f"preset of {kind.name}", preset, presets)
    return presets[preset]


def presets_of(mitigation: Mitigation) -> list[str]:
    """The presets whose options a mitigation has, however it was given them."""
    return [
        name
        for name, values in mitigation.presets.items()
        if all(getattr(mitigation, option) == value for option, value in values.items())
    ]


def _read(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text not in {"true", "false"}:
            raise UserError(f"{name} is {text!r}.", "Give true or false.")
        return text == "true"
    try:
        return type(default)(text)
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise UserError(f"{name} is {text!r}.", f"Give {kind}, as in {name}={default}.") from None
