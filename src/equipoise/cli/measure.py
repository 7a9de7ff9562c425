"""`measure` and `audit`: instruments on a model, tables on the screen, results in a folder."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options import (
    AllowPickle,
    DataDir,
    Json,
    Model,
    NoCache,
    Out,
    Precision,
    by_instrument,
    open_model,
    report_precision,
)

if TYPE_CHECKING:
    from equipoise.instruments.base import Settings
    from equipoise.results import Result


def _complete_instrument(incomplete: str) -> list[str]:
    from equipoise.instruments import INSTRUMENTS

    return [name for name in INSTRUMENTS if name.startswith(incomplete)]


def measure(
    instruments: Annotated[
        list[str],
        typer.Argument(
            help="One or more instruments: see `equipoise list instruments`.",
            autocompletion=_complete_instrument,
        ),
    ],
    out: Out,
    model: Model = None,
    data: Annotated[list[str] | None, typer.Option("--data", help="[INSTRUMENT=]DATASET_OR_FILE")] = None,
    variant: Annotated[list[str] | None, typer.Option("--variant", help="[INSTRUMENT=]VARIANT")] = None,
    poles: Annotated[list[str] | None, typer.Option("--poles", help="[INSTRUMENT=]POLES_OR_FILE")] = None,
    data_dir: DataDir = None,
    seed: Annotated[int, typer.Option(help="Seed of the intervals.")] = 0,
    precision: Precision = "fp32",
    no_cache: NoCache = False,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """Measure a model with one or more instruments, in one plan."""
    from equipoise.instruments import load_instrument

    for name in instruments:
        load_instrument(name)
    chosen = {
        option: by_instrument(given, instruments, f"--{option}")
        for option, given in (("data", data), ("variant", variant), ("poles", poles))
    }
    settings = _settings(instruments, chosen, data_dir=data_dir, seed=seed)
    loaded = open_model(model, precision=precision, no_cache=no_cache, allow_pickle=allow_pickle)
    _run(loaded, instruments, settings, out=out, as_json=as_json)


def audit(
    out: Out,
    model: Model = None,
    full: Annotated[bool, typer.Option("--full", help="Every instrument, not the chosen few.")] = False,
    data_dir: DataDir = None,
    precision: Precision = "fp32",
    no_cache: NoCache = False,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """Run the default set of instruments on a model and write a result folder."""
    from equipoise.instruments import DEFAULT_AUDIT, audit_names

    names = audit_names() if full else list(DEFAULT_AUDIT)
    settings = _settings(names, {}, data_dir=data_dir, seed=0)
    loaded = open_model(model, precision=precision, no_cache=no_cache, allow_pickle=allow_pickle)
    if not full:
        _run(loaded, names, settings, out=out, as_json=as_json)
        return
    from equipoise.measuring import audit_possible

    results, left_out = audit_possible(loaded, names, settings)
    for name, reason in left_out.items():
        sys.stderr.write(f"Left out: {name}. {reason.message} {reason.hint}\n")
    _show(loaded, results, out=out, as_json=as_json)


def _settings(
    instruments: list[str], chosen: dict[str, dict[str, str]], *, data_dir: Path | None, seed: int
) -> "dict[str, Settings]":
    from equipoise.instruments.base import Settings

    return {
        name: Settings(
            **{option: values[name] for option, values in chosen.items() if name in values},
            data_dir=data_dir,
            seed=seed,
        )
        for name in instruments
    }


def _run(
    model: Any, instruments: list[str], settings: "dict[str, Settings]", *, out: Path, as_json: bool
) -> None:
    from equipoise.measuring import audit as run_audit

    _show(model, run_audit(model, instruments, settings), out=out, as_json=as_json)


def _show(model: Any, results: "list[Result]", *, out: Path, as_json: bool) -> None:
    """Save every result, then print it."""
    from equipoise.cli.printing import print_brief, print_json, print_result

    folders = [result.save(out) for result in results]
    report_precision(model)
    if as_json:
        print_json([_summary(result, folder) for result, folder in zip(results, folders, strict=True)])
        return
    show = print_result if len(results) == 1 else print_brief
    for result, folder in zip(results, folders, strict=True):
        show(result, folder)


def _summary(result: "Result", folder: Path) -> dict[str, Any]:
    from equipoise.results import to_records

    return {
        "instrument": result.instrument,
        "folder": str(folder),
        "estimates": to_records(result.estimates),
        "provenance": result.provenance,
    }
