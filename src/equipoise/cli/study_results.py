"""Studies of saved results: `skew`, `competence` and `professions`, as their papers show them."""

from dataclasses import asdict
from math import isnan
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from equipoise.cli.arguments import (
    DataDir,
    Force,
    Json,
    MaybeOut,
    Text,
)
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.cli.writing import finish_study, refuse_taken, save_study_figures, write_latex, write_study
from equipoise.corpora.opening import CorpusChoice, read_corpus
from equipoise.errors import UserError, unknown_name
from equipoise.results import Result, load_results
from equipoise.results.records import fixed, to_records
from equipoise.stats.correlation import Correlation
from equipoise.studies.papers import competence as by_competence
from equipoise.studies.papers import professions as by_profession
from equipoise.studies.papers import skew as by_skew
from equipoise.studies.steps import Plan


def skew(
    folders: Annotated[list[Path], typer.Argument(help="Result folders, one model or more.")],
    kind: Annotated[str, typer.Option("--type", help="Which type of sentences: 1 or 2.")] = "2",
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Stereotype and Skew, table by table: F1 scores, skew, stereotype, ability on names, with the charts."""
    refuse_taken(out, force=force)
    if kind not in by_skew.TYPES:
        raise unknown_name("type of sentences", kind, by_skew.TYPES)
    results = [one for folder in folders for one in _skew_results(folder)]
    table = by_skew.skew_stereotype_table(results, kind)
    papers = {"table-2": by_skew.table_2(results, kind), "table-1": by_skew.table_1(results)}
    related = by_skew.skew_rank_correlation(table)
    figures: list[Path] = []
    if out is not None:
        tables = {**papers, "skew": table, "histogram": by_skew.histogram_table(results, kind)}
        figures = _write_skew(out, by_skew.skew_plan(table), _in_words(related), tables)
    if as_json:
        (shown,) = to_records(pd.DataFrame([{**asdict(related), **related.interval._asdict()}]))
        shown = {name: shown[name] for name in ("value", "low", "high", "p", "n")}
        files = [str(path) for path in figures]
        rows = {name.replace("-", "_"): to_records(paper) for name, paper in papers.items()}
        print_json({"table": to_records(table), **rows, "rank_correlation": shown, "figures": files})
        return
    told = f"type {kind} sentences; F1 x 100 with 95 % intervals; stereotype and skew: 0 is neutral"
    titles = {"table-2": f"Table 2: {told}", "table-1": "Table 1: F1 x 100 on Alice and Bob, 100 is best"}
    for name, paper in papers.items():
        print_rows(titles[name], list(map(str, paper.columns)), paper.to_numpy(dtype=object).tolist())
    say(_in_words(related))
    for path in figures:
        say(f"figure: {path}")


def _write_skew(out: Path, plan: "Plan", said: str, tables: "dict[str, pd.DataFrame]") -> list[Path]:
    """The tables of the study as CSV, those of the paper also as LaTeX, and the charts; the charts' paths."""
    write_study(out, plan, [said], {f"{name}.csv": table for name, table in tables.items()})
    for name in ("table-1", "table-2"):
        write_latex(out / f"{name}.tex", tables[name])
    return save_study_figures(out)


def _skew_results(folder: Path) -> "list[Result]":

    results = [one for one in load_results(folder) if one.instrument == by_skew.INSTRUMENT]
    if not results:
        raise UserError(
            f"{folder} holds no result of {by_skew.INSTRUMENT}.",
            f"Write one with `equipoise measure {by_skew.INSTRUMENT} --model M --out DIR`.",
        )
    return results


def _in_words(related: "Correlation") -> str:

    said = f"Rank correlation of mean |skew| and mean |stereotype| over {related.n} meaningful models:"
    if isnan(related.value):
        return f"{said} none below three models, or where one of the two does not vary."
    low, high = related.interval
    if isnan(low):
        return f"{said} {fixed(related.value, 2)}, too few models for an interval."
    return f"{said} {fixed(related.value, 2)} [{fixed(low, 2)}, {fixed(high, 2)}]."


def competence(
    folders: Annotated[list[Path], typer.Argument(help="Result folders of traits: one model, or more.")],
    out: MaybeOut = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Show the share of female pronouns in incompetent, neutral and competent sentences, model by model."""
    refuse_taken(out, force=force)
    kept = by_competence.INSTRUMENT
    results = [one for path in folders for one in load_results(path) if one.instrument == kept]
    if not results:
        raise UserError(
            f"{folders[0]} holds no result of {by_competence.INSTRUMENT}.",
            f"Write one with `equipoise measure {by_competence.INSTRUMENT} --data LABELS.csv --out DIR`.",
        )
    table, paper = by_competence.competence_table(results), by_competence.table_3(results)
    sentences = by_competence.competence_sentences(results)
    if out is not None:
        tables = {"table-3.csv": paper, "competence.csv": table}
        write_study(out, by_competence.competence_plan(results), sentences, tables)
        write_latex(out / "table-3.tex", paper)
    if as_json:
        print_json({"table": to_records(table), "table_3": to_records(paper), "sentences": sentences})
        return
    title = "Table 3: share of sentences in which the female pronoun is likelier, with 95 % intervals"
    print_rows(title, list(map(str, paper.columns)), paper.to_numpy(dtype=object).tolist())
    for sentence in sentences:
        say(sentence)
    if out is not None:
        say(f"Tables are in {out}.")


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
    refuse_taken(out, force=force)
    read = None if corpus is None else read_corpus(corpus, CorpusChoice(text), data_dir)
    sides = _templates_of(before), _templates_of(after)
    study = by_profession.professions_study(*sides, read)
    if out is not None:
        tables = {"professions.csv": study.table, "lines.csv": study.lines}
        write_study(out, by_profession.professions_plan(*sides), study.sentences, tables)
    finish_study(out, study.table, study.sentences, as_json=as_json)


def _templates_of(folder: Path) -> "Result":

    results = [one for one in load_results(folder) if one.instrument == by_profession.INSTRUMENT]
    if len(results) != 1:
        raise UserError(
            f"{folder} holds {len(results)} results of {by_profession.INSTRUMENT} where one is expected.",
            f"Write one with `equipoise measure {by_profession.INSTRUMENT} --model M --out DIR`.",
        )
    return results[0]
