"""Options that several commands share, and what they mean."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.progress_bar import ProgressBar
from equipoise.corpora.opening import CorpusChoice
from equipoise.errors import UserError, check_seed
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.choices import refuse_unread
from equipoise.models.loading import load_model
from equipoise.models.loading.names import BUILT_IN
from equipoise.models.options import RunOptions, offered_options
from equipoise.models.protocol import LanguageModel

Model = Annotated[
    str | None,
    typer.Option("--model", "-m", help="A model folder, a GGUF file, word vectors or a hub name."),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="A model folder or hub name; may be given several times."),
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder to write results to.")]
MaybeOut = Annotated[
    Path | None, typer.Option("--out", "-o", help="The folder to write tables and results to.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite existing files.")]
DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", envvar="EQUIPOISE_DATA", help="Where published data sets lie."),
]
Data = Annotated[list[str] | None, typer.Option("--data", help="[INSTRUMENT=]DATASET_OR_FILE")]
Variant = Annotated[list[str] | None, typer.Option("--variant", help="[INSTRUMENT=]VARIANT")]
PolesOf = Annotated[list[str] | None, typer.Option("--poles", help="[INSTRUMENT=]POLES_OR_FILE")]
Seed = Annotated[int, typer.Option(help="Seed of what is drawn: samples and intervals.")]
Text = Annotated[str | None, typer.Option("--text", help="Of a corpus: the column with the text.")]
Length = Annotated[int, typer.Option("--length", help="Of a corpus: words in a context.")]
Sample = Annotated[
    int | None,
    typer.Option(
        "--sample",
        help="Contexts of a corpus to ask (2,000 unless given), or sentences of association; 0: all.",
    ),
]
NoNames = Annotated[bool, typer.Option("--no-names", help="Of a corpus: write 'someone' for persons' names.")]
Document = Annotated[
    str | None, typer.Option("--document", help="Of a corpus: a column that rows of one document share.")
]
Split = Annotated[
    str | None,
    typer.Option("--split", help="Of a corpus: a txt's documents: sentence, line, paragraph or file."),
]
Layer = Annotated[
    str, typer.Option("--layer", help="Of vectors: last, all, or a number (0: the embeddings).")
]
Pooling = Annotated[
    str, typer.Option("--pooling", help="Of vectors of a text: mean, mean-with-special or first.")
]
Measure = Annotated[
    str, typer.Option("--measure", help="Of vectors: cosine, euclidean, manhattan or mahalanobis.")
]
Label = Annotated[str, typer.Option("--label", help="Of a classifier: the label whose score is compared.")]
NoNeutral = Annotated[
    bool, typer.Option("--no-neutral-pairs", help="Of sentence pairs: ask no neutral pairs beside them.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def runs_models(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command every option of `RunOptions` that has a help text; it gets them as `options`."""
    signature = inspect.signature(command)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "options"]
    offered = [_parameter(field) for field in offered_options()]

    @wraps(command)
    def with_options(**given: Any) -> None:

        run = {field.name: _value(field, given.pop(field.name)) for field in offered_options()}
        with ProgressBar() as bar:
            command(**given, options=RunOptions(**run, progress=bar))

    with_options.__signature__ = signature.replace(parameters=[*own, *offered])  # type: ignore[attr-defined]
    return with_options


def _parameter(field: Any) -> inspect.Parameter:
    """A field of `RunOptions` as an option; one that is on by default has a flag that switches it off."""
    flag = field.metadata.get("flag", f"--{field.name.replace('_', '-')}")
    kind: Any = type(field.default)
    annotation: Any = Annotated[kind, typer.Option(flag, help=field.metadata["help"])]
    default = False if isinstance(field.default, bool) else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _value(field: Any, given: Any) -> Any:
    """What was given for a field; a flag of one that is on switches it off."""
    return given != field.default if isinstance(field.default, bool) else given


def open_model(name: str | None, options: RunOptions) -> "LanguageModel":
    """Load the named model, or the default one with a line that says so."""
    model = load_model(name, options)
    if name is None:
        _say_default(model.name)
    return model


def _say_default(name: str) -> None:

    sys.stderr.write(
        f"No model was named, so this is the built-in model {name!r}: {BUILT_IN[name]}. "
        "Name another with --model FOLDER_OR_HUB_NAME.\n"
    )


def report_precision(model: "LanguageModel") -> None:
    """After a run in half precision, say how far it was from fp32."""
    if model.precision != "fp32":
        deviation = model.deviation()  # type: ignore[attr-defined]
        sys.stderr.write(
            f"{model.precision}: largest deviation from fp32 on a sample of the rows: {deviation:.4f} nats.\n"
        )


def by_instrument(given: Sequence[str] | None, instruments: Sequence[str], option: str) -> dict[str, str]:
    """Read `INSTRUMENT=VALUE` options; with one instrument the `INSTRUMENT=` may be left out."""
    chosen: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if equals and name in INSTRUMENTS and name not in instruments:
            raise UserError(
                f"{option} {text} is for {name}, which is not measured here.",
                f"Measured: {', '.join(instruments)}. Leave the option out, or name {name} too.",
            )
        if not equals or name not in instruments:
            if len(instruments) != 1:
                raise UserError(
                    f"{option} {text} does not say which instrument it is for.",
                    f"Write {option} INSTRUMENT={text}, with one of {', '.join(instruments)}.",
                )
            name, value = instruments[0], text
        if name in chosen:
            raise UserError(
                f"{option} was given twice for {name}: {chosen[name]} and {value}.", "Give it once."
            )
        chosen[name] = value
    return chosen


def settings_by_instrument(
    instruments: Sequence[str], given: Mapping[str, Sequence[str] | None], **common: Any
) -> "dict[str, Settings]":
    """The settings of every instrument: what was given for it by option, and what holds for all."""
    loaded = {name: load_instrument(name) for name in instruments}
    chosen = {option: by_instrument(values, instruments, f"--{option}") for option, values in given.items()}
    choices: dict[str, dict[str, Any]] = {
        name: {option: values[name] for option, values in chosen.items() if name in values}
        for name in instruments
    }
    settings = {name: Settings(**choices[name], **common) for name in instruments}
    refuse_unread({name: (loaded[name], settings[name]) for name in instruments})
    return settings


def refuse_existing(path: Path, force: bool, option: str = "--out") -> None:
    """What was written before is not overwritten unless that was asked for."""
    if path.exists() and not force:
        raise UserError(f"{path} exists.", f"Give another path with {option}, or --force to overwrite it.")


def whole_numbers(text: str, option: str) -> list[int]:
    """A list of different whole numbers given as text."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        raise UserError(
            f"{option} {text} is no list of whole numbers.", f"Write for example {option} 0,1,2."
        ) from None
    if len(set(numbers)) < len(numbers):
        raise UserError(f"{option} {text} names a number twice.", f"Write for example {option} 0,1,2.")
    return numbers


def seed_numbers(text: str) -> list[int]:
    """The seeds that --seeds names, each of them one that a generator takes."""
    numbers = whole_numbers(text, "--seeds")
    for number in numbers:
        check_seed(number)
    return numbers


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
    spread = [_group_parameter(field) for group in groups.values() for field in fields(group)]
    with_groups.__signature__ = signature.replace(parameters=[*own, *spread])  # type: ignore[attr-defined]
    return with_groups


def _group_parameter(field: "Field[Any]") -> inspect.Parameter:
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    return inspect.Parameter(
        field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=field.type
    )
