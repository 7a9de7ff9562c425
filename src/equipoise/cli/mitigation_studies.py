"""`study before-after` and `study mitigations`: what a change removed, and what it cost."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.option_groups import Asked, Priced, Shown, asked_settings, takes_groups
from equipoise.cli.options import (
    Model,
    open_model,
    runs_models,
    seed_numbers,
)
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.studies.before_after import Choice

PRICED = ("price", "price_sd", "dearest", "minutes", "front")
SHOWN = ("label", "before", "after", "loss", "low", "high", "n", "seed_sd", "change")
GAINED = ("instrument", "label", "before", "after", "removed", "low", "high", "n", "seed_sd", "change")


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
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.results.records import to_records
    from equipoise.studies.before_after import before_after as study_of
    from equipoise.studies.before_after import seed_folders

    choice = _choice(asked, priced)
    models = [open_model(str(name), options) for name in (before, *seed_folders(Path(after)))]
    heard = (lambda _sentence: None) if shown.as_json else say
    study = study_of(models[0], models[1:], choice, folder=shown.out, say=heard, force=shown.force)
    if shown.as_json:
        tables = {name.removesuffix(".csv"): to_records(table) for name, table in study.tables().items()}
        print_json({**tables, "sentences": list(study.sentences)})
        return
    print_table("What went (share of the distance from neutral)", study.gain[list(GAINED)])
    print_table("What it cost (share lost; of a log P: rise of perplexity)", _columns(study.price, SHOWN))
    for sentence in study.sentences:
        say(sentence)


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
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.corpora.named import read_corpus
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
        from equipoise.report.charts import save_chart
        from equipoise.report.mitigations_chart import mitigations_chart

        figures = save_chart(mitigations_chart(study.table), shown.out, "mitigations")
    if shown.as_json:
        files = [str(path) for path in figures]
        print_json({"table": to_records(study.table), "sentences": list(study.sentences), "figures": files})
        return
    columns = [*("method", "removed", "removed_low", "removed_high", "removed_sd"), *PRICED]
    print_table("Bias removed against price (shares)", study.table[columns])
    for sentence in study.sentences:
        say(sentence)
    for path in figures:
        say(f"figure: {path}")


def _choice(asked: Asked, priced: Priced, instruments: Sequence[str] | None = None) -> "Choice":
    from equipoise.studies.before_after import INSTRUMENTS, Choice
    from equipoise.studies.price import Price

    chosen = asked.instrument or list(instruments or INSTRUMENTS)
    return Choice(tuple(chosen), asked_settings(asked, chosen), Price(priced.texts, priced.gap))


def _columns(table: "pd.DataFrame", names: tuple[str, ...]) -> "pd.DataFrame":
    return table[[name for name in names if name in table]]
