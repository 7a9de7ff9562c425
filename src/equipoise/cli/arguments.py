"""Options that several commands share, and how the fields of a dataclass become options."""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin

import typer

from equipoise.choices import EACH, Choice, choices_of, with_choices
from equipoise.cli.progress_bar import ProgressBar
from equipoise.corpora.opening import CorpusChoice
from equipoise.errors import UserError, check_seed, unknown_name
from equipoise.instruments import INSTRUMENTS, load_instrument
from equipoise.instruments.base import Settings
from equipoise.instruments.parts.choices import refuse_unread
from equipoise.models.loading import LABELS, load_model
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel

MODEL, OUTPUT, DATA, CORPUS, VECTORS, RUNNING = "Model", "Output", "Data", "Corpus", "Vectors", "Running"
"""The headings of a command's help, beside its arguments and what is its own."""

HEADINGS = {"corpus": CORPUS, "vectors": VECTORS}
"""Under which heading a group of choices stands."""

DECLARED = {one.name: one for one in choices_of(Settings)}


def option(heading: str, *flags: str, help: str, **more: Any) -> Any:
    """An option under a heading."""
    return typer.Option(*flags, help=help, rich_help_panel=heading, **more)


def declared(one: Choice, heading: str = "") -> Any:
    """The option of a choice, as it was declared."""
    more = {"envvar": "EQUIPOISE_DATA"} if one.name == "data_dir" else {}
    return option(heading or HEADINGS.get(one.group, DATA), one.flag, help=one.help, **more)


Model = Annotated[
    str | None,
    option(MODEL, "--model", "-m", help="A model folder, a hub name, a GGUF file or a file of word vectors."),
]
Models = Annotated[
    list[str] | None, option(MODEL, "--model", "-m", help="A model folder or hub name. Repeatable.")
]
Out = Annotated[Path, option(OUTPUT, "--out", "-o", help="Folder to write results to.")]
MaybeOut = Annotated[
    Path | None, option(OUTPUT, "--out", "-o", help="Folder to write tables and results to.")
]
Force = Annotated[bool, option(OUTPUT, "--force", help="Overwrite existing files.")]
Json = Annotated[bool, option(OUTPUT, "--json", help="Print one JSON document instead of tables.")]
Data = Annotated[list[str] | None, declared(DECLARED["data"])]
DataDir = Annotated[Path | None, declared(DECLARED["data_dir"])]
Variant = Annotated[list[str] | None, declared(DECLARED["variant"])]
Seed = Annotated[int, declared(DECLARED["seed"])]
Text = Annotated[str | None, declared(DECLARED["text"])]
Document = Annotated[str | None, declared(DECLARED["document"])]
Split = Annotated[str | None, declared(DECLARED["split"])]
Measure = Annotated[str, declared(DECLARED["measure"])]
Label = Annotated[str, declared(DECLARED["label"])]
Seeds = Annotated[str, typer.Option("--seeds", help="Seeds of the trainings, as in 0,1,2.")]
Settable = Annotated[
    list[str] | None,
    typer.Option("--set", help="An option of the training: `mitigate counterfactual --explain`. Repeatable."),
]
Pairs = Annotated[
    Path | None,
    option(DATA, "--pairs", help="Your own word pairs: a CSV with male and female, or two per line."),
]
StudyFolder = Annotated[
    Path, option(OUTPUT, "--out", "-o", help="Folder of the study; a stopped study resumes there.")
]


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """What every study that trains a model is told."""

    out: StudyFolder
    model: Model = None
    text: Text = None
    choices: Settable = None
    data_dir: DataDir = None
    force: Force = False
    as_json: Json = False


@dataclass(frozen=True, kw_only=True)
class TextTuning(Tuning):
    """The same where a preset of counterfactual fine-tuning may be named."""

    preset: Annotated[str | None, typer.Option("--preset", help="A published recipe, by name.")] = None


@dataclass(frozen=True, kw_only=True)
class InstrumentArgs:
    """Which instruments are asked, and with which data and variants."""

    instrument: Annotated[
        list[str] | None, typer.Option("--instrument", "-i", help="An instrument to ask. Repeatable.")
    ] = None
    data: Data = None
    variant: Variant = None
    data_dir: DataDir = None

    def settings(self, instruments: Sequence[str]) -> dict[str, Settings]:
        """The settings of each instrument."""
        return Chosen(data=self.data, variant=self.variant, data_dir=self.data_dir).settings(instruments)


@dataclass(frozen=True, kw_only=True)
class Priced:
    """What the price of a change is read on."""

    texts: Annotated[
        Path | None,
        option(DATA, "--texts", help="Held-out sentences for the price; else ours."),
    ] = None
    gap: Annotated[
        Path | None, option(DATA, "--gap", help="Folder with GAP's files, for pronouns; else our sentences.")
    ] = None
    held_out: Annotated[
        bool, option(DATA, "--held-out", help="Measure on sentences that no mitigation learns from.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Where what comes out is written, and how it is shown."""

    out: MaybeOut = None
    force: Force = False
    as_json: Json = False


class Chosen(dict[str, Any]):
    """What was given for choices of `Settings`, by their names."""

    def settings(self, instruments: Sequence[str]) -> dict[str, Settings]:
        """The settings of each instrument: what was given for it alone, and what holds for all."""
        loaded = {name: load_instrument(name) for name in instruments}
        apart = {
            name: by_instrument(given, instruments, DECLARED[name].flag)
            for name, given in self.items()
            if DECLARED[name].is_given(EACH)
        }
        common = {name: given for name, given in self.items() if name not in apart}
        plain = with_choices(Settings(), common)
        settings = {
            name: replace(plain, **{choice: given[name] for choice, given in apart.items() if name in given})
            for name in instruments
        }
        refuse_unread({name: (loaded[name], settings[name]) for name in instruments})
        return settings


class Only(NamedTuple):
    """The declared choices that a command offers; without names: all of them."""

    names: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def of(self, kind: Any) -> list[Choice]:
        """Those choices of a dataclass."""
        return [
            one
            for one in choices_of(kind)
            if one.name not in self.without and (not self.names or one.name in self.names)
        ]


Reading = Annotated[CorpusChoice, Only(without=("text", "sample", "length", "names"))]
"""How a corpus is read, in commands that ask for no contexts of it."""


Cluster = Annotated[RunOptions, Only(("executor", "address"))]
"""What shares the work of a command that runs no model."""


def cluster_of(options: RunOptions) -> str:
    """The address of the cluster that shares the rows of a file, or nothing on this machine."""
    if options.executor not in ("local", "ray"):
        raise unknown_name("executor of a corpus", options.executor, ("local", "ray"))
    return options.address


class Spread(NamedTuple):
    """The options that stand for one parameter of a command, and what makes its value of theirs."""

    parameters: list[inspect.Parameter]
    value: Callable[[Mapping[str, Any], ExitStack], Any]


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an option for each field of its dataclass parameters; it gets back one object each."""
    signature = inspect.signature(command)
    spreads = {
        name: spread for name, one in signature.parameters.items() if (spread := _spread(one.annotation))
    }

    @wraps(command)
    def with_groups(**given: Any) -> None:
        with ExitStack() as open_things:
            made = {name: spread.value(given, open_things) for name, spread in spreads.items()}
            own = {name: value for name, value in given.items() if name in signature.parameters}
            command(**own, **made)

    own = [one for name, one in signature.parameters.items() if name not in spreads]
    spread_out = [one for spread in spreads.values() for one in spread.parameters]
    with_groups.__signature__ = signature.replace(parameters=[*own, *spread_out])  # type: ignore[attr-defined]
    return with_groups


def _spread(annotation: Any) -> Spread | None:
    kind, only = annotation, Only()
    if get_origin(annotation) is Annotated:
        kind, *said = get_args(annotation)
        only = next((one for one in said if isinstance(one, Only)), only)
    if kind is Chosen:
        offered = only.of(Settings)
        return Spread(_parameters(offered), lambda given, _: Chosen(_values(offered, given)))
    if kind is RunOptions:
        running = only.of(RunOptions)
        return Spread(
            _parameters(running, RUNNING),
            lambda given, things: RunOptions(
                **_values(running, given), progress=things.enter_context(ProgressBar())
            ),
        )
    if not is_dataclass(kind) or not isinstance(kind, type):
        return None
    made: type[Any] = kind
    offered = only.of(kind)
    if offered:
        return Spread(_parameters(offered, CORPUS), lambda given, _: made(**_values(offered, given)))
    own = {each.name: each for each in fields(kind)}
    empty = inspect.Parameter.empty
    defaults = {name: empty if one.default is MISSING else one.default for name, one in own.items()}
    return Spread(
        [_parameter(name, one.type, defaults[name]) for name, one in own.items()],
        lambda given, _: made(**{name: given[name] for name in own}),
    )


def _parameters(offered: Sequence[Choice], heading: str = "") -> list[inspect.Parameter]:
    return [
        _parameter(one.name, Annotated[_typed(one), declared(one, heading)], _unset(one)) for one in offered
    ]


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _typed(one: Choice) -> Any:
    """The type that typer reads: a choice for each instrument, or with several values, is a list."""
    if one.is_given(EACH) or isinstance(one.default, tuple):
        return list[str] | None
    return Path | None if Path in get_args(one.kind) else one.kind


def _unset(one: Choice) -> Any:
    """What typer gives where the option was left out; a flag is off, whatever the default is."""
    if one.is_given(EACH) or isinstance(one.default, tuple):
        return None
    return False if isinstance(one.default, bool) else one.default


def _values(offered: Sequence[Choice], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the choices; the flag of one that is on by default switches it off."""
    return dict(_read(one, given[one.name]) for one in offered)


def _read(one: Choice, given: Any) -> tuple[str, Any]:
    if isinstance(one.default, bool):
        return one.name, given != one.default
    return one.name, tuple(dict.fromkeys(given or ())) if isinstance(one.default, tuple) else given


def open_model(name: str | None, options: RunOptions) -> "LanguageModel":
    """Load the named model, or the default one with a line that says so."""
    model = load_model(name, options)
    if name is None:
        sys.stderr.write(
            f"No model was named, so this is {LABELS[model.name]}. "
            "Name another with --model FOLDER_OR_HUB_NAME.\n"
        )
    return model


def report_precision(model: "LanguageModel") -> None:
    """After a run in half precision, say how far it was from fp32."""
    if model.precision == "bf16":
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
            f"{option} {text} is not a list of whole numbers.", f"Write for example {option} 0,1,2."
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
