"""`study domain`: your own text, tuned on in three ways and measured on the part that is held out."""

from dataclasses import replace
from typing import Annotated

import typer

from equipoise.cli.option_groups import Reading, TextTuning, takes_groups
from equipoise.cli.options import Length, NoNames, open_model, runs_models, seed_numbers
from equipoise.cli.tuning_studies import CorpusName, Seeds, finish, keeping_of, method_of
from equipoise.models.options import RunOptions


@runs_models
@takes_groups
def domain(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: TextTuning,
    reading: Reading,
    contexts: Annotated[int, typer.Option(help="Held-out contexts that are asked; 0: all.")] = 500,
    length: Length = 100,
    no_names: NoNames = False,
    seeds: Seeds = "0,1,2",
) -> None:
    """A domain's own text: plain tuning, dropout and rewriting, measured on held-out contexts and cosines."""
    from equipoise.corpora.named import read_corpus
    from equipoise.report.figures.arms import arm_figures
    from equipoise.report.files import save_figures
    from equipoise.studies.domain import domain as study_domain

    asked = reading.choice(tuning.text, sample=contexts, length=length, names=not no_names)
    read = read_corpus(corpus, replace(asked, with_targets=False), tuning.data_dir)
    study = study_domain(
        open_model(tuning.model, options),
        read,
        method=method_of(tuning),
        seeds=seed_numbers(seeds),
        asked=asked,
        keeping=keeping_of(tuning.out, tuning.force),
    )
    saved = save_figures(arm_figures("domain", study.table), tuning.out, force=True)
    overall = study.table[study.table["by"] == ""]
    finish(tuning.out, overall, study.sentences, {}, as_json=tuning.as_json, saved=saved)
