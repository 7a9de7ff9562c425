"""`study resolution`: a model tuned on hidden pronouns, with and without a flipped copy."""

from dataclasses import replace
from typing import Annotated

import typer

from equipoise.cli.option_groups import Tuning, takes_groups
from equipoise.cli.options import Data, by_instrument, open_model, runs_models, seed_numbers
from equipoise.cli.tuning_studies import CorpusName, Seeds, corpus_of, keeping_of
from equipoise.models.options import RunOptions


@runs_models
@takes_groups
def resolution(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: Tuning,
    data: Data = None,
    seeds: Seeds = "0,1,2",
    pronouns: Annotated[int, typer.Option(help="Held-out pronouns that are asked; 0: all.")] = 500,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the models that are trained, in OUT/models.")
    ] = False,
) -> None:
    """Tune on hidden pronouns, with and without a flipped copy: accuracy, ability, F1 scores, skew."""
    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.cli.writing import write_latex
    from equipoise.mitigations.base import set_options
    from equipoise.mitigations.resolution import PronounResolution
    from equipoise.results.records import to_records
    from equipoise.studies.resolving import SKEW, AskedOfArms, resolution_study

    asked = AskedOfArms(by_instrument(data, (SKEW,), "--data").get(SKEW, ""), pronouns, tuning.data_dir)
    study = resolution_study(
        open_model(tuning.model, options),
        corpus_of(corpus, tuning),
        method=set_options(PronounResolution, tuning.choices or ()),
        seeds=seed_numbers(seeds),
        asked=asked,
        keeping=replace(keeping_of(tuning.out, tuning.force), models=keep),
    )
    for name, paper in study.papers.items():
        write_latex(tuning.out / f"{name}.tex", paper)
    if tuning.as_json:
        papers = {name.replace("-", "_"): to_records(paper) for name, paper in study.papers.items()}
        print_json({"table": to_records(study.table), **papers, "sentences": study.sentences})
        return
    titles = {
        "table-2": "Table 2: type 2 sentences, F1 x 100 with 95 % intervals",
        "table-1": "Table 1: F1 x 100 on Alice and Bob, and pronouns of held-out texts",
    }
    for name, paper in study.papers.items():
        print_rows(titles[name], list(map(str, paper.columns)), paper.to_numpy(dtype=object).tolist())
    for sentence in study.sentences:
        say(sentence)
    say(f"Tables are in {tuning.out}.")
