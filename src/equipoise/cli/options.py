"""Options that several commands share, and what they mean."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.errors import UserError

if TYPE_CHECKING:
    from equipoise.models.base import LanguageModel

Model = Annotated[
    str | None,
    typer.Option("--model", "-m", help="A model folder, a file of word vectors or a hub name."),
]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="A model folder or hub name; may be given several times."),
]
Out = Annotated[Path, typer.Option("--out", "-o", help="The folder to write results to.")]
DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", envvar="EQUIPOISE_DATA", help="Where published data sets lie."),
]
Precision = Annotated[str, typer.Option(help="fp32 (exact) or bf16, where the processor has it.")]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Keep no answers between runs.")]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Read pickled weights, which can run code.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of tables.")]


def open_model(
    name: str | None, *, precision: str = "fp32", no_cache: bool = False, allow_pickle: bool = False
) -> "LanguageModel":
    """Load the named model, or the default one with a line that says so."""
    from equipoise.cli.progress_bar import ProgressBar
    from equipoise.models import load_model
    from equipoise.models.options import RunOptions

    options = RunOptions(
        precision=precision, cache=not no_cache, allow_pickle=allow_pickle, progress=ProgressBar()
    )
    model = load_model(name, options)
    if name is None:
        _say_default(model.name)
    return model


def _say_default(name: str) -> None:
    from equipoise.models.names import BUILT_IN

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
        if not equals or name not in instruments:
            if len(instruments) != 1:
                raise UserError(
                    f"{option} {text} does not say which instrument it is for.",
                    f"Write {option} INSTRUMENT={text}, with one of {', '.join(instruments)}.",
                )
            name, value = instruments[0], text
        chosen[name] = value
    return chosen
