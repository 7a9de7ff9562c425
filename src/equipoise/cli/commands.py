"""The commands, each loaded when it is asked for, and mistakes of typing as our two lines."""

import re
from collections import UserDict
from collections.abc import Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from equipoise import __version__
from equipoise.errors import UserError, nearest, unknown_name

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What Typer raises for every mistake of typing; newer versions have it in a private module."""

WANTED = {int: "a whole number", float: "a number"}

PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,  # plain help: half the time to start, and more of it on a narrow screen
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
}

HEADINGS = ("Arguments", "Model", "Output", "Options", "Data", "Corpus", "Vectors", "Running")
"""The headings of a command's help, the common options first."""

Places = Mapping[str, Mapping[str, tuple[str, str]]]
"""Commands by the heading that help shows them under: `module:function`, and what the command does."""

STUDIES: Places = {
    "Models": {
        "models": ("study_models:models", "Rank several models, with each difference tested."),
        "controls": (
            "proof:controls",
            "Test whether each instrument finds a known bias, and none where there is none.",
        ),
        "control": ("study_models:control", "Compare a model with random weights of the same architecture."),
        "sample-size": ("study_models:sample_size", "Show how many items a score needs."),
    },
    "Changes to a model": {
        "before-after": ("study_models:before_after", "Show what a change removed and what it cost."),
        "mitigations": ("study_models:mitigations", "Try several mitigations: bias removed against price."),
        "downstream": (
            "study_models:downstream",
            "Compare the gaps of classifiers tuned before and after.",
        ),
        "checkpoints": ("study_models:checkpoints", "Draw the curve of bias over a training."),
        "learning-curve": ("study_training:learning_curve", "Show how much text a mitigation needs."),
        "reminders": (
            "study_training:reminders",
            "Test whether reminders keep what the model knew.",
        ),
        "resolution": (
            "study_training:resolution",
            "Train on hidden pronouns, with and without a gender-swapped copy.",
        ),
    },
    "Corpora": {
        "corpus-bias": (
            "study_training:corpus_bias",
            "Show what each corpus would teach a model.",
        ),
        "corpus-classifiers": (
            "study_training:corpus_classifiers",
            "Train a classifier on each labelled corpus and measure its word vectors.",
        ),
        "domain": (
            "study_corpora:domain",
            "Train on your own text and measure the held-out part.",
        ),
        "vectors": (
            "study_corpora:vectors",
            "Train word vectors on each group and measure WEAT.",
        ),
    },
    "Saved results": {
        "skew": ("study_results:skew", "Show the tables of Stereotype and Skew."),
        "competence": ("study_results:competence", "Show the share of female pronouns by kind of sentence."),
        "professions": ("study_results:professions", "Compare every profession before and after a change."),
    },
}

CACHE: Places = {
    "Commands": {
        "info": ("listing:info", "Show how many answers are stored, by model."),
        "clear": ("listing:clear", "Delete every stored answer."),
    }
}

REFERENCES: Places = {
    "Commands": {
        "add": ("proof:reference_add", "Add a result of gest to your own references."),
        "show": ("proof:reference_show", "Rank the published models and your own."),
        "result": ("proof:reference_result", "Write a published model's scores as a result."),
    }
}

COMMANDS: Places = {
    "Measure a model": {
        "audit": ("measure:audit", "Measure a model with the default instruments and write a page."),
        "measure": ("measure:measure", "Measure a model with the instruments that you name."),
        "probe": ("probe:probe", "Show what a model expects at a blank."),
        "score": ("probe:score", "Give the log-probability of sentences, typed or in a file."),
    },
    "Read results": {
        "compare": ("compare:compare", "Compare saved results: lower, higher, equivalent or too few items."),
        "report": ("report:report", "Write saved results and studies as one page."),
        "verify": ("proof:verify", "Check published numbers with your model and data."),
        "check": ("compare:check", "Judge saved results by rules, for continuous integration."),
        "export": ("report:export", "Write saved results as CSV, JSON, LaTeX, Markdown or a model card."),
    },
    "Change a model": {
        "mitigate": ("mitigate:mitigate", "Change a copy of a model and save it."),
        "study": ("", "Combine measurements: rank models, compare mitigations, train and measure again."),
    },
    "Work with text": {
        "corpus": ("corpus:corpus", "Count who a corpus mentions, and near which words."),
        "rewrite": ("rewrite:rewrite", "Swap or neutralise gender in a text or a corpus."),
        "lint": ("corpus:lint", "Check a file of sentence pairs for mistakes."),
    },
    "More": {
        "list": (
            "listing:list_known",
            "List the available models, instruments, data sets, poles, formats and so on.",
        ),
        "app": ("local_app:local_app", "Open the app in the browser; it runs on this machine only."),
        "push": ("report:push", "Upload a changed model or results to the Hugging Face hub."),
        "reference": ("", "Rank models by GEST among 34 published ones and your own."),
        "cache": ("", "Show or clear the stored answers."),
    },
}

EXAMPLES = {
    "report": "report results/bert results/changed --out page.html",
    "verify": "verify --model path/to/bert --as bert-base-uncased",
    "check": "check results/bert --rules rules.toml",
    "export": "export results/bert --format markdown",
    "corpus": "corpus news.csv --text body --group publisher --out results/news",
    "lint": "lint pairs.csv",
    "list": "list instruments",
    "models": "study models path/to/bert path/to/changed --out results/ranking",
    "controls": "study controls --instrument tbe --out results/controls",
    "control": "study control --model path/to/bert --instrument tbe",
    "sample-size": "study sample-size --result results/bert/tbe",
    "before-after": "study before-after path/to/bert models/changed --out results/study",
    "mitigations": "study mitigations --model path/to/bert --minutes 30 --out results/study",
    "downstream": "study downstream path/to/bert models/changed --task labelled.csv",
    "learning-curve": "study learning-curve --corpus texts.csv --out results/curve",
    "reminders": "study reminders --corpus texts.csv --out results/reminders",
    "resolution": "study resolution --corpus texts.csv --out results/resolution",
    "corpus-bias": "study corpus-bias left.csv right.csv --out results/corpora",
    "corpus-classifiers": "study corpus-classifiers left.csv right.csv --label topic --out results/corpora",
    "domain": "study domain --corpus letters.csv --text body --out results/domain",
    "vectors": "study vectors news.csv --text body --group publisher --out results/vectors",
    "skew": "study skew results/bert results/changed",
    "competence": "study competence results/bert results/changed",
    "professions": "study professions results/bert results/changed",
    "add": "reference add results/bert/gest",
}
"""What help shows as an example of the commands whose own text has none."""

GROUPS = {"study": STUDIES, "reference": REFERENCES, "cache": CACHE}


class Interruption(Exception):  # noqa: N818 (not an error: the user stopped it)
    """Ctrl-C in the middle of a command."""


class Loaded(UserDict[str, Any]):
    """Commands by name; the module of one is imported when the command is taken out."""

    def __init__(self, places: Places) -> None:
        super().__init__({name: place for commands in places.values() for name, place in commands.items()})

    def __getitem__(self, name: str) -> Any:
        place, said = super().__getitem__(name)
        if name in GROUPS and not place:
            return Group(name=name, help=said, places=GROUPS[name], **_GROUP)
        module, function = place.split(":")
        one = typer.Typer(**PLAIN)
        one.command(name, cls=Command)(getattr(import_module(f"equipoise.cli.{module}"), function))
        return typer.main.get_command(one)


class Command(TyperCommand):
    """A command whose help shows its options under headings, the common ones first."""

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """What the command does, and an example."""
        super().format_help_text(ctx, formatter)
        if str(self.name) in EXAMPLES:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"Example: equipoise {EXAMPLES[str(self.name)]}")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Every option under its heading."""
        panels: dict[str, list[tuple[str, str]]] = {name: [] for name in HEADINGS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            is_argument = parameter.param_type_name == "argument"
            heading = "Arguments" if is_argument else getattr(parameter, "rich_help_panel", None) or "Options"
            if record is not None:
                panels[heading if parameter.name != "help" else "Running"].append(record)
        for heading, records in panels.items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)


class Group(TyperGroup):
    """Commands whose modules load late and whose mistakes of typing come out as a `UserError`."""

    def __init__(self, *, places: Places = COMMANDS, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.places = places
        self.commands = Loaded(places)

    def list_commands(self, _ctx: Any) -> list[str]:
        """The names in the order in which help shows them."""
        return list(self.commands)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        """Every command with its sentence, by heading; no command is loaded for it."""
        for heading, commands in self.places.items():
            with formatter.section(heading):
                formatter.write_dl([(name, said) for name, (_, said) in commands.items()])

    def make_context(self, info_name: str | None, args: list[str], *others: Any, **extra: Any) -> Any:
        """Read the options that stand before the command."""
        given = list(args)
        try:
            return super().make_context(info_name, args, *others, **extra)
        except USAGE_ERROR as error:
            raise in_two_lines(error, given) from error

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first word names."""
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise unknown_name(f"command of `{ctx.command_path}`", args[0], self.commands)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Read the rest and run the command."""
        given = [*getattr(ctx, "_protected_args", ()), *ctx.args]
        try:
            return super().invoke(ctx)
        except USAGE_ERROR as error:
            raise in_two_lines(error, given) from error
        except KeyboardInterrupt as stop:  # Typer would turn it into a bare "Aborted"
            raise Interruption from stop


_GROUP: dict[str, Any] = {
    "no_args_is_help": True,
    "rich_markup_mode": None,
    "context_settings": PLAIN["context_settings"],
}


def in_two_lines(error: Any, arguments: Sequence[str]) -> Exception:
    """A mistake of typing as a `UserError`; a command without anything keeps its help page."""
    if type(error).__name__ == "NoArgsIsHelpError":
        return error
    command = f"`{error.ctx.command_path}`" if error.ctx else "`equipoise`"
    more = f"{command[:-1]} --help` shows what it takes."
    if hasattr(error, "possibilities"):
        return _unknown_option(error, command, more)
    if type(error).__name__ == "MissingParameter":
        return _missing(error, command, more)
    if getattr(error, "param", None) is not None:
        return _unreadable(error, arguments, more)
    extra = re.search(r"unexpected extra argument.*? \((.*)\)$", error.format_message())
    if extra:
        said = f"{command} was given something that it does not take: {extra[1]}."
        return UserError(said, f"Put text with spaces into quotes; {more}")
    return UserError(error.format_message(), more)


def _unknown_option(error: Any, command: str, more: str) -> UserError:
    known = (
        [name for one in error.ctx.command.get_params(error.ctx) for name in one.opts] if error.ctx else []
    )
    close = nearest(error.option_name, [name for name in known if name.startswith("--")])
    suggested = f"Did you mean {close!r}? " if close else ""
    return UserError(f"There is no option {error.option_name!r} of {command}.", suggested + more)


def _missing(error: Any, command: str, more: str) -> UserError:
    name, what = _name(error.param), str(getattr(error.param, "help", "") or "").replace("`", "")
    return UserError(f"{command} was given no {name}.", f"Give {name}: {what} {more}" if what else more)


def _unreadable(error: Any, arguments: Sequence[str], more: str) -> UserError:
    """A value of the wrong kind, such as a word where a number is expected."""
    name = _name(error.param)
    given = _value_of(error.param, arguments)
    low, high = getattr(error.param, "min", None), getattr(error.param, "max", None)
    wanted = WANTED.get(_kind(error.param))
    if wanted is None:
        return UserError(error.format_message(), more)
    reach = (
        f" from {low} to {high}"
        if None not in (low, high)
        else f" of {low} or more"
        if low is not None
        else ""
    )
    said = f"{name} is {given!r}" if given is not None else f"{name} cannot be read"
    return UserError(f"{said} where {wanted}{reach} is expected.", f"Give {wanted}{reach}; {more}")


def _name(parameter: Any) -> str:
    """An option by its long name, an argument as the help page writes it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.name).upper()


def _value_of(parameter: Any, arguments: Sequence[str]) -> str | None:
    """What stands behind the option, as it was typed."""
    for option, value in pairwise(arguments):
        if option in parameter.opts:
            return value
    joined = (one.split("=", 1) for one in arguments if "=" in one)
    return next((value for option, value in joined if option in parameter.opts), None)


def _kind(parameter: Any) -> Any:
    """The Python type of an option's value, under either of the ways in which Typer keeps it."""
    described = getattr(parameter, "type_descriptor", None)
    if described is not None:
        kinds = getattr(described.annotation, "__args__", None) or (described.annotation,)
        return next((kind for kind in kinds if kind in WANTED), None)
    return {"integer": int, "integer range": int, "float": float, "float range": float}.get(
        getattr(parameter.type, "name", "")
    )


app = typer.Typer(
    name="equipoise",
    cls=Group,
    help="Measure gender bias in language models, and test whether a mitigation really removed it.",
    no_args_is_help=True,
    **PLAIN | {"add_completion": True},
)


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and stop."),
) -> None:
    """Options before the command; `--debug` anywhere shows the traceback of an error."""
    if version:
        typer.echo(__version__)
        raise typer.Exit
