"""`study before-after` and `study mitigations`: what a change removed, and what it cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import (
    Data,
    DataDir,
    Force,
    Json,
    MaybeOut,
    Model,
    Variant,
    open_model,
    runs_models,
    settings_by_instrument,
)
from equipoise.cli.study import Instruments
from equipoise.cli.tuning_studies import whole_numbers
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.studies.before_after import Choice

Texts = Annotated[
    Path | None, typer.Option("--texts", help="Held-out sentences for the price, one a line; else our own.")
]
Pronouns = Annotated[
    Path | None,
    typer.Option("--gap", help="A folder with GAP's files, for pronouns; else our own sentences."),
]
PRICED = ("price", "price_sd", "dearest", "minutes", "front")
SHOWN = ("label", "before", "after", "loss", "low", "high", "n", "seed_sd", "change")
GAINED = ("instrument", "label", "before", "after", "removed", "low", "high", "n", "seed_sd", "change")


@runs_models
def before_after(
    before: Annotated[str, typer.Argument(help="The model before the change.")],
    after: Annotated[
        str, typer.Argument(help="The model after it: a folder; one of several seeds is read whole.")
    ],
    *,
    options: RunOptions,
    instrument: Instruments = None,
    data: Data = None,
    variant: Variant = None,
    texts: Texts = None,
    gap: Pronouns = None,
    data_dir: DataDir = None,
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Compare two models with the price beside the gain: did bias fall, did the model break?"""
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.results.records import to_records
    from equipoise.studies.before_after import before_after as study_of
    from equipoise.studies.before_after import seed_folders

    choice = _choice(instrument, data, variant, data_dir, price=(texts, gap))
    models = [open_model(str(name), options) for name in (before, *seed_folders(Path(after)))]
    heard = (lambda _sentence: None) if as_json else say
    study = study_of(models[0], models[1:], choice, folder=out, say=heard, force=force)
    if as_json:
        tables = {name.removesuffix(".csv"): to_records(table) for name, table in study.tables().items()}
        print_json({**tables, "sentences": list(study.sentences)})
        return
    print_table("What went (share of the distance from neutral)", study.gain[list(GAINED)])
    print_table("What it cost (share lost; of a log P: rise of perplexity)", _columns(study.price, SHOWN))
    for sentence in study.sentences:
        say(sentence)


@runs_models
def mitigations(
    names: Annotated[
        list[str] | None, typer.Argument(help="Mitigations; else averaging, head refit, self-distillation.")
    ] = None,
    *,
    options: RunOptions,
    model: Model = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", help="Text for methods that read one: a file, a folder or a name."),
    ] = None,
    minutes: Annotated[float, typer.Option(help="The time budget; what does not fit is left out.")] = 30.0,
    instrument: Instruments = None,
    data: Data = None,
    variant: Variant = None,
    texts: Texts = None,
    gap: Pronouns = None,
    data_dir: DataDir = None,
    seeds: Annotated[
        str,
        typer.Option("--seeds", help="Seeds of methods that tune; the first for all, others as time allows."),
    ] = "0,1,2",
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Try mitigations on one model: bias removed against price, the front, who is dominated; a chart."""
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.corpora.named import read_corpus
    from equipoise.results.records import to_records
    from equipoise.studies.mitigations import DEFAULT, INSTRUMENTS, Methods, compare_mitigations

    choice = _choice(instrument or list(INSTRUMENTS), data, variant, data_dir, price=(texts, gap))
    read = read_corpus(corpus, data_dir=data_dir) if corpus else None
    methods = Methods(tuple(names or DEFAULT), read, whole_numbers(seeds, "--seeds"), minutes, choice)
    heard = (lambda _sentence: None) if as_json else say
    study = compare_mitigations(open_model(model, options), methods, folder=out, say=heard, force=force)
    figures: list[Path] = []
    if out is not None:
        from equipoise.report.charts import save_chart
        from equipoise.report.mitigations_chart import mitigations_chart

        figures = save_chart(mitigations_chart(study.table), out, "mitigations")
    if as_json:
        files = [str(path) for path in figures]
        print_json({"table": to_records(study.table), "sentences": list(study.sentences), "figures": files})
        return
    columns = [*("method", "removed", "removed_low", "removed_high", "removed_sd"), *PRICED]
    print_table("Bias removed against price (shares)", study.table[columns])
    for sentence in study.sentences:
        say(sentence)
    for path in figures:
        say(f"figure: {path}")


def _choice(
    instrument: list[str] | None,
    data: list[str] | None,
    variant: list[str] | None,
    data_dir: Path | None,
    *,
    price: tuple[Path | None, Path | None],
) -> "Choice":
    from equipoise.studies.before_after import INSTRUMENTS, Choice
    from equipoise.studies.price import Price

    chosen = instrument or list(INSTRUMENTS)
    settings = settings_by_instrument(chosen, {"data": data, "variant": variant}, data_dir=data_dir)
    return Choice(tuple(chosen), settings, Price(*price))


def _columns(table: "pd.DataFrame", names: tuple[str, ...]) -> "pd.DataFrame":
    return table[[name for name in names if name in table]]
