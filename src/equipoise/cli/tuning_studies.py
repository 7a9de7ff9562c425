"""Studies that tune models: `corpus-bias`, `learning-curve`, `reminders`; and `professions`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.option_groups import TextTuning, Tuning, takes_groups
from equipoise.cli.options import (
    Data,
    DataDir,
    Force,
    Json,
    MaybeOut,
    Text,
    by_instrument,
    open_model,
    runs_models,
    seed_numbers,
    whole_numbers,
)
from equipoise.errors import UserError
from equipoise.models.options import RunOptions

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.corpora.opening import CorpusTexts
    from equipoise.instruments.base import Settings
    from equipoise.mitigations.counterfactual import Counterfactual
    from equipoise.results import Result
    from equipoise.studies.steps import Keeping

MAYBE = ("seed_sd", "beyond_tuning", "share_women", "mean_abs_log_odds")
ARMS = ("arm", "mean", "low", "high", "change", *MAYBE)
"""What is shown of every arm; the last of them only where any is known."""

CorpusName = Annotated[
    str, typer.Option("--corpus", help="The text to tune on: a file, a folder, gap, gap-train or mt-gender.")
]
Pairs = Annotated[
    int, typer.Option("--pairs", min=0, help="Pairs asked of each category, drawn once; 0: all.")
]
Seeds = Annotated[str, typer.Option("--seeds", help="Seeds of the trainings, as in 0,1,2.")]


@runs_models
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
    from equipoise.studies.arms import Trial
    from equipoise.studies.learning_curve import FULL_REPEATS, FULL_SIZES
    from equipoise.studies.learning_curve import learning_curve as study_curve

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


@runs_models
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
    from equipoise.instruments.base import Settings
    from equipoise.studies.arms import Trial
    from equipoise.studies.reminding import FIFTY, Reminding, reminders_study

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


@runs_models
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
    from equipoise.studies.arms import Trial
    from equipoise.studies.corpus_bias import corpus_bias as study_corpora

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


def professions(
    before: Annotated[Path, typer.Argument(help="A result folder of tbe, before.")],
    after: Annotated[Path, typer.Argument(help="A result folder of tbe, after.")],
    corpus: Annotated[
        str | None, typer.Option("--corpus", help="What was tuned on: marks professions that it names.")
    ] = None,
    text: Text = None,
    data_dir: DataDir = None,
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """APPD of every profession before and after: bars, what was read about in training, the fitted line."""
    from equipoise.cli.writing import refuse_taken, write_study
    from equipoise.corpora.opening import CorpusChoice, read_corpus
    from equipoise.studies.professions import professions_plan, professions_study

    refuse_taken(out, force=force)
    read = None if corpus is None else read_corpus(corpus, CorpusChoice(text), data_dir)
    sides = _templates_of(before), _templates_of(after)
    study = professions_study(*sides, read)
    if out is not None:
        tables = {"professions.csv": study.table, "lines.csv": study.lines}
        write_study(out, professions_plan(*sides), study.sentences, tables)
    finish_study(out, study.table, study.sentences, as_json=as_json)


def _templates_of(folder: Path) -> "Result":
    from equipoise.results import load_results
    from equipoise.studies.professions import INSTRUMENT

    results = [one for one in load_results(folder) if one.instrument == INSTRUMENT]
    if len(results) != 1:
        raise UserError(
            f"{folder} holds {len(results)} results of {INSTRUMENT} where one is expected.",
            f"Write one with `equipoise measure {INSTRUMENT} --model M --out DIR`.",
        )
    return results[0]


def method_of(tuning: TextTuning, defaults: Sequence[str] = ()) -> "Counterfactual":
    from equipoise.mitigations.base import set_options
    from equipoise.mitigations.counterfactual import Counterfactual

    method: Counterfactual = set_options(Counterfactual, [*defaults, *(tuning.choices or ())], tuning.preset)
    return method


def corpus_of(name: str, tuning: Tuning) -> "CorpusTexts":
    from equipoise.corpora.opening import CorpusChoice, read_corpus

    return read_corpus(name, CorpusChoice(tuning.text), tuning.data_dir)


def _pairs(data: Sequence[str] | None, count: int, tuning: Tuning) -> "Settings":
    """What the sentence-based evaluation asks: the pairs of a file, or so many of each category."""
    from equipoise.data.sets.pairs import sampled_pairs
    from equipoise.instruments import load_instrument
    from equipoise.instruments.base import Settings

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


def keeping_of(out: Path, force: bool) -> "Keeping":
    """A folder for the study, which tells its steps on stderr."""
    from equipoise.studies.steps import Keeping

    return Keeping(out, lambda sentence: print(sentence, file=sys.stderr, flush=True), force)  # noqa: T201


def show_arms(table: "pd.DataFrame") -> None:
    """A table for each number, over every item or by type of sentences: the others are in the files."""
    from equipoise.cli.printing import print_table

    shown = table[table["by"].isin(("", "type"))]
    keys = ["instrument", "key", "label", "unit", "by", "level"]
    for (_, _, label, unit, by, level), rows in shown.groupby(keys, sort=False):
        where = f", {by} {level}" if by else ""
        seeds = f", {rows['seeds'].max()} seeds" if rows["seeds"].max() > 1 else ""
        columns = [name for name in ARMS if name in rows and not (name in MAYBE and rows[name].isna().all())]
        print_table(f"{label}{where} ({unit}{seeds})", rows[columns])


def _by_category(table: "pd.DataFrame") -> "pd.DataFrame":
    """Professions by category, which fit on a screen; each by itself is in the files."""
    sizes = table.assign(before=table["before"].abs(), after=table["after"].abs())
    rows = sizes.groupby("category", sort=False)
    means = rows[["before", "after"]].mean().assign(professions=rows.size())
    if "seen" in table:
        means["in_the_text"] = rows["seen"].sum()
    return means.reset_index()


def finish_study(out: Path | None, table: "pd.DataFrame", sentences: Sequence[str], *, as_json: bool) -> None:
    """Draw the study in its folder as its page does, and show its tables and sentences."""
    from equipoise.cli.printing import print_json, print_study_tables, print_table, say
    from equipoise.cli.writing import draw_study
    from equipoise.report.sections import load_study
    from equipoise.results.records import to_records

    files = [] if out is None else draw_study(out)
    if as_json:
        drawn = {"figures": [str(path) for path in files]}
        print_json({"table": to_records(table), "sentences": list(sentences), **drawn})
        return
    if out is not None:
        print_study_tables(load_study(out))
    if "arm" in table:
        show_arms(table)
    else:
        print_table("Mean |APPD| by category", _by_category(table))
    for sentence in sentences:
        say(sentence)
    if out is not None:
        say(f"Tables and figures are in {out}.")
