"""`measure` and `audit`: instruments on a model, tables on the screen, results in a folder."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.arguments import (
    OUTPUT,
    RUNNING,
    Chosen,
    Force,
    Json,
    Model,
    Only,
    Out,
    open_model,
    option,
    report_precision,
    takes_groups,
)
from equipoise.cli.printing import print_json, print_results, print_table, say
from equipoise.cli.writing import refuse_unwritable
from equipoise.errors import IncapableError, UserError
from equipoise.instruments import INSTRUMENTS, audit_names, default_audit, load_instrument
from equipoise.measuring import audit as run_audit
from equipoise.measuring import audit_fitting, refuse_impossible
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel
from equipoise.report.files import PAGE, refuse_foreign
from equipoise.report.measurements import measurements
from equipoise.report.page import contents_of, save_page
from equipoise.report.paper_tables import save_paper_tables
from equipoise.results import Result
from equipoise.results.records import fixed, to_records
from equipoise.results.result import top_items
from equipoise.results.saving import refuse_another_model, refuse_other_measurement
from equipoise.samples import Stop


@dataclass(frozen=True, kw_only=True)
class Printed:
    """Where results go, and how they are shown."""

    out: Out
    everything: Annotated[bool, option(OUTPUT, "--all", help="Show every estimate.")] = False
    force: Force = False
    as_json: Json = False


@dataclass(frozen=True, kw_only=True)
class Ending:
    """When a run ends before everything was asked."""

    quick: Annotated[
        bool, option(RUNNING, "--quick", help="Stop within a minute, with a first answer from a sample.")
    ] = False
    minutes: Annotated[
        float | None, option(RUNNING, "--minutes", help="Stop after this many minutes, with a sample.")
    ] = None
    until: Annotated[
        float | None,
        option(
            RUNNING,
            "--until",
            help="Stop when every headline is this close to its value in the whole run, such as 0.05.",
        ),
    ] = None

    def stop(self) -> Stop:
        """The same as the run takes it."""
        return Stop(self.quick, self.minutes, self.until)


def _complete_instrument(incomplete: str) -> list[str]:
    return [name for name in INSTRUMENTS if name.startswith(incomplete)]


@takes_groups
def measure(
    instruments: Annotated[
        list[str],
        typer.Argument(
            help="One or more instruments: see `equipoise list instruments`.",
            autocompletion=_complete_instrument,
        ),
    ],
    *,
    model: Model = None,
    printed: Printed,
    chosen: Chosen,
    top: Annotated[int, option(OUTPUT, "--top", min=0, help="Show this many items furthest from 0.")] = 0,
    ending: Ending,
    options: RunOptions,
) -> None:
    """Measure a model with one or more instruments, in one plan.

    Example: equipoise measure tbe sbe --model path/to/bert --out results/bert
    """
    instruments = list(dict.fromkeys(instruments))
    settings = chosen.settings(instruments)
    refuse_unwritable(printed.out)
    refuse_impossible([(load_instrument(name), settings[name]) for name in settings])
    screen, stop = Screen(open_model(model, options), printed, count=len(instruments)), ending.stop()
    results = run_audit(screen.model, instruments, settings, tell=screen.add, begin=screen.begin, stop=stop)
    screen.close(results)
    if top > 0 and not printed.as_json:
        for result in results:
            print_table(f"Furthest from 0 ({result.instrument})", top_items(result, top))
    _say_sample(results, stop)


@takes_groups
def audit(
    *,
    model: Model = None,
    printed: Printed,
    full: Annotated[bool, typer.Option("--full", help="Ask every instrument that fits the model.")] = False,
    chosen: Annotated[Chosen, Only(("data_dir", "seed"))],
    ending: Ending,
    options: RunOptions,
) -> None:
    """Measure a model with the default instruments that fit it, and write a page.

    Example: equipoise audit --model path/to/bert --out results/bert
    """
    settings = chosen.settings(audit_names())
    refuse_unwritable(printed.out)
    refuse_foreign(printed.out / PAGE, force=printed.force, ours=True)
    loaded = open_model(model, options)
    names = audit_names() if full else list(default_audit(loaded.kind))
    settings = {name: settings[name] for name in names}
    for name, problem in INSTRUMENTS.problems.items():
        sys.stderr.write(f"Left out: {name}, because {problem}.\n")
    screen, stop = Screen(loaded, printed, count=len(names)), ending.stop()
    results, left_out = audit_fitting(loaded, names, settings, tell=screen.add, begin=screen.begin, stop=stop)
    _say_left_out(left_out)
    if not results:
        raise UserError(
            f"No instrument fits {loaded.name!r}, a {loaded.kind} model; the reasons are listed above.",
            "Name a masked, causal or encoder-decoder language model.",
        )
    screen.close(results)
    _write_page(results, printed.out / PAGE, as_json=printed.as_json)
    _say_sample(results, stop)


def _say_left_out(left_out: Mapping[str, UserError]) -> None:
    """One line for each reason, with all the instruments that it holds for."""
    names: dict[str, list[str]] = {}
    for name, error in left_out.items():
        said = f"{error.message.removeprefix(f'{name}: ')} {error.hint}"
        if isinstance(error, IncapableError):
            said = f"{error.reason[:1].upper()}{error.reason[1:]}."
        names.setdefault(said, []).append(name)
    for reason, those in names.items():
        sys.stderr.write(f"Left out: {', '.join(those)}. {reason}\n")


def _say_sample(results: "list[Result]", stop: Stop) -> None:
    """Say which part of a run was asked; what Ctrl-C stopped is saved, and stopped all the same."""
    asked = sum(len(result.items) for result in results)
    of = sum(result.sample.get("of", len(result.items)) for result in results)
    if asked < of:
        said = f"From a sample of {fixed(100 * asked / of, 0)} %: {asked:,} of {of:,} items."
        sys.stderr.write(f"{said} The same command without --quick, --minutes and --until continues.\n")
    if stop.interrupted:
        raise KeyboardInterrupt


class Screen:
    """Saves every result as soon as it is there; what they say is shown at the end, finding first."""

    def __init__(self, model: LanguageModel, printed: Printed, *, count: int) -> None:
        if not printed.force:
            refuse_another_model(printed.out, model.name, model.fingerprint)
        self.model, self.printed, self.count = model, printed, count
        self._folders: dict[str, Path] = {}

    def begin(self, instrument: str, measured: Mapping[str, Any]) -> None:
        """Refuse to replace another measurement before anything is asked."""
        if not self.printed.force:
            refuse_other_measurement(self.printed.out, instrument, measured)

    def add(self, result: Result) -> None:
        """Save a result."""
        folder = result.save(self.printed.out, force=self.printed.force)
        self._folders[result.instrument] = folder
        save_paper_tables(measurements([result])[0], folder)
        if self.count > 1:
            sys.stderr.write(f"Measured {result.instrument} ({len(self._folders)} of {self.count}).\n")

    def close(self, results: list[Result]) -> None:
        """Say how exact the run was and what the numbers mean."""
        report_precision(self.model)
        if self.printed.as_json:
            print_json([_summary(result, self._folders[result.instrument]) for result in results])
            return
        print_results(results, everything=self.printed.everything)
        out = self.printed.out
        items = self._folders[results[0].instrument] if len(results) == 1 else out / "INSTRUMENT"
        more = "" if self.printed.everything else "More: --all. "
        say(f"{more}Every item: {items / 'items.csv'}. Page: equipoise report {out} --out page.html")


def _write_page(results: "list[Result]", path: Path, *, as_json: bool) -> None:
    """Write the page beside the results, and say so where that does not disturb a program that reads."""
    save_page(contents_of(results), path, force=True)
    if not as_json:
        say(f"The page to look at: {path}")


def _summary(result: "Result", folder: Path) -> dict[str, Any]:

    return {
        "instrument": result.instrument,
        "folder": str(folder),
        "estimates": to_records(result.estimates),
        "provenance": result.provenance,
    }
