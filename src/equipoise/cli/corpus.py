"""`corpus` and `lint`: what a corpus says about gender, and what is wrong with a file of sentence pairs."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import pandas as pd
import typer

from equipoise.cli.arguments import (
    Cluster,
    Json,
    MaybeOut,
    Models,
    Reading,
    Seed,
    Text,
    cluster_of,
    open_model,
    refuse_existing,
    takes_groups,
)
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.cli.progress_bar import ProgressBar
from equipoise.cli.writing import refuse_unwritable, write_text
from equipoise.corpora.documents import Problems
from equipoise.corpora.mining import mine_pairs
from equipoise.corpora.reading import Corpus, open_corpus
from equipoise.corpora.survey import Survey, SurveySettings, survey_corpus
from equipoise.corpora.vocabulary import load_targets
from equipoise.data.lint import Finding
from equipoise.data.reading import read_table
from equipoise.data.sets.epicene import are_frames, frame_findings
from equipoise.data.sets.pairs import length_findings, pair_findings, read_pairs, spelling_findings
from equipoise.errors import UserError
from equipoise.models.options import READING, Progress, RunOptions
from equipoise.models.protocol import Tokenized
from equipoise.report.corpus_findings import say_corpus
from equipoise.report.figures.survey import survey_figures, survey_files
from equipoise.report.files import refuse_existing as refuse_charts
from equipoise.report.files import save_figures
from equipoise.results.records import fixed, to_records

ODDS = ("log_odds", "log_odds_low", "log_odds_high")
FINDING_COLUMNS = ("line", "id", "code", "finding")
GROUPS_SHOWN = 12
PROBLEMS_SHOWN = 3
RULES = ("generic-pronoun", "occupation", "generalisation", "benevolent", "hostile")
"""The rules that mark a sentence."""


@takes_groups
def corpus(
    file: Annotated[
        Path, typer.Argument(help="A txt, csv, tsv, jsonl or parquet file, or a folder of them.")
    ],
    *,
    reading: Reading,
    cluster: Cluster,
    out: MaybeOut = None,
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", help="A CSV to write counterfactual sentence pairs to, for `measure sbe`."),
    ] = None,
    sample: Annotated[int, typer.Option("--sample", help="With --pairs: how many to draw; 0 for all.")] = 500,
    seed: Seed = 0,
    text: Text = None,
    year: Annotated[str | None, typer.Option("--year", help="The column with the year or date.")] = None,
    window: Annotated[
        int, typer.Option("--window", help="Words on either side of a mention; 0 for its sentence.")
    ] = 10,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="With --out: a folder for charts (HTML, SVG and PNG).")
    ] = None,
    flag: Annotated[
        bool, typer.Option("--flag", help="Also list sentences that a person should read.")
    ] = False,
    processes: Annotated[
        int, typer.Option(min=0, help="Processes that share the work; 0 uses every core for a large corpus.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace another command's output.")] = False,
    as_json: Json = False,
) -> None:
    """Show who a corpus mentions, and near which words, with intervals."""
    choice, targets = replace(reading, text=text), load_targets(reading.targets)
    address = cluster_of(cluster)
    settings = choice.read_settings(year=year, holding=targets if reading.with_targets else None)
    _refuse_places(out, pairs, figures, force=force)
    opened = open_corpus(file, settings)
    survey = None
    if out is not None or pairs is None:
        # Without --out the tables are shown only.
        with TemporaryDirectory() as forgotten:
            place = Path(forgotten) / "corpus" if out is None else out
            survey = _run(
                opened, place, SurveySettings(targets, window, flag, processes, address), force=force
            )
    if pairs is not None:  # last, for a file that exists is refused: a stopped survey must go on
        mine(opened, pairs, sample=sample, seed=seed, by_flag=flag)
    if survey is None:
        return
    if figures is not None:
        save_figures(survey_figures(survey), figures, force=True)  # made from the tables, each time anew
    if as_json:
        _print_json(survey, out)
    else:
        _print(survey, out, flag=flag)


def _refuse_places(out: Path | None, pairs: Path | None, figures: Path | None, *, force: bool) -> None:
    """Refuse what would be written over before anything is read."""
    if pairs is not None:
        refuse_existing(pairs, force, "--pairs")
    if figures is None:
        return
    if out is None:
        raise UserError("--figures needs the tables.", "Name a folder for them with --out.")

    refuse_unwritable(figures, "--figures")
    refuse_charts(survey_files(figures), "--figures", force=force)


def _run(opened: "Corpus", out: Path, settings: "SurveySettings", *, force: bool) -> "Survey":

    with ProgressBar() as bar:

        def advance(done: int, total: int) -> None:
            bar(Progress(READING, done, total))

        return survey_corpus(opened, out, settings=settings, force=force, advance=advance)


def _print_json(survey: Survey, out: Path | None) -> None:

    categories = survey.cooccurrence[survey.cooccurrence["word"] == ""]
    said = say_corpus(survey.mentions, survey.cooccurrence)
    print_json(
        {
            "documents": survey.documents,
            "words": survey.words,
            "mentions": to_records(survey.mentions),
            "categories": to_records(categories.drop(columns="word")),
            "drivers": to_records(survey.drivers),
            "problems": dict(survey.problems.counts),
            "flagged": dict(survey.flags),
            "notices": list(survey.notices),
            "sentences": [said.headline, *said.sentences],
            "folder": None if out is None else str(out),
        }
    )


def _print(survey: Survey, out: Path | None, *, flag: bool) -> None:
    said = say_corpus(survey.mentions, survey.cooccurrence)
    for sentence in (said.headline, *said.sentences):
        say(sentence)
    say(f"{survey.documents:,} documents, {survey.words:,} words")
    _print_mentions(survey)
    table = survey.cooccurrence
    overall = table[(table["by"] == "all") & (table["word"] == "")]
    rows = [
        (*(row[name] for name in ("category", "female", "male")), _estimate(row, *ODDS))
        for row in overall.to_dict("records")
    ]
    title = "Near words of a category (above 0: men)"
    print_rows(title, ("category", "women", "men", "log-odds"), rows)
    if flag:
        counts = ", ".join(f"{kind} {survey.flags.get(kind, 0):,}" for kind in RULES)
        say(f"Marked sentences to read: {sum(survey.flags.values()):,} ({counts})")
    for notice in survey.notices:
        say(f"Note: {notice}")
    for reason, count in survey.problems.unread.most_common(PROBLEMS_SHOWN):
        say(f"Note: {count:,} row{'' if count == 1 else 's'} skipped ({reason}).")
    unshown = len(survey.problems.unread) - PROBLEMS_SHOWN
    if unshown > 0:
        say(f"Note: {unshown} more reasons for skipped rows are in problem-counts.csv.")
    if out is None:
        say("Every word, role and group: give a folder with --out.")
    else:
        say(f"Every word, role and group, and the documents that drive the lean: {out}")


def _print_mentions(survey: Survey) -> None:
    mentions = survey.mentions
    roles = mentions[mentions["by"] == "all"].assign(level="")
    groups = mentions[(mentions["by"] != "all") & (mentions["role"] == "all")]
    shown = groups.head(GROUPS_SHOWN)
    rows = [
        (
            f"{row['by']}: {row['level']}" if row["level"] else row["role"],
            row["women"],
            row["men"],
            _estimate(row, "share_women", "low", "high"),
        )
        for row in [*roles.to_dict("records"), *shown.to_dict("records")]
    ]
    print_rows("Mentions", ("of", "women", "men", "share of women"), rows)
    if len(groups) > len(shown):
        say(f"{len(groups) - len(shown)} more groups: mentions.csv")


def _estimate(row: Mapping[Any, Any], value: str, low: str, high: str) -> str:
    if row["note"]:
        return str(row["note"])
    return f"{fixed(row[value], 3)} ({fixed(row[low], 3)} to {fixed(row[high], 3)})"


def mine(opened: "Corpus", path: Path, *, sample: int, seed: int, by_flag: bool) -> None:
    """Draw pairs and write them; what was left out, and from how many they were drawn, is said on stderr."""
    problems = Problems()
    mined = mine_pairs(opened.documents(problems), sample=sample, seed=seed, by_flag=by_flag)
    if mined.table.empty:
        raise UserError(
            f"{opened.root} has no sentence whose gender can be turned.", "Give more text, or English text."
        )
    write_text(path, mined.table.to_csv(index=False, lineterminator="\n"), "--pairs")
    said = [f"{len(mined.table):,} of {mined.available:,} pairs, drawn with seed {seed}: {path}"]
    said += [f"  left out, {reason}: {count:,}" for reason, count in mined.left_out.most_common()]
    said += [f"  skipped, {reason}: {count:,}" for reason, count in problems.unread.most_common(3)]
    said += [f"  note: {notice}" for notice in problems.notices]
    sys.stderr.write(
        "\n".join([*said, f"  next: equipoise measure sbe --data {path} --top 10 --out FOLDER\n"])
    )


@takes_groups
def lint(
    file: Annotated[
        Path, typer.Argument(help="A CSV with category, stereotype and counterpart, or of German frames.")
    ],
    *,
    options: RunOptions,
    model: Models = None,
    as_json: Json = False,
) -> None:
    """Check a file of sentence pairs; with --model also tokens and spelling. Exit 1 if there are findings."""
    table, what = read_table(file), "pairs"
    if are_frames(table):
        findings, what = frame_findings(table, file), "frames"
        if model:
            raise UserError(
                "--model has no use here: German frames are checked without a model.", "Leave it out."
            )
    else:
        table = read_pairs(file)
        findings = pair_findings(table)
    for name in model or ():
        findings += _counted(table, name, options)
    rows = [tuple(finding) for finding in sorted(findings)]
    if as_json:
        records = [dict(zip(FINDING_COLUMNS, row, strict=True)) for row in rows]
        print_json({"file": str(file), what: len(table), "findings": records})
    elif rows:
        print_rows(f"{len(rows)} findings in {len(table)} {what} of {file}", FINDING_COLUMNS, rows)
    else:
        typer.echo(f"No findings in {len(table)} {what} of {file}.")
    if rows:
        raise typer.Exit(1)


def _counted(table: "pd.DataFrame", name: str, options: RunOptions) -> "list[Finding]":

    model = open_model(name, options)
    if not isinstance(model, Tokenized):
        raise UserError(
            f"{name!r} has no tokenizer, so it has no token counts.",
            "Give a masked, causal or encoder-decoder language model.",
        )
    findings = length_findings(table, lambda text: len(model.tokens.encode(text).content))
    findings += spelling_findings(table, model.unknown_parts)
    return [finding._replace(message=f"{finding.message} in {name}") for finding in findings]
