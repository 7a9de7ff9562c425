"""`measure` and `audit`: instruments on a model, tables on the screen, results in a folder."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.arguments import (
    Data,
    DataDir,
    Force,
    Json,
    Label,
    Layer,
    Length,
    Measure,
    Model,
    NoNames,
    NoNeutral,
    Out,
    PolesOf,
    Pooling,
    Reading,
    Sample,
    Seed,
    Text,
    Variant,
    open_model,
    report_precision,
    runs_models,
    settings_by_instrument,
    takes_groups,
)
from equipoise.cli.printing import GrowingTable, print_json, print_result, print_table, print_words, say
from equipoise.cli.writing import refuse_unwritable
from equipoise.errors import UserError
from equipoise.instruments import DEFAULT_AUDIT, INSTRUMENTS, audit_names
from equipoise.instruments.parts.vector_choice import VectorChoice
from equipoise.measuring import audit as run_audit
from equipoise.measuring import audit_fitting
from equipoise.models.options import RunOptions
from equipoise.report.files import PAGE, refuse_foreign
from equipoise.report.measurements import measurements
from equipoise.report.page import contents_of, save_page
from equipoise.report.paper_tables import save_paper_tables
from equipoise.results import Result
from equipoise.results.records import to_records
from equipoise.results.saving import refuse_another_model, refuse_other_measurement
from equipoise.results.top_items import top_items

All = Annotated[bool, typer.Option("--all", help="Show every estimate, not the ones to read first.")]


def _complete_instrument(incomplete: str) -> list[str]:

    return [name for name in INSTRUMENTS if name.startswith(incomplete)]


@runs_models
@takes_groups
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
    reading: Reading,
    model: Model = None,
    data: Data = None,
    variant: Variant = None,
    poles: PolesOf = None,
    data_dir: DataDir = None,
    seed: Seed = 0,
    text: Text = None,
    length: Length = 100,
    sample: Sample = None,
    no_names: NoNames = False,
    layer: Layer = "last",
    pooling: Pooling = "mean",
    measure_by: Measure = "cosine",
    label: Label = "",
    no_neutral_pairs: NoNeutral = False,
    top: Annotated[int, typer.Option(min=0, help="Show so many items that are furthest from 0.")] = 0,
    everything: All = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Measure a model with one or more instruments, in one plan."""
    instruments = list(dict.fromkeys(instruments))
    given = {"data": data, "variant": variant, "poles": poles}
    corpus = reading.choice(text, length=length, sample=sample, names=not no_names)
    vectors = VectorChoice(layer, pooling, measure_by)
    common = {"corpus": corpus, "vectors": vectors, "label": label, "neutral_pairs": not no_neutral_pairs}
    settings = settings_by_instrument(instruments, given, data_dir=data_dir, seed=seed, **common)
    refuse_unwritable(out)
    loaded = open_model(model, options)
    several = len(instruments) > 1
    screen = Screen(loaded, out, force=force, everything=everything, as_json=as_json, several=several)
    results = run_audit(loaded, instruments, settings, tell=screen.add, begin=screen.begin)
    screen.close(results)
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
    names = audit_names() if full else list(DEFAULT_AUDIT)
    settings = settings_by_instrument(names, {}, data_dir=data_dir, seed=seed)
    refuse_unwritable(out)
    refuse_foreign(out / PAGE, force=force, ours=True)
    loaded = open_model(model, options)
    screen = Screen(loaded, out, force=force, everything=everything, as_json=as_json)
    results, left_out = audit_fitting(loaded, names, settings, tell=screen.add, begin=screen.begin)
    for name, reason in left_out.items():
        sys.stderr.write(f"Left out: {name}. {reason.message} {reason.hint}\n")
    if not results:
        raise UserError(
            f"No instrument fits {loaded.name!r}, a {loaded.kind} model; the reasons stand above.",
            "Name a masked, causal or encoder-decoder language model.",
        )
    screen.close(results)
    _write_page(results, out / PAGE, as_json=as_json)


class Screen:
    """Saves and shows every result as soon as it is there; the sentences come at the end.

    One instrument is shown with all its numbers that fit, several in one table of what to read first.
    """

    def __init__(
        self, model: Any, out: Path, *, force: bool, everything: bool, as_json: bool, several: bool = True
    ) -> None:

        if not force:
            refuse_another_model(out, model.name, model.fingerprint)
        self.model, self.out, self.force = model, out, force
        self.everything, self.as_json, self.several = everything, as_json, several
        self._table = GrowingTable(model.name)
        self._folders: dict[str, Path] = {}

    def begin(self, instrument: str, measured: "Mapping[str, Any]") -> None:
        """Refuse to replace another measurement before anything is asked."""

        if not self.force:
            refuse_other_measurement(self.out, instrument, measured)

    def add(self, result: "Result") -> None:
        """Save a result and show its numbers."""

        folder = result.save(self.out, force=self.force)
        self._folders[result.instrument] = folder
        save_paper_tables(measurements([result])[0], folder)
        if self.as_json:
            return
        if self.everything or not self.several:
            print_result(result, folder, everything=self.everything)
        else:
            self._table.add(result)

    def close(self, results: "list[Result]") -> None:
        """Say how exact the run was and what the numbers mean."""

        report_precision(self.model)
        if self.as_json:
            print_json([_summary(result, self._folders[result.instrument]) for result in results])
        elif self.several and not self.everything:
            say("")
            for result in results:
                print_words(result)
            say(f"All estimates (--all) and every item: {self.out}")


def _write_page(results: "list[Result]", path: Path, *, as_json: bool) -> None:
    """Write the page beside the results, and say so where that does not disturb a program that reads."""
    save_page(contents_of(results), path, force=True)
    if not as_json:
        say(f"The page to look at: {path}")


def _show_top(results: "list[Result]", count: int) -> None:
    """Print the items that drive each result."""
    for result in results:
        print_table(f"Furthest from 0 ({result.instrument})", top_items(result, count))


def _summary(result: "Result", folder: Path) -> dict[str, Any]:

    return {
        "instrument": result.instrument,
        "folder": str(folder),
        "estimates": to_records(result.estimates),
        "provenance": result.provenance,
    }
