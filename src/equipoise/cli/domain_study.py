"""`study domain`: your own text, tuned on in three ways and measured on the part that is held out."""

from typing import Annotated

import typer

from equipoise.cli.option_groups import TextTuning, takes_groups
from equipoise.cli.options import Document, Group, Split, open_model, runs_models, seed_numbers
from equipoise.cli.tuning_studies import CorpusName, Seeds, corpus_of, finish, keeping_of, method_of
from equipoise.models.options import RunOptions


@runs_models
@takes_groups
def domain(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: TextTuning,
    group: Group = None,
    document: Document = None,
    split: Split = None,
    contexts: Annotated[int, typer.Option(help="Held-out contexts that are asked; 0: all.")] = 500,
    seeds: Seeds = "0,1,2",
) -> None:
    """A domain's own text: plain tuning, dropout and rewriting, measured on held-out contexts and cosines."""
    from equipoise.report.figures.arms import arm_figures
    from equipoise.report.files import save_figures
    from equipoise.studies.domain import domain as study_domain

    read = corpus_of(corpus, tuning, groups=tuple(group or ()), document=document, split=split)
    study = study_domain(
        open_model(tuning.model, options),
        read,
        method=method_of(tuning),
        seeds=seed_numbers(seeds),
        contexts=contexts,
        keeping=keeping_of(tuning.out, tuning.force),
    )
    saved = save_figures(arm_figures("domain", study.table), tuning.out, force=True)
    overall = study.table[study.table["by"] == ""]
    finish(tuning.out, overall, study.sentences, {}, as_json=tuning.as_json, saved=saved)
