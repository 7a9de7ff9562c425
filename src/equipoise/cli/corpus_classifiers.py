"""`study corpus-classifiers`: a classifier for each labelled corpus, and the direct bias of its vectors."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import Force, Json, Model, open_model, runs_models, seed_numbers
from equipoise.models.options import RunOptions


@runs_models
def corpus_classifiers(
    corpora: Annotated[
        list[str], typer.Argument(help="Labelled corpora, as in NAME=FILE: a CSV with text and label.")
    ],
    *,
    options: RunOptions,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the study.")],
    model: Model = None,
    seeds: Annotated[str, typer.Option("--seeds", help="Seeds of the trainings, as in 0,1,2.")] = "0,1,2",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the texts.")] = 3,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Tune a classifier on each labelled corpus and measure the direct bias of its word vectors."""
    from equipoise.cli.tuning_studies import finish_study, keeping_of, named_corpora
    from equipoise.studies.corpus_classifiers import corpus_classifiers as study_classifiers

    named = named_corpora(corpora)
    study = study_classifiers(
        open_model(model, options),
        dict(named),
        seeds=seed_numbers(seeds),
        epochs=epochs,
        keeping=keeping_of(out, force),
    )
    finish_study(out, study.table, study.sentences, as_json=as_json)
