"""`study vectors`: word vectors trained on the groups or decades of a corpus, and WEAT on all of them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import Data, DataDir, Document, Force, Json, Measure, Split, Text, Variant
from equipoise.errors import UserError

if TYPE_CHECKING:
    from equipoise.corpora.documents import Grouping
    from equipoise.studies.vectors import VectorsStudy

Out = Annotated[
    Path, typer.Option("--out", "-o", help="The folder of the study; it goes on there after a kill.")
]


def vectors(
    corpus: Annotated[
        Path, typer.Argument(help="A txt, csv, tsv, jsonl or parquet file, or a folder of such.")
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
    seeds: Annotated[str, typer.Option("--seeds", help="Seeds of the trainings, as in 0,1,2.")] = "0,1,2",
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
    from equipoise.cli.options import seed_numbers, settings_by_instrument
    from equipoise.cli.progress_bar import ProgressBar
    from equipoise.cli.tuning_studies import keeping_of
    from equipoise.corpora.reading import ReadSettings, open_corpus
    from equipoise.instruments.parts.vector_choice import VectorChoice
    from equipoise.models.static.training import SkipGram
    from equipoise.studies.vectors import WEAT, VectorsChoice, study_vectors

    opened = open_corpus(corpus, ReadSettings(text, _grouping(group, year, span), split, document=document))
    given = {"data": data, "variant": variant}
    tests = settings_by_instrument([WEAT], given, data_dir=data_dir, vectors=VectorChoice(measure=measure))
    choice = VectorsChoice(
        by="year" if year else group,
        recipe=SkipGram(width, window, epochs, min_count),
        seeds=tuple(seed_numbers(seeds)),
        fewest=fewest_words,
        resample=resample,
        tests=tests[WEAT],
    )
    with ProgressBar() as bar:
        study = study_vectors(opened, choice, keeping=keeping_of(out, force), progress=bar)
    _show(study, out, as_json=as_json)


def _grouping(group: str | None, year: str | None, span: int) -> "Grouping":
    from equipoise.corpora.documents import Grouping

    if group and year:
        raise UserError("Both --group and --year were given.", "Give the one to group by.")
    return Grouping((group,) if group else (), year=year, span=span)


def _show(study: "VectorsStudy", out: Path, *, as_json: bool) -> None:
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.cli.writing import save_study_figures
    from equipoise.results.records import to_records

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
