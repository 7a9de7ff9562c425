"""Options that go together: a command takes a group as one parameter and gets each field as an option."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options import (
    Data,
    DataDir,
    Document,
    Force,
    Json,
    MaybeOut,
    Model,
    Split,
    Text,
    Variant,
    settings_by_instrument,
)

if TYPE_CHECKING:
    from equipoise.corpora.opening import CorpusChoice
    from equipoise.instruments.base import Settings

Choices = Annotated[
    list[str] | None,
    typer.Option("--set", help="An option of the tuning (see `mitigate counterfactual --explain`)."),
]
Pairs = Annotated[
    Path | None,
    typer.Option(
        "--pairs", help="Your own words to exchange: a CSV with the columns male and female, or two a line."
    ),
]
StudyFolder = Annotated[
    Path, typer.Option("--out", "-o", help="The folder of the study; it goes on there after a kill.")
]


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What every study that tunes a model is told."""

    out: StudyFolder
    model: Model = None
    text: Text = None
    choices: Choices = None
    data_dir: DataDir = None
    force: Force = False
    as_json: Json = False


@dataclass(frozen=True, kw_only=True)
class TextTuning(Tuning):
    """The same where a preset of counterfactual fine-tuning may be named."""

    preset: Annotated[str | None, typer.Option("--preset", help="A published recipe by its name.")] = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which instruments are asked, and with which data and variants."""

    instrument: Annotated[
        list[str] | None, typer.Option("--instrument", "-i", help="May be given several times.")
    ] = None
    data: Data = None
    variant: Variant = None
    data_dir: DataDir = None


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a corpus is read: the same options in every command that reads one."""

    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group", help="Of a corpus: a column to group by (file and folder also); several times."
        ),
    ] = None
    groups_file: Annotated[
        Path | None,
        typer.Option(
            "--groups-file", help="Of a corpus: a CSV that maps a column's values, as publisher,ideology."
        ),
    ] = None
    document: Document = None
    split: Split = None
    clean: Annotated[
        bool, typer.Option("--clean", help="Of a corpus: decode HTML entities, write contractions out.")
    ] = False
    targets: Annotated[
        Path | None,
        typer.Option("--targets", help="Of a corpus: a CSV with the columns category and word."),
    ] = None
    with_targets: Annotated[
        bool,
        typer.Option(
            "--with-targets", help="Of a corpus: only contexts (or documents) that hold a target word."
        ),
    ] = False

    def choice(self, text: str | None, **more: Any) -> "CorpusChoice":
        """The corpus' choice; `text` is its column, `more` are fields that only some commands offer."""
        from equipoise.corpora.opening import CorpusChoice

        own = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "group"}
        return CorpusChoice(text=text, groups=tuple(dict.fromkeys(self.group or ())), **own, **more)


@dataclass(frozen=True, kw_only=True)
class Priced:
    """What the price of a change is read on."""

    texts: Annotated[
        Path | None,
        typer.Option("--texts", help="Held-out sentences for the price, one a line; else our own."),
    ] = None
    gap: Annotated[
        Path | None,
        typer.Option("--gap", help="A folder with GAP's files, for pronouns; else our own sentences."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Where what comes out is written, and how it is shown."""

    out: MaybeOut = None
    force: Force = False
    as_json: Json = False


GROUPS = (Tuning, TextTuning, Asked, Reading, Priced, Shown)


def asked_settings(asked: Asked, instruments: Sequence[str]) -> "dict[str, Settings]":
    """The settings of the instruments by what was given for each."""
    given = {"data": asked.data, "variant": asked.variant}
    return settings_by_instrument(instruments, given, data_dir=asked.data_dir)


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every field of its groups as an option; it gets them back as one object each."""
    signature = inspect.signature(command)
    groups = {name: one.annotation for name, one in signature.parameters.items() if one.annotation in GROUPS}

    @wraps(command)
    def with_groups(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    own = [parameter for name, parameter in signature.parameters.items() if name not in groups]
    spread = [_parameter(field) for group in groups.values() for field in fields(group)]
    with_groups.__signature__ = signature.replace(parameters=[*own, *spread])  # type: ignore[attr-defined]
    return with_groups


def _parameter(field: "Field[Any]") -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=field.type
    )
