"""`study before-after` and `study mitigations`: what a change removed, and what it cost."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.cli.option_groups import Asked, Priced, Shown, asked_settings, takes_groups
from equipoise.cli.options import (
    Model,
    open_model,
    runs_models,
    seed_numbers,
)
from equipoise.cli.writing import save_study_figures
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Hashable

    import pandas as pd

    from equipoise.studies.before_after import Choice

METHODS = ("method", "bias removed", "price", "what costs most", "minutes", "front")
SHOWN = ("label", "before", "after", "loss", "low", "high", "n", "seed_sd", "change")
GAINED = ("label", "before", "after", "removed", "low", "high", "n", "seed_sd", "change")


@runs_models
@takes_groups
def before_after(
    before: Annotated[str, typer.Argument(help="The model before the change.")],
    after: Annotated[
        str, typer.Argument(help="The model after it: a folder; one of several seeds is read whole.")
    ],
    *,
    options: RunOptions,
    asked: Asked,
    priced: Priced,
    shown: Shown,
) -> None:
    """Compare two models with the price beside the gain: did bias fall, did the model break?"""
    from equipoise.cli.printing import print_json, print_rows, print_table, say
    from equipoise.report.paper_tables import table_4_of
    from equipoise.results.records import to_records
    from equipoise.studies.association_tables import TABLE_4
    from equipoise.studies.before_after import before_after as study_of
    from equipoise.studies.before_after import seed_folders

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


@runs_models
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
    asked: Asked,
    priced: Priced,
    seeds: Annotated[
        str,
        typer.Option("--seeds", help="Seeds of methods that tune; the first for all, others as time allows."),
    ] = "0,1,2",
    shown: Shown,
) -> None:
    """Try mitigations on one model: bias removed against price, the front, who is dominated; a chart."""
    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.corpora.opening import read_corpus
    from equipoise.results.records import to_records
    from equipoise.studies.mitigations import DEFAULT, INSTRUMENTS, Methods, compare_mitigations

    choice = _choice(asked, priced, INSTRUMENTS)
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
    for sentence in study.sentences:
        say(sentence)
    for path in figures:
        say(f"figure: {path}")


def _choice(asked: Asked, priced: Priced, instruments: Sequence[str] | None = None) -> "Choice":
    from equipoise.studies.before_after import INSTRUMENTS, Choice
    from equipoise.studies.price import Price

    chosen = asked.instrument or list(instruments or INSTRUMENTS)
    return Choice(tuple(chosen), asked_settings(asked, chosen), Price(priced.texts, priced.gap))


def show_gain(gain: "pd.DataFrame") -> None:
    """What went; the instrument stands before a number that two of them call alike."""
    from equipoise.cli.printing import print_table

    alike = gain["label"].duplicated(keep=False)
    named = gain.assign(label=gain["label"].mask(alike, gain["instrument"] + ", " + gain["label"]))
    print_table("What went (share of the distance from neutral)", _columns(named, GAINED))


def method_cells(row: "dict[Hashable, Any]") -> tuple[str, ...]:
    """One method as a row of a table that fits a narrow screen."""
    from equipoise.results.numbers import fixed

    is_best = "yes" if row["front"] else "no"
    shares = [_share(row, name) for name in ("removed", "price")]
    return (str(row["method"]), *shares, str(row["dearest"]), fixed(row["minutes"], 1), is_best)


def _share(row: "dict[Hashable, Any]", name: str) -> str:
    """A share in per cent with its interval and the noise of its seeds."""
    from equipoise.results.numbers import fixed

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
