"""Studies of models: `models`, `control`, `sample-size`, `before-after`, `mitigations`, `downstream`."""

from collections.abc import Hashable, Sequence
from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from equipoise.cli.arguments import (
    Force,
    InstrumentArgs,
    Json,
    Label,
    MaybeOut,
    Model,
    Priced,
    Seed,
    Shown,
    open_model,
    seed_numbers,
    takes_groups,
)
from equipoise.cli.printing import interval, print_json, print_rows, print_study_tables, print_table, say
from equipoise.cli.writing import (
    draw_study,
    refuse_taken,
    save_by_model,
    save_study_figures,
    write_study,
)
from equipoise.corpora.opening import read_corpus
from equipoise.errors import UserError
from equipoise.models.options import RunOptions
from equipoise.report.paper_tables import table_4_of
from equipoise.report.sections import Study
from equipoise.results import Result, load_results
from equipoise.results.records import fixed, to_records
from equipoise.studies.changes.before_after import INSTRUMENTS, MeasuredBy, seed_folders
from equipoise.studies.changes.before_after import before_after as study_of
from equipoise.studies.changes.checkpoints import Measuring, study_checkpoints
from equipoise.studies.changes.downstream import DownstreamChoice, study_downstream
from equipoise.studies.changes.price import Price
from equipoise.studies.models import compare_models, ranking_plan, standings
from equipoise.studies.papers.association_tables import TABLE_4
from equipoise.studies.sample_size import sample_size as study_sizes
from equipoise.studies.steps import Keeping

CONTROL = ("estimate", "value", "95 % interval", "random weights give")
RANKING = ("group", "rank", "model", "value", "95 % interval", "n", "kept")


@takes_groups
def models(
    names: Annotated[list[str], typer.Argument(help="Two or more model folders or hub names.")],
    *,
    options: RunOptions,
    asked: InstrumentArgs,
    shown: Shown,
) -> None:
    """Compare models by category and rank them (by sbe unless named), each difference tested."""
    from equipoise.models.loading import refuse_absent  # torch comes with it

    if len(names) < 2:
        raise UserError("One model was named where at least two are compared.", "Name two or more.")
    refuse_taken(shown.out, force=shown.force)
    chosen = asked.instrument or ["sbe"]
    settings = asked.settings(chosen)
    for name in names:
        refuse_absent(name, options)
    study = compare_models((open_model(name, options) for name in names), chosen, settings=settings)
    sentences, matrices = [*study.comparison.sentences(), *standings(study.results)], study.matrices
    if shown.out is not None:
        save_by_model(shown.out, study.results, force=shown.force)
        tables = {"ranking.csv": study.ranking, "differences.csv": study.differences, "matrix.csv": matrices}
        write_study(shown.out, ranking_plan(study), sentences, tables)
        draw_study(shown.out)
    if shown.as_json:
        records = {"ranking": study.ranking, "matrix": matrices, "differences": study.differences}
        print_json({name: to_records(table) for name, table in records.items()} | {"sentences": sentences})
        return
    print_study_tables(Study("models", "", (), {"matrix": matrices}))
    for (name, quantity, unit), ranked in study.ranking.groupby(
        ["instrument", "quantity", "unit"], sort=False
    ):
        title = f"{name}, {quantity} ({unit}): rank 1 leans least"
        print_rows(title, RANKING, [_ranking_row(row) for row in ranked.to_dict("records")])
    for sentence in sentences:
        say(sentence)


@takes_groups
def checkpoints(
    folders: Annotated[list[Path], typer.Argument(help="A training's folder, or two checkpoints or more.")],
    *,
    options: RunOptions,
    asked: InstrumentArgs,
    shown: Shown,
) -> None:
    """Measure every checkpoint of a training (by tbe unless named) and draw the curve.

    Example: equipoise study checkpoints runs/bert --out results/curve
    """
    chosen = asked.instrument or ["tbe"]
    measuring = Measuring(chosen, asked.settings(chosen), lambda name: open_model(name, options))
    told = (lambda _: None) if shown.as_json else say
    curve = study_checkpoints(folders, measuring, Keeping(shown.out, told, shown.force))
    files = [] if shown.out is None else draw_study(shown.out)
    if shown.as_json:
        tables = {"table": to_records(curve.table), "differences": to_records(curve.differences)}
        print_json(tables | {"sentences": curve.sentences, "figures": [str(path) for path in files]})
        return
    whole = curve.table[curve.table["by"] == ""]
    for (name, label, unit), rows in whole.groupby(["instrument", "label", "unit"], sort=False):
        print_table(f"{name}, {label} ({unit})", rows[["step", "mean", "low", "high", "n"]])
    for sentence in curve.sentences:
        say(sentence)


@takes_groups
def control(
    *,
    options: RunOptions,
    model: Model = None,
    asked: InstrumentArgs,
    draws: Annotated[int, typer.Option(help="How many times weights are drawn.")] = 5,
    shown: Shown,
) -> None:
    """What the same architecture gives with random weights, over several draws (tbe unless named)."""
    from equipoise.studies.proof.control import random_weights_control  # torch comes with it

    refuse_taken(shown.out, force=shown.force)
    chosen = asked.instrument or ["tbe"]
    settings = asked.settings(chosen)
    study = random_weights_control(open_model(model, options), chosen, draws=draws, settings=settings)
    if shown.out is not None:
        save_by_model(shown.out, (*study.results, *study.controls), force=shown.force)
        write_study(shown.out, study.plan(), study.sentences(), {"control.csv": study.table})
    if shown.as_json:
        print_json({"table": to_records(study.table), "sentences": study.sentences()})
        return
    rows = [_control_row(row) for row in study.table.to_dict("records")]
    print_rows(f"The model beside {draws} draws of random weights", CONTROL, rows)
    for sentence in study.sentences():
        say(sentence)


@takes_groups
def sample_size(
    *,
    options: RunOptions,
    result: Annotated[
        Path | None, typer.Option("--result", help="A result folder of sbe; else the model is measured.")
    ] = None,
    model: Model = None,
    sizes: Annotated[str, typer.Option(help="Items drawn from each category.")] = "20,40,60,80,100",
    draws: Annotated[int, typer.Option(help="Samples of each size in the published design.")] = 5,
    seed: Seed = 0,
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """How far a score moves with the number of items it rests on; with --out also as a figure."""
    refuse_taken(out, force=force)
    counts = _parse_sizes(sizes)
    if result is not None and model is not None:
        raise UserError("Both --result and --model were given.", "Give one of them.")
    source = open_model(model, options) if result is None else _one_result(result)
    study = study_sizes(source, counts, draws=draws, seed=seed)
    figures: list[Path] = []
    if out is not None:
        tables = {"sample-size.csv": study.table, "samples.csv": study.samples}
        write_study(out, study.plan(), study.sentences(), tables)
        figures = save_study_figures(out)
    if as_json:
        print_json({"table": to_records(study.table), "figures": [str(path) for path in figures]})
        return
    print_table(f"{study.quantity} of {study.model} ({study.unit}) by sample size", study.table)
    for sentence in study.sentences():
        say(sentence)
    for path in figures:
        say(f"figure: {path}")


def _ranking_row(row: "dict[Hashable, Any]") -> tuple[Any, ...]:

    rank = int(row["rank"]) if row["rank"] == row["rank"] else "-"
    bounds = interval(row["low"], row["high"])
    return (row["group"], rank, row["model"], row["value"], bounds, row["n"], row["kept"])


def _control_row(row: "dict[Hashable, Any]") -> tuple[Any, ...]:

    where = f" ({row['by']} {row['level']})" if row["by"] else ""
    drawn = interval(row["random_lowest"], row["random_highest"])
    bounds = interval(row["low"], row["high"])
    return (f"{row['instrument']}: {row['estimate']}{where}", row["model_value"], bounds, drawn)


def _parse_sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise UserError(
            f"--sizes {text} is not a list of whole numbers.", "Write for example --sizes 20,40,60."
        ) from error


def _one_result(folder: Path) -> "Result":

    results = [one for one in load_results(folder) if one.instrument == "sbe"]
    if len(results) != 1:
        raise UserError(
            f"{folder} holds {len(results)} results of sbe where one is expected.",
            "Give the folder of one sentence-based result.",
        )
    return results[0]


METHODS = ("method", "bias removed", "price", "what costs most", "minutes", "front")
SHOWN = ("label", "before", "after", "loss", "low", "high", "n", "seed_sd", "change")
HELD_OUT = "held-out"
"""The instrument whose sentences no mitigation learns from."""

GAINED = ("label", "before", "after", "removed", "low", "high", "n", "seed_sd", "change")


@takes_groups
def before_after(
    before: Annotated[str, typer.Argument(help="The model before the change.")],
    after: Annotated[
        str, typer.Argument(help="The model after it: a folder; one of several seeds is read whole.")
    ],
    *,
    options: RunOptions,
    asked: InstrumentArgs,
    priced: Priced,
    shown: Shown,
) -> None:
    """Compare two models with the price beside the gain: did bias fall, did the model break?"""
    choice = _choice(asked, priced)
    models = [open_model(str(name), options) for name in (before, *seed_folders(Path(after)))]
    heard = (lambda _sentence: None) if shown.as_json else say
    study = study_of(models[0], models[1:], choice, folder=shown.out, say=heard, force=shown.force)
    pictures = [] if shown.out is None else save_study_figures(shown.out)
    if shown.as_json:
        tables = {name.removesuffix(".csv"): to_records(table) for name, table in study.tables().items()}
        files = [str(path) for path in pictures]
        print_json({**tables, "sentences": list(study.sentences), "figures": files})
        return
    show_gain(study.gain)
    print_table("What it cost (share lost; of a log P: rise of perplexity)", _columns(study.price, SHOWN))
    if TABLE_4 in study.papers:
        table = table_4_of("bec-pro", study.papers[TABLE_4])
        print_rows(table.title, table.headings, table.rows)
    for sentence in study.sentences:
        say(sentence)
    if shown.out is not None:
        say(f"Tables and figures are in {shown.out}.")


@takes_groups
def mitigations(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Mitigations, or all; else averaging, head refit, self-distillation."),
    ] = None,
    *,
    options: RunOptions,
    model: Model = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", help="Text for methods that read one: a file, a folder or a name."),
    ] = None,
    minutes: Annotated[float, typer.Option(help="The time budget; what does not fit is left out.")] = 30.0,
    asked: InstrumentArgs,
    priced: Priced,
    seeds: Annotated[
        str,
        typer.Option("--seeds", help="Seeds of methods that tune; the first for all, others as time allows."),
    ] = "0,1,2",
    shown: Shown,
) -> None:
    """Try mitigations on one model: bias removed against price, with the Pareto front and a chart."""
    # torch comes with it
    from equipoise.studies.changes.mitigations import DEFAULT, Methods, compare_mitigations
    from equipoise.studies.changes.mitigations import INSTRUMENTS as TRIED_BY

    choice = _choice(asked, priced, TRIED_BY)
    read = read_corpus(corpus, data_dir=asked.data_dir) if corpus else None
    methods = Methods(tuple(dict.fromkeys(names or DEFAULT)), read, seed_numbers(seeds), minutes, choice)
    heard = (lambda _sentence: None) if shown.as_json else say
    study = compare_mitigations(
        open_model(model, options), methods, folder=shown.out, say=heard, force=shown.force
    )
    figures: list[Path] = []
    if shown.out is not None:
        figures = save_study_figures(shown.out)
    if shown.as_json:
        files = [str(path) for path in figures]
        print_json({"table": to_records(study.table), "sentences": list(study.sentences), "figures": files})
        return
    rows = [method_cells(row) for row in study.table.to_dict("records")]
    print_rows("Bias removed against price (95 % intervals in brackets)", METHODS, rows)
    print_table("Every number, before and after each method", study.side_by_side())
    for sentence in study.sentences:
        say(sentence)
    for path in figures:
        say(f"figure: {path}")


def _choice(asked: InstrumentArgs, priced: Priced, instruments: Sequence[str] | None = None) -> "MeasuredBy":

    usual = [HELD_OUT] if priced.held_out else list(instruments or INSTRUMENTS)
    chosen = asked.instrument or usual
    if priced.held_out and HELD_OUT not in chosen:
        chosen = [HELD_OUT, *chosen]
    return MeasuredBy(tuple(chosen), asked.settings(chosen), Price(priced.texts, priced.gap))


def show_gain(gain: "pd.DataFrame") -> None:
    """What went; the instrument stands before a number that two of them call alike."""
    alike = gain["label"].duplicated(keep=False)
    named = gain.assign(label=gain["label"].mask(alike, gain["instrument"] + ", " + gain["label"]))
    print_table("What went (share of the distance from neutral)", _columns(named, GAINED))


def method_cells(row: "dict[Hashable, Any]") -> tuple[str, ...]:
    """One method as a row of a table that fits a narrow screen."""
    is_best = "yes" if row["front"] else "no"
    shares = [_share(row, name) for name in ("removed", "price")]
    return (str(row["method"]), *shares, str(row["dearest"]), fixed(row["minutes"], 1), is_best)


def _share(row: "dict[Hashable, Any]", name: str) -> str:
    """A share in per cent with its interval and the noise of its seeds."""
    value, low, high, sd = (100 * float(row[f"{name}{end}"]) for end in ("", "_low", "_high", "_sd"))
    if isnan(value):
        return "unknown"
    interval = "" if isnan(low) else f" ({fixed(low, 0)} to {fixed(high, 0)})"
    noise = "" if isnan(sd) else f", sd over {row['seeds']} seeds {fixed(sd, 1)}"
    return f"{fixed(value, 0)} %{interval}{noise}"


def _columns(table: "pd.DataFrame", names: tuple[str, ...]) -> "pd.DataFrame":
    """Those of the columns that are there; the noise of seeds only where there were several."""
    unknown = [name for name in names if name.endswith("_sd") and name in table and table[name].isna().all()]
    return table[[name for name in names if name in table and name not in unknown]]


@takes_groups
def downstream(
    before: Annotated[str, typer.Argument(help="A model folder or hub name.")],
    after: Annotated[str, typer.Argument(help="The same model after a mitigation.")],
    *,
    options: RunOptions,
    task: Annotated[Path, typer.Option("--task", help="A CSV with text, label and perhaps gender.")],
    label: Label = "",
    seeds: Annotated[int, typer.Option(help="How many classifiers are tuned on each model.")] = 3,
    epochs: Annotated[int, typer.Option(help="Passes over the task's texts.")] = 3,
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Fine-tune a classifier on two models and compare their gaps: does the mitigation last?"""
    choice = DownstreamChoice(label=label, seeds=seeds, epochs=epochs, force=force)
    first, second = (open_model(name, options) for name in (before, after))
    told = (lambda _: None) if as_json else say
    study = study_downstream(first, second, task, choice=choice, folder=out, say=told)
    if as_json:
        content = {"table": study.table, "comparison": study.comparison.table}
        print_json({name: to_records(table) for name, table in content.items()} | {"choice": asdict(choice)})
        return
    print_table("Classifiers", study.table)
    for sentence in study.sentences():
        say(sentence)
