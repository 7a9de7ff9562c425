"""`study`: several measurements composed into one answer."""

from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.options import AllowPickle, DataDir, Json, NoCache, Precision, by_instrument, open_model
from equipoise.errors import UserError, unknown_name

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

    from equipoise.instruments.base import Settings
    from equipoise.results import Result
    from equipoise.stats.correlation import Correlation

study_app = typer.Typer(
    help="Compose measurements: rank models, choose a sample size, set skew beside stereotype.",
    no_args_is_help=True,
)

SKEW_GROUPS = ("type:1", "type:2", "all")

Out = Annotated[Path | None, typer.Option("--out", "-o", help="The folder to write tables and results to.")]


@study_app.command("models")
def models(
    names: Annotated[list[str], typer.Argument(help="Two or more model folders or hub names.")],
    instrument: Annotated[
        list[str] | None,
        typer.Option("--instrument", "-i", help="sbe if left out; may be given several times."),
    ] = None,
    data: Annotated[list[str] | None, typer.Option("--data", help="[INSTRUMENT=]DATASET_OR_FILE")] = None,
    variant: Annotated[list[str] | None, typer.Option("--variant", help="[INSTRUMENT=]VARIANT")] = None,
    data_dir: DataDir = None,
    out: Out = None,
    precision: Precision = "fp32",
    no_cache: NoCache = False,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """Rank models by their distance from neutral, with intervals and a test of each difference."""
    from equipoise.cli.printing import print_json, print_table
    from equipoise.results import to_records
    from equipoise.studies.model_comparison import compare_models

    if len(names) < 2:
        raise UserError("One model was named where at least two are compared.", "Name two or more.")
    chosen = instrument or ["sbe"]
    settings = _settings(chosen, data, variant, data_dir=data_dir)
    loaded = (
        open_model(name, precision=precision, no_cache=no_cache, allow_pickle=allow_pickle) for name in names
    )
    found = compare_models(loaded, chosen, settings=settings)
    if out is not None:
        _write_tables(out, {"ranking.csv": found.ranking, "differences.csv": found.differences})
        _save_results(out, found.results)
    if as_json:
        print_json({"ranking": to_records(found.ranking), "differences": to_records(found.differences)})
        return
    for name in chosen:
        ranked = found.ranking[found.ranking["instrument"] == name]
        print_table(f"{name}: rank 1 is nearest to neutral", ranked.drop(columns="instrument"))
    print_table("Differences: second minus first, paired by item", found.differences.drop(columns="p"))


@study_app.command("sample-size")
def sample_size(
    result: Annotated[
        Path | None, typer.Option("--result", help="A result folder of sbe; else the model is measured.")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", "-m", help="A model folder or hub name.")] = None,
    sizes: Annotated[str, typer.Option(help="Items drawn from each category.")] = "20,40,60,80,100",
    draws: Annotated[int, typer.Option(help="Samples of each size.")] = 5,
    seed: Annotated[int, typer.Option(help="Seed of the samples.")] = 0,
    out: Out = None,
    precision: Precision = "fp32",
    no_cache: NoCache = False,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """How far a score moves with the number of items it rests on; with --out also as a figure."""
    from equipoise.cli.printing import print_json, print_table
    from equipoise.results import to_records
    from equipoise.studies.sample_size import sample_size as study

    counts = _parse_sizes(sizes)
    if result is not None and model is not None:
        raise UserError("Both --result and --model were given.", "Give one of them.")
    source = (
        open_model(model, precision=precision, no_cache=no_cache, allow_pickle=allow_pickle)
        if result is None
        else _one_result(result)
    )
    found = study(source, counts, draws=draws, seed=seed)
    figures: list[Path] = []
    if out is not None:
        from equipoise.report.charts import sample_size_chart, save_chart

        _write_tables(out, {"sample-size.csv": found.table, "samples.csv": found.samples})
        figures = save_chart(sample_size_chart(found), out, "sample-size")
    if as_json:
        print_json({"table": to_records(found.table), "figures": [str(path) for path in figures]})
        return
    print_table(f"{found.quantity} of {found.model} ({found.unit}) by sample size", found.table)
    for path in figures:
        typer.echo(f"  figure: {path}")


@study_app.command("skew")
def skew(
    folders: Annotated[list[Path], typer.Argument(help="Result folders, one model or more.")],
    group: Annotated[str, typer.Option(help="Which sentences: type:1, type:2 or all.")] = "type:2",
    out: Out = None,
    as_json: Json = False,
) -> None:
    """Set the skew of models beside their stereotype; with --out also as a chart."""
    import pandas as pd

    from equipoise.cli.printing import print_json, print_rows
    from equipoise.instruments.skew_table import skew_rank_correlation, skew_stereotype_table
    from equipoise.results import to_records

    if group not in SKEW_GROUPS:
        raise unknown_name("group of sentences", group, SKEW_GROUPS)
    table = skew_stereotype_table([one for folder in folders for one in _skew_results(folder)], group)
    related = skew_rank_correlation(table)
    figures: list[Path] = []
    if out is not None:
        from equipoise.report.charts import save_chart
        from equipoise.report.skew_chart import skew_stereotype_chart

        _write_tables(out, {"skew.csv": table})
        figures = save_chart(skew_stereotype_chart(table), out, "skew")
    if as_json:
        (shown,) = to_records(pd.DataFrame([{**asdict(related), **related.interval._asdict()}]))
        shown = {name: shown[name] for name in ("value", "low", "high", "p", "n")}
        files = [str(path) for path in figures]
        print_json({"table": to_records(table), "rank_correlation": shown, "figures": files})
        return
    columns = (
        "model",
        "n",
        "skew",
        "stereotype",
        "mean |skew|",
        "mean |stereotype|",
        "ability",
        "meaningful",
    )
    rows = [_skew_row(row) for row in table.to_dict("records")]
    print_rows("Skew and stereotype (F1 x 100, 0 is neutral, 95 % intervals)", columns, rows)
    typer.echo(f"  {_in_words(related)}")
    for path in figures:
        typer.echo(f"  figure: {path}")


def _skew_results(folder: Path) -> "list[Result]":
    from equipoise.instruments.skew_table import INSTRUMENT
    from equipoise.results import load_results

    found = [one for one in load_results(folder) if one.instrument == INSTRUMENT]
    if not found:
        raise UserError(
            f"{folder} holds no result of {INSTRUMENT}.",
            f"Write one with `equipoise measure {INSTRUMENT} --model M --out DIR`.",
        )
    return found


def _skew_row(row: "dict[Hashable, Any]") -> list[str]:
    names = ("skew", "stereotype", "absolute_skew", "absolute_stereotype")
    values = [f"{row[name]:.1f} [{row[f'{name}_low']:.1f}, {row[f'{name}_high']:.1f}]" for name in names]
    return [str(row["model"]), str(row["n"]), *values, f"{row['ability']:.0f} %", _yes(row["is_meaningful"])]


def _yes(flag: bool) -> str:
    return "yes" if flag else "no"


def _in_words(related: "Correlation") -> str:
    said = f"Rank correlation of mean |skew| and mean |stereotype| over {related.n} models:"
    if isnan(related.value):
        return f"{said} none below three models, or where one of the two does not vary."
    low, high = related.interval
    return f"{said} {related.value:.2f} [{low:.2f}, {high:.2f}]."


def _settings(
    instruments: list[str], data: list[str] | None, variant: list[str] | None, *, data_dir: Path | None
) -> "dict[str, Settings]":
    from equipoise.instruments import load_instrument
    from equipoise.instruments.base import Settings

    for name in instruments:
        load_instrument(name)
    files = by_instrument(data, instruments, "--data")
    variants = by_instrument(variant, instruments, "--variant")
    return {
        name: Settings(data=files.get(name, ""), variant=variants.get(name, ""), data_dir=data_dir)
        for name in instruments
    }


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


def _write_tables(folder: Path, tables: "dict[str, pd.DataFrame]") -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(folder / name, index=False, lineterminator="\n")
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written: {error.strerror or error}.", "Give another folder with --out."
        ) from error


def _save_results(folder: Path, results: "tuple[Result, ...]") -> None:
    """One folder per model, named after the last part of its name and its fingerprint."""
    for result in results:
        result.save(folder / f"{Path(result.model).name}-{result.fingerprint[:8]}")
