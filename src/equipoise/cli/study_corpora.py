"""Studies of your own text: `domain` and `vectors`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd
import typer

from equipoise.cli.arguments import (
    Chosen,
    Data,
    DataDir,
    Document,
    Force,
    Json,
    Measure,
    Only,
    Pairs,
    Seeds,
    Split,
    Text,
    TextTuning,
    Variant,
    open_model,
    seed_numbers,
    takes_groups,
)
from equipoise.cli.printing import print_json, print_rows, print_table, say
from equipoise.cli.progress_bar import ProgressBar
from equipoise.cli.study_training import CorpusName, method_of
from equipoise.cli.writing import keeping_of, save_study_figures
from equipoise.corpora.documents import Grouping
from equipoise.corpora.opening import CorpusChoice, read_corpus
from equipoise.corpora.reading import ReadSettings, open_corpus
from equipoise.errors import UserError
from equipoise.models.options import RunOptions
from equipoise.models.static.training import SkipGram
from equipoise.results.records import fixed, to_records
from equipoise.studies.training.vectors import WEAT, VectorsChoice, VectorsStudy, study_vectors

if TYPE_CHECKING:
    from equipoise.studies.training.domain import DomainStudy

PRINTED_ARMS = ("base", "fine-tuned")
"""The arms whose categories the paper draws."""


@takes_groups
def domain(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: TextTuning,
    reading: Annotated[CorpusChoice, Only(without=("text", "sample"))],
    contexts: Annotated[int, typer.Option(help="Held-out contexts that are asked; 0: all.")] = 500,
    seeds: Seeds = "0,1,2",
    pairs: Pairs = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the models that are trained, in OUT/models.")
    ] = False,
) -> None:
    """Tune on your own text, plainly, with more dropout and rewritten; measure on the part held out."""
    from equipoise.studies.training.domain import domain as study_domain  # torch comes with it
    from equipoise.studies.training.domain import refuse_small

    asked = replace(reading, text=tuning.text, sample=contexts)
    read = read_corpus(corpus, replace(asked, with_targets=False), tuning.data_dir)
    refuse_small(read)
    study = study_domain(
        open_model(tuning.model, options),
        read,
        method=method_of(tuning, [f"pairs={pairs}"] if pairs else []),
        seeds=seed_numbers(seeds),
        asked=asked,
        keeping=replace(keeping_of(tuning.out, tuning.force), models=keep),
    )
    saved = save_study_figures(tuning.out)
    _show(study, tuning.out, [str(path) for path in saved], as_json=tuning.as_json)


def _show(study: "DomainStudy", out: Path, figures: list[str], *, as_json: bool) -> None:
    """The tables as the paper prints them, with intervals and the printed values beside them."""
    if as_json:
        overall = study.table[study.table["by"] == ""]
        tables = {name: to_records(table) for name, table in study.tables.items() if name != "training"}
        print_json({"table": to_records(overall), **tables, "sentences": study.sentences, "figures": figures})
        return
    for title, columns, rows in _printed(study.tables):
        print_rows(title, columns, rows)
    for sentence in study.sentences:
        say(sentence)
    if study.tables["probabilities"]["published_male"].notna().any():
        say("Printed: what Deng and Breuch found in news that were never released; compare the direction.")
    say(f"Every table, also by group, and the figures are in {out}.")


Rows = list[list[str]]


def _printed(tables: "Mapping[str, pd.DataFrame]") -> "Iterator[tuple[str, list[str], Rows]]":
    """Title, columns and rows of Figs. 1, 6 to 8 and of the appendix' table."""
    losses = [
        [
            row["arm"],
            _number(row, "loss", "low", "high"),
            _number(row, "perplexity", "perplexity_low", "perplexity_high", places=1),
            _beside(row, "published_loss", "published_perplexity", places=2),
        ]
        for row in tables["losses"].to_dict("records")
    ]
    yield "Held-out text (Fig. 1)", ["arm", "cross-entropy", "perplexity", "printed"], losses
    genders = ["P(male | male)", "P(female | female)", "difference", "printed"]
    table = tables["probabilities"]
    yield "Women and men (Fig. 6)", ["arm", *genders], _genders(table[table["by"] == ""], "arm")
    for arm, rows in table[table["by"] == "category"].groupby("arm", sort=False):
        if arm in PRINTED_ARMS:
            yield (
                f"{arm}: women and men by category (Figs. 7, 8)",
                ["category", *genders],
                _genders(rows, "level"),
            )
    changes = tables["changes"]
    for arm, rows in changes[changes["by"] == "category"].groupby("arm", sort=False):
        yield (
            f"{arm}: change of the difference (appendix 9.0.5)",
            ["context", "before", "after", "change", "printed"],
            [
                [
                    row["level"],
                    *(_number(row, name) for name in ("before", "after")),
                    _number(row, "change", "low", "high", sign=True),
                    _beside(row, "published_before", "published_after", "published_change")
                    if arm == PRINTED_ARMS[-1]
                    else "",
                ]
                for row in rows.to_dict("records")
            ],
        )


def _genders(table: "pd.DataFrame", named: str) -> Rows:
    names = ("male", "female", "difference")
    return [
        [
            row[named],
            *(_number(row, name, f"{name}_low", f"{name}_high") for name in names),
            _beside(row, *(f"published_{name}" for name in names)),
        ]
        for row in table.to_dict("records")
    ]


def _number(row: "Mapping[Any, Any]", name: str, *ends: str, places: int = 3, sign: bool = False) -> str:
    """A number with its interval; a group with too few contexts has neither."""
    if row[name] != row[name]:
        return "too few"
    value = fixed(row[name], places, sign=sign)
    low, high = (row[end] for end in ends) if ends else (float("nan"),) * 2
    return value if low != low else f"{value} [{fixed(low, places)}, {fixed(high, places)}]"


def _beside(row: "Mapping[Any, Any]", *names: str, places: int = 3) -> str:
    """What the paper prints in this place, or nothing."""
    return " / ".join(fixed(row[name], places) for name in names if row[name] == row[name])


Out = Annotated[
    Path, typer.Option("--out", "-o", help="The folder of the study; it goes on there after a kill.")
]


def vectors(
    corpus: Annotated[
        Path, typer.Argument(help="A txt, csv, tsv, jsonl or parquet file, or a folder of them.")
    ],
    out: Out,
    text: Text = None,
    group: Annotated[
        str | None, typer.Option("--group", help="The column to group by (file and folder also).")
    ] = None,
    year: Annotated[
        str | None, typer.Option("--year", help="The column with the year or date to group by.")
    ] = None,
    span: Annotated[int, typer.Option("--span", help="With --year: how many years make a group.")] = 10,
    document: Document = None,
    split: Split = None,
    data: Data = None,
    data_dir: DataDir = None,
    variant: Variant = None,
    measure: Measure = "cosine",
    seeds: Seeds = "0,1,2",
    resample: Annotated[
        bool, typer.Option("--resample", help="Draw the documents anew for each seed: the text's own noise.")
    ] = False,
    fewest_words: Annotated[
        int, typer.Option("--fewest-words", help="Words of text that a group needs to be trained.")
    ] = 100_000,
    width: Annotated[int, typer.Option("--width", help="Numbers in a vector.")] = 100,
    window: Annotated[int, typer.Option("--window", help="Words either side that are predicted.")] = 5,
    epochs: Annotated[int, typer.Option("--epochs", help="Passes over the text.")] = 10,
    min_count: Annotated[int, typer.Option("--min-count", help="How often a word must stand there.")] = 5,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Train word vectors on each group or decade of a corpus and measure WEAT over them: a table, a chart."""
    opened = open_corpus(corpus, ReadSettings(text, _grouping(group, year, span), split, document=document))
    chosen = Chosen(data=data, variant=variant, data_dir=data_dir, measure=measure)
    choice = VectorsChoice(
        by="year" if year else group,
        recipe=SkipGram(width, window, epochs, min_count),
        seeds=tuple(seed_numbers(seeds)),
        fewest=fewest_words,
        resample=resample,
        tests=chosen.settings([WEAT])[WEAT],
    )
    with ProgressBar() as bar:
        study = study_vectors(opened, choice, keeping=keeping_of(out, force), progress=bar)
    _show_vectors(study, out, as_json=as_json)


def _grouping(group: str | None, year: str | None, span: int) -> "Grouping":

    if group and year:
        raise UserError("Both --group and --year were given.", "Give the one to group by.")
    return Grouping((group,) if group else (), year=year, span=span)


def _show_vectors(study: "VectorsStudy", out: Path, *, as_json: bool) -> None:

    figures = save_study_figures(out)
    if as_json:
        tables = {"table": study.table, "groups": study.groups}
        files = [str(path) for path in figures]
        records = {name: to_records(table) for name, table in tables.items()}
        print_json({**records, "sentences": study.sentences, "figures": files})
        return
    shown = ["group", "words", "value", "low", "high", "seed_sd"]
    shown += ["difference", "difference_low", "difference_high"]
    for test, rows in study.table[study.table["note"] == ""].groupby("test", sort=False):
        print_table(f"{test}: effect size d by group", rows[shown])
    for sentence in study.sentences:
        say(sentence)
    say(f"Vectors, tables and figures are in {out}.")
