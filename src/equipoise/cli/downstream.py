"""`study downstream`: a classifier on each of two models, and whether the gap is gone."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import Force, Json, Label, MaybeOut, open_model, runs_models
from equipoise.models.options import RunOptions


@runs_models
def downstream(
    before: Annotated[str, typer.Argument(help="A model folder or hub name.")],
    after: Annotated[str, typer.Argument(help="The same model after a mitigation.")],
    *,
    options: RunOptions,
    task: Annotated[Path, typer.Option("--task", help="A CSV with text, label and perhaps gender.")],
    label: Label = "",
    seeds: Annotated[int, typer.Option(help="How many classifiers are tuned on each model.")] = 3,
    epochs: Annotated[int, typer.Option(help="Passes over the task's texts.")] = 3,
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Fine-tune a classifier on two models and compare their gaps: does the mitigation last?"""
    from equipoise.cli.printing import print_json, print_table, say
    from equipoise.results.records import to_records
    from equipoise.studies.downstream import DownstreamChoice, study_downstream

    choice = DownstreamChoice(label=label, seeds=seeds, epochs=epochs, force=force)
    first, second = (open_model(name, options) for name in (before, after))
    told = (lambda _: None) if as_json else say
    study = study_downstream(first, second, task, choice=choice, folder=out, say=told)
    if as_json:
        content = {"table": study.table, "comparison": study.comparison.table}
        print_json({name: to_records(table) for name, table in content.items()} | {"choice": asdict(choice)})
        return
    print_table("Classifiers", study.table)
    for sentence in study.sentences():
        say(sentence)
