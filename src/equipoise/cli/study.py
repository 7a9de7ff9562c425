"""`study`: several measurements composed into one answer."""

from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.downstream import downstream
from equipoise.cli.option_groups import Asked, Shown, asked_settings, takes_groups
from equipoise.cli.options import (
    Force,
    Json,
    MaybeOut,
    Model,
    Seed,
    open_model,
    runs_models,
)
from equipoise.cli.writing import (
    draw_study,
    refuse_taken,
    save_by_model,
    save_study_figures,
    write_latex,
    write_study,
)
from equipoise.errors import UserError, unknown_name
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

    from equipoise.results import Result
    from equipoise.stats.correlation import Correlation
    from equipoise.studies.steps import Plan

study_app = typer.Typer(
    help="Compose measurements: rank models, draw a control, tune models and see what that changes.",
    no_args_is_help=True,
)

study_app.command("downstream")(downstream)

CONTROL = ("estimate", "value", "95 % interval", "random weights give")
RANKING = ("group", "rank", "model", "value", "95 % interval", "n", "kept")


@study_app.command("models")
@runs_models
@takes_groups
def models(
    names: Annotated[list[str], typer.Argument(help="Two or more model folders or hub names.")],
    *,
    options: RunOptions,
    asked: Asked,
    shown: Shown,
) -> None:
    """Compare models by category and rank them (by sbe unless named), each difference tested."""
    from equipoise.cli.printing import print_json, print_rows, print_study_tables, say
    from equipoise.models.loading.networks import refuse_absent
    from equipoise.report.sections import Study
    from equipoise.results.records import to_records
    from equipoise.studies.models import compare_models, ranking_plan

    if len(names) < 2:
        raise UserError("One model was named where at least two are compared.", "Name two or more.")
    refuse_taken(shown.out, force=shown.force)
    chosen = asked.instrument or ["sbe"]
    settings = asked_settings(asked, chosen)
    for name in names:
        refuse_absent(name, options)
    study = compare_models((open_model(name, options) for name in names), chosen, settings=settings)
    sentences, matrices = study.comparison.sentences(), study.matrices
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


@study_app.command("control")
@runs_models
@takes_groups
def control(
    *,
    options: RunOptions,
    model: Model = None,
    asked: Asked,
    draws: Annotated[int, typer.Option(help="How many times weights are drawn.")] = 5,
    shown: Shown,
) -> None:
    """What the same architecture gives with random weights, over several draws (tbe unless named)."""
    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.results.records import to_records
    from equipoise.studies.control import random_weights_control

    refuse_taken(shown.out, force=shown.force)
    chosen = asked.instrument or ["tbe"]
    settings = asked_settings(asked, chosen)
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


@study_app.command("sample-size")
@runs_models
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
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.results.records import to_records
    from equipoise.studies.sample_size import sample_size as study_sizes

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


@study_app.command("skew")
def skew(
    folders: Annotated[list[Path], typer.Argument(help="Result folders, one model or more.")],
    kind: Annotated[str, typer.Option("--type", help="Which type of sentences: 1 or 2.")] = "2",
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Stereotype and Skew, table by table: F1 scores, skew, stereotype, ability on names, with the charts."""
    import pandas as pd

    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.results.records import to_records
    from equipoise.studies import skew as study

    refuse_taken(out, force=force)
    if kind not in study.TYPES:
        raise unknown_name("type of sentences", kind, study.TYPES)
    results = [one for folder in folders for one in _skew_results(folder)]
    table = study.skew_stereotype_table(results, kind)
    papers = {"table-2": study.table_2(results, kind), "table-1": study.table_1(results)}
    related = study.skew_rank_correlation(table)
    figures: list[Path] = []
    if out is not None:
        tables = {**papers, "skew": table, "histogram": study.histogram_table(results, kind)}
        figures = _write_skew(out, study.skew_plan(table), _in_words(related), tables)
    if as_json:
        (shown,) = to_records(pd.DataFrame([{**asdict(related), **related.interval._asdict()}]))
        shown = {name: shown[name] for name in ("value", "low", "high", "p", "n")}
        files = [str(path) for path in figures]
        rows = {name.replace("-", "_"): to_records(paper) for name, paper in papers.items()}
        print_json({"table": to_records(table), **rows, "rank_correlation": shown, "figures": files})
        return
    told = f"type {kind} sentences; F1 x 100 with 95 % intervals; stereotype and skew: 0 is neutral"
    titles = {"table-2": f"Table 2: {told}", "table-1": "Table 1: F1 x 100 on Alice and Bob, 100 is best"}
    for name, paper in papers.items():
        print_rows(titles[name], list(map(str, paper.columns)), paper.to_numpy(dtype=object).tolist())
    say(_in_words(related))
    for path in figures:
        say(f"figure: {path}")


def _write_skew(out: Path, plan: "Plan", said: str, tables: "dict[str, pd.DataFrame]") -> list[Path]:
    """The tables of the study as CSV, those of the paper also as LaTeX, and the charts; the charts' paths."""
    write_study(out, plan, [said], {f"{name}.csv": table for name, table in tables.items()})
    for name in ("table-1", "table-2"):
        write_latex(out / f"{name}.tex", tables[name])
    return save_study_figures(out)


def _skew_results(folder: Path) -> "list[Result]":
    from equipoise.results import load_results
    from equipoise.studies.skew import INSTRUMENT

    results = [one for one in load_results(folder) if one.instrument == INSTRUMENT]
    if not results:
        raise UserError(
            f"{folder} holds no result of {INSTRUMENT}.",
            f"Write one with `equipoise measure {INSTRUMENT} --model M --out DIR`.",
        )
    return results


def _ranking_row(row: "dict[Hashable, Any]") -> tuple[Any, ...]:
    from equipoise.cli.printing import interval

    rank = int(row["rank"]) if row["rank"] == row["rank"] else "-"
    bounds = interval(row["low"], row["high"])
    return (row["group"], rank, row["model"], row["value"], bounds, row["n"], row["kept"])


def _control_row(row: "dict[Hashable, Any]") -> tuple[Any, ...]:
    from equipoise.cli.printing import interval

    where = f" ({row['by']} {row['level']})" if row["by"] else ""
    drawn = interval(row["random_lowest"], row["random_highest"])
    bounds = interval(row["low"], row["high"])
    return (f"{row['instrument']}: {row['estimate']}{where}", row["model_value"], bounds, drawn)


def _in_words(related: "Correlation") -> str:
    from equipoise.results.numbers import fixed

    said = f"Rank correlation of mean |skew| and mean |stereotype| over {related.n} meaningful models:"
    if isnan(related.value):
        return f"{said} none below three models, or where one of the two does not vary."
    low, high = related.interval
    if isnan(low):
        return f"{said} {fixed(related.value, 2)}, too few models for an interval."
    return f"{said} {fixed(related.value, 2)} [{fixed(low, 2)}, {fixed(high, 2)}]."


def _parse_sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise UserError(
            f"--sizes {text} is no list of whole numbers.", "Write for example --sizes 20,40,60."
        ) from error


def _one_result(folder: Path) -> "Result":
    from equipoise.results import load_results

    results = [one for one in load_results(folder) if one.instrument == "sbe"]
    if len(results) != 1:
        raise UserError(
            f"{folder} holds {len(results)} results of sbe where one is expected.",
            "Give the folder of one sentence-based result.",
        )
    return results[0]
