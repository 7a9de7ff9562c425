"""Studies that train: `learning-curve`, `reminders`, `corpus-bias`, `corpus-classifiers`, `resolution`.

Their studies import torch, so each is imported when it runs: help stays quick.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.arguments import (
    Data,
    Force,
    Json,
    Model,
    Seeds,
    TextTuning,
    Tuning,
    by_instrument,
    open_model,
    seed_numbers,
    takes_groups,
    whole_numbers,
)
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.cli.writing import finish_study, keeping_of, write_latex
from equipoise.corpora.opening import CorpusChoice, CorpusTexts, read_corpus
from equipoise.data.sets.pairs import sampled_pairs
from equipoise.errors import UserError
from equipoise.instruments import load_instrument
from equipoise.instruments.base import Settings
from equipoise.mitigations import mitigation_class
from equipoise.mitigations.base import set_options
from equipoise.models.options import RunOptions
from equipoise.results.records import to_records

CorpusName = Annotated[
    str, typer.Option("--corpus", help="The text to tune on: a file, a folder, gap, gap-train or mt-gender.")
]
Pairs = Annotated[
    int, typer.Option("--pairs", min=0, help="Pairs asked of each category, drawn once; 0: all.")
]


@takes_groups
def learning_curve(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: TextTuning,
    sizes: Annotated[str, typer.Option(help="Numbers of sentences.")] = "250,500,1000",
    repeats: Annotated[int, typer.Option(help="Samples of each size.")] = 3,
    full: Annotated[
        bool, typer.Option("--full", help="The grid of the thesis: 8 sizes, 5 samples each.")
    ] = False,
    data: Data = None,
    pairs: Pairs = 0,
) -> None:
    """How much rewritten text a mitigation needs: tuned on samples of growing size, measured by sbe."""
    from equipoise.studies.training.arms import Trial
    from equipoise.studies.training.learning_curve import FULL_REPEATS, FULL_SIZES
    from equipoise.studies.training.learning_curve import learning_curve as study_curve

    counts, times = (FULL_SIZES, FULL_REPEATS) if full else (whole_numbers(sizes, "--sizes"), repeats)
    trial, read = Trial(method_of(tuning), settings=_pairs(data, pairs, tuning)), corpus_of(corpus, tuning)
    study = study_curve(
        open_model(tuning.model, options),
        read,
        counts,
        repeats=times,
        trial=trial,
        keeping=keeping_of(tuning.out, tuning.force),
    )
    finish_study(tuning.out, study.table, study.sentences, as_json=tuning.as_json)


@takes_groups
def reminders(
    *,
    options: RunOptions,
    corpus: CorpusName,
    tuning: TextTuning,
    data: Data = None,
    seeds: Seeds = "0,1,2",
    sentences: Annotated[
        str,
        typer.Option("--sentences", help="Reminding sentences of yours: a CSV with category and sentence."),
    ] = "",
    words: Annotated[
        str, typer.Option("--words", help="Which categories of them, as in pregnancy,breastfeeding.")
    ] = "",
    copies: Annotated[str, typer.Option("--copies", help="How often they are added.")] = "1,2,3",
    together: Annotated[
        bool, typer.Option("--together", help="Add all words at once, not each in a training of its own.")
    ] = False,
) -> None:
    """Whether reminding sentences keep what is gendered by definition: none to three times, by tbe."""
    from equipoise.studies.training.arms import Trial
    from equipoise.studies.training.reminding import FIFTY, Reminding, reminders_study

    chosen = Settings(data=by_instrument(data, ("tbe",), "--data").get("tbe", ""), data_dir=tuning.data_dir)
    trial = Trial(method_of(tuning), seed_numbers(seeds), chosen)
    study = reminders_study(
        open_model(tuning.model, options),
        corpus_of(corpus, tuning),
        reminding=Reminding(sentences or FIFTY, words, whole_numbers(copies, "--copies"), together),
        trial=trial,
        keeping=keeping_of(tuning.out, tuning.force),
    )
    finish_study(tuning.out, study.table, study.sentences, as_json=tuning.as_json)


@takes_groups
def corpus_bias(
    corpora: Annotated[list[str], typer.Argument(help="Corpora, as in NAME=FILE or a file, a folder.")],
    *,
    options: RunOptions,
    tuning: TextTuning,
    flattening: Annotated[
        str, typer.Option("--flatten-on", help="The corpus that is rewritten to flatten the model first.")
    ] = "gap",
    seeds: Seeds = "0,1,2",
    data: Data = None,
    pairs: Pairs = 0,
) -> None:
    """What corpora would teach a model: flattened first, tuned on each, measured by sbe; no labels needed."""
    from equipoise.studies.training.arms import Trial
    from equipoise.studies.training.corpus_bias import corpus_bias as study_corpora

    named = named_corpora(corpora)
    read = {name: corpus_of(path, tuning) for name, path in named.items()}
    study = study_corpora(
        open_model(tuning.model, options),
        read,
        corpus_of(flattening, tuning if Path(flattening).exists() else replace(tuning, text=None)),
        trial=Trial(method_of(tuning, ["sentences=500"]), seed_numbers(seeds), _pairs(data, pairs, tuning)),
        keeping=keeping_of(tuning.out, tuning.force),
    )
    finish_study(tuning.out, study.table, study.sentences, as_json=tuning.as_json)


def method_of(tuning: TextTuning, defaults: Sequence[str] = ()) -> Any:
    """Counterfactual fine-tuning with the options that were given."""
    chosen = [*defaults, *(tuning.choices or ())]
    return set_options(mitigation_class("counterfactual"), chosen, tuning.preset)


def corpus_of(name: str, tuning: Tuning) -> "CorpusTexts":

    return read_corpus(name, CorpusChoice(tuning.text), tuning.data_dir)


def _pairs(data: Sequence[str] | None, count: int, tuning: Tuning) -> "Settings":
    """What the sentence-based evaluation asks: the pairs of a file, or so many of each category."""
    given = Settings(data=by_instrument(data, ("sbe",), "--data").get("sbe", ""), data_dir=tuning.data_dir)
    source = given.source(load_instrument("sbe"))
    return replace(given, data=sampled_pairs(source, count)) if count else given


def named_corpora(given: Sequence[str]) -> dict[str, str]:
    """The files by the names that were given for them, else by their own."""
    pairs = [
        (one.partition("=")[0], one.partition("=")[2]) if "=" in one else (Path(one).stem, one)
        for one in given
    ]
    if len(dict(pairs)) < len(pairs):
        raise UserError("Two corpora have the same name.", "Name them as in NAME=FILE.")
    return dict(pairs)


@takes_groups
def corpus_classifiers(
    corpora: Annotated[
        list[str], typer.Argument(help="Labelled corpora, as in NAME=FILE: a CSV with text and label.")
    ],
    *,
    options: RunOptions,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the study.")],
    model: Model = None,
    seeds: Seeds = "0,1,2",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the texts.")] = 3,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Tune a classifier on each labelled corpus and measure the direct bias of its word vectors."""
    from equipoise.studies.training.corpus_classifiers import corpus_classifiers as study_classifiers

    named = named_corpora(corpora)
    study = study_classifiers(
        open_model(model, options),
        dict(named),
        seeds=seed_numbers(seeds),
        epochs=epochs,
        keeping=keeping_of(out, force),
    )
    finish_study(out, study.table, study.sentences, as_json=as_json)


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
    from equipoise.studies.training.resolving import SKEW, AskedOfArms, resolution_study

    asked = AskedOfArms(by_instrument(data, (SKEW,), "--data").get(SKEW, ""), pronouns, tuning.data_dir)
    study = resolution_study(
        open_model(tuning.model, options),
        corpus_of(corpus, tuning),
        method=set_options(mitigation_class("pronoun-resolution"), tuning.choices or ()),
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
