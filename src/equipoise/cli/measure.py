"""`measure` and `audit`: instruments on a model, tables on the screen, results in a folder."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options import (
    Data,
    DataDir,
    Document,
    Force,
    Group,
    Json,
    Layer,
    Length,
    Measure,
    Model,
    NoNames,
    Out,
    PolesOf,
    Pooling,
    Sample,
    Seed,
    Split,
    Targets,
    Text,
    Variant,
    open_model,
    report_precision,
    runs_models,
    settings_by_instrument,
)
from equipoise.errors import UserError
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    from equipoise.results import Result

All = Annotated[bool, typer.Option("--all", help="Show every estimate, not the ones to read first.")]


def _complete_instrument(incomplete: str) -> list[str]:
    from equipoise.instruments import INSTRUMENTS

    return [name for name in INSTRUMENTS if name.startswith(incomplete)]


@runs_models
def measure(
    instruments: Annotated[
        list[str],
        typer.Argument(
            help="One or more instruments: see `equipoise list instruments`.",
            autocompletion=_complete_instrument,
        ),
    ],
    out: Out,
    *,
    options: RunOptions,
    model: Model = None,
    data: Data = None,
    variant: Variant = None,
    poles: PolesOf = None,
    data_dir: DataDir = None,
    seed: Seed = 0,
    text: Text = None,
    group: Group = None,
    document: Document = None,
    split: Split = None,
    targets: Targets = None,
    length: Length = 100,
    sample: Sample = 2000,
    no_names: NoNames = False,
    layer: Layer = "last",
    pooling: Pooling = "mean",
    measure_by: Measure = "cosine",
    top: Annotated[int, typer.Option(help="Show so many items that are furthest from 0.")] = 0,
    everything: All = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Measure a model with one or more instruments, in one plan."""
    from equipoise.corpora.sampling import CorpusChoice
    from equipoise.instruments.parts.vector_choice import VectorChoice
    from equipoise.measuring import audit as run_audit

    given = {"data": data, "variant": variant, "poles": poles}
    groups = tuple(dict.fromkeys(group or ()))
    corpus = CorpusChoice(text, groups, length, sample, not no_names, document, split, targets)
    vectors = VectorChoice(layer, pooling, measure_by)
    settings = settings_by_instrument(
        instruments, given, data_dir=data_dir, seed=seed, corpus=corpus, vectors=vectors
    )
    loaded = open_model(model, options)
    results = run_audit(loaded, instruments, settings)
    _show(loaded, results, _save(results, out, force), everything=everything, as_json=as_json)
    if top > 0 and not as_json:
        _show_top(results, top)


@runs_models
def audit(
    out: Out,
    *,
    options: RunOptions,
    model: Model = None,
    full: Annotated[bool, typer.Option("--full", help="Every instrument, not the chosen few.")] = False,
    data_dir: DataDir = None,
    seed: Seed = 0,
    everything: All = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Run the default set of instruments on a model, those that fit it, and write a result folder."""
    from equipoise.instruments import DEFAULT_AUDIT, audit_names
    from equipoise.measuring import audit_fitting

    names = audit_names() if full else list(DEFAULT_AUDIT)
    settings = settings_by_instrument(names, {}, data_dir=data_dir, seed=seed)
    loaded = open_model(model, options)
    results, left_out = audit_fitting(loaded, names, settings)
    for name, reason in left_out.items():
        sys.stderr.write(f"Left out: {name}. {reason.message} {reason.hint}\n")
    if not results:
        raise UserError(
            f"No instrument fits {loaded.name!r}, a {loaded.kind} model; the reasons stand above.",
            "Name a masked, causal or encoder-decoder language model.",
        )
    _show(loaded, results, _save(results, out, force), everything=everything, as_json=as_json)


def _save(results: "list[Result]", out: Path, force: bool) -> list[Path]:
    return [result.save(out, force=force) for result in results]


def _show(
    model: Any, results: "list[Result]", folders: list[Path], *, everything: bool, as_json: bool
) -> None:
    """Print results that were saved."""
    from equipoise.cli.printing import print_headlines, print_json, print_result

    report_precision(model)
    if as_json:
        print_json([_summary(result, folder) for result, folder in zip(results, folders, strict=True)])
    elif len(results) == 1:
        print_result(results[0], folders[0], everything=everything)
    else:
        print_headlines(results, folders[0].parent, everything=everything)


def _show_top(results: "list[Result]", count: int) -> None:
    """Print the items that drive each result."""
    from equipoise.cli.printing import print_table
    from equipoise.results.top_items import top_items

    for result in results:
        print_table(f"Furthest from 0 ({result.instrument})", top_items(result, count))


def _summary(result: "Result", folder: Path) -> dict[str, Any]:
    from equipoise.results.records import to_records

    return {
        "instrument": result.instrument,
        "folder": str(folder),
        "estimates": to_records(result.estimates),
        "provenance": result.provenance,
    }
