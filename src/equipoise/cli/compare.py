"""`compare` and `check`: saved results side by side, and judged by rules."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from equipoise.cli.arguments import OUTPUT, Force, Json, option, refuse_existing, takes_groups
from equipoise.cli.printing import MOST_HEADLINES, interval, print_json, print_rows, say
from equipoise.cli.writing import write_text
from equipoise.data.csv_text import as_csv
from equipoise.errors import UserError
from equipoise.report.changes import say_changes
from equipoise.report.gate import ERROR, NOT_JUDGED, PASSED, Judgement, Outcome, read_rules, rule_of
from equipoise.report.gate import check as judge
from equipoise.report.gate.formats import render_junit, render_summary
from equipoise.report.gate.judging import estimate_names
from equipoise.report.measurements import with_short_names
from equipoise.report.page import contents_of, save_page
from equipoise.report.paper_tables import table_4_of
from equipoise.results import Result, load_results
from equipoise.results.comparison import Comparison
from equipoise.results.comparison import compare as compare_results
from equipoise.results.comparison.apart import compare_corpora, compare_groups
from equipoise.results.records import to_records
from equipoise.results.result import load_folders
from equipoise.studies.papers.association_tables import TABLE_4, Papers, papers_of

COLUMNS = ("quantity", "first", "second", "95 % of difference", "verdict")

Margin = Annotated[
    list[str] | None,
    typer.Option("--margin", help="[INSTRUMENT=]NUMBER: a difference below this is negligible."),
]


@takes_groups
def compare(
    folders: Annotated[list[Path], typer.Argument(help="Two or more result folders; one with --between.")],
    *,
    out: Annotated[
        Path | None,
        option(
            OUTPUT,
            "--out",
            "-o",
            help="File to write: .csv (differences), .json or .html (a page).",
        ),
    ] = None,
    everything: Annotated[bool, option(OUTPUT, "--all", help="Show every difference.")] = False,
    force: Force = False,
    as_json: Json = False,
    margin: Margin = None,
    by_text: Annotated[
        bool, typer.Option("--by-text", help="Pair items by their text, across different files.")
    ] = False,
    corpora: Annotated[
        bool, typer.Option("--corpora", help="Compare one model on different corpora, unpaired.")
    ] = False,
    between: Annotated[
        str, typer.Option(help="Compare the groups of a column, such as publisher, within each result.")
    ] = "",
) -> None:
    """Compare results item by item: lower, higher, equivalent, or not enough items to tell.

    Example: equipoise compare results/before results/after
    """
    if out is not None:
        _refuse_format(out)
        refuse_existing(out, force)
    results = with_short_names(load_folders(folders))
    flat = [result for held in results for result in held]
    margins = read_margins(margin)
    if by_text + corpora + bool(between) > 1:
        raise UserError("--by-text, --corpora and --between are different comparisons.", "Give one of them.")
    if between or corpora:
        comparison = compare_groups(flat, between, margins) if between else compare_corpora(flat, margins)
    else:
        comparison = compare_results(*results, margin=margins, by_text=by_text)
    papers = {} if between or corpora or by_text else _changes(results)
    document = _document(comparison, papers)
    if out is not None:
        _write(comparison, flat, document, out)
    if as_json:
        print_json(document)
        return
    _show(comparison, flat, papers, everything=everything)
    if out is not None:
        say(f"Saved: {out}")


def _refuse_format(out: Path) -> None:
    if out.suffix.lower() not in (".csv", ".json", ".html"):
        raise UserError(
            f"--out {out} does not say in which format to write.", "End it in .csv, .json or .html."
        )


def _document(comparison: Comparison, papers: "dict[str, Papers]") -> dict[str, Any]:
    said = {"differences": to_records(comparison.table), "sentences": comparison.sentences()}
    tables = {name: to_records(one.tables[TABLE_4]) for name, one in papers.items()}
    told = {name: one.sentences for name, one in papers.items()}
    return said | ({"bec_pro_table_4": tables, "hypotheses": told} if papers else {})


def _write(comparison: Comparison, results: Sequence[Result], document: dict[str, Any], out: Path) -> None:
    if out.suffix.lower() == ".html":
        save_page(contents_of(results), out, force=True)
    elif out.suffix.lower() == ".csv":
        write_text(out, as_csv(comparison.table))
    else:
        write_text(out, json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def _show(
    comparison: Comparison, results: Sequence[Result], papers: "dict[str, Papers]", *, everything: bool
) -> None:
    """Sentences first, then the differences; of many only the first are shown without --all."""
    for changes in [] if comparison.is_apart else say_changes(comparison, results):
        say(changes.headline)
        for sentence in changes.sentences:
            say(sentence)
    for (first, second), rows in comparison.table.groupby(["first", "second"], sort=False):
        records = rows.to_dict("records")
        shown = [
            (
                f"{row['instrument']}: {row['label']}",
                row["first_value"],
                row["second_value"],
                interval(row["low"], row["high"]),
                row["verdict"],
            )
            for row in records[: len(records) if everything else MOST_HEADLINES]
        ]
        print_rows(f"first: {first}\nsecond: {second}", COLUMNS, shown)
        if len(shown) < len(records):
            say(f"{len(records) - len(shown)} more differences: --all")
    for name, one in papers.items():
        table = table_4_of("bec-pro", one.tables[TABLE_4], name)
        print_rows(table.title, table.headings, table.rows)
    for sentence in comparison.sentences():
        if everything or comparison.is_apart or sentence in comparison.notes or "not compared" in sentence:
            say(sentence)
    for name, one in papers.items():
        for sentence in one.sentences:
            say(f"{name}: {sentence}" if len(papers) > 1 else sentence)


def _changes(results: Sequence[Sequence[Result]]) -> "dict[str, Papers]":
    """Table 4 of BEC-Pro and its hypotheses for the first folder beside each of the others."""
    changes = {}
    for later in results[1:]:
        papers = papers_of(results[0], [later])
        if papers is not None:
            changes[f"before: {results[0][0].model}, after: {later[0].model}"] = papers
    return changes


def read_margins(given: list[str] | None) -> dict[str, float] | float | None:
    """One margin for everything, or one for each named instrument."""
    margins: dict[str, float] = {}
    for text in given or ():
        name, _, number = text.rpartition("=")
        if name in margins:
            raise UserError(f"--margin was given twice{f' for {name}' if name else ''}.", "Give it once.")
        try:
            margins[name] = float(number)
        except ValueError as error:
            raise UserError(
                f"--margin {text} is not a number.", "Write --margin 0.05, or --margin tbe=0.05."
            ) from error
    if "" in margins and len(margins) > 1:
        raise UserError(
            "One --margin names no instrument while others do.", "Name an instrument in each, or in none."
        )
    return margins.get("", margins or None)


FailIf = Annotated[
    list[str] | None,
    typer.Option("--fail-if", help='A rule that fails a model: "tbe.appd.low > 0.1". Repeatable.'),
]
Rules = Annotated[list[Path] | None, typer.Option("--rules", help="A TOML file of rules. Repeatable.")]
SHOWN = 30
"""Outcomes that are printed: those that did not pass, then others up to this many."""


def check(
    folders: Annotated[list[Path], typer.Argument(help="One or more result folders.")],
    fail_if: FailIf = None,
    rules: Rules = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="Results of a baseline; fail if anything got worse."),
    ] = None,
    margin: Margin = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="A JUnit XML file to write.")] = None,
    names: Annotated[
        bool, typer.Option("--names", help="List the names that rules can use, with their numbers.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Judge results by rules. Exit 0: all pass; 1: a rule failed; 2: a rule could not be judged."""
    if junit is not None:
        refuse_existing(junit, force, "--junit")
    results = [result for folder in folders for result in load_results(folder)]
    if names:
        _print_names(results, as_json)
        return
    baseline = load_results(against) if against else []
    asked = [*map(rule_of, fail_if or ()), *(rule for file in rules or () for rule in read_rules(file))]
    judgement = judge(results, asked, against=baseline, margin=read_margins(margin))
    _print(judgement, as_json)
    if junit is not None:
        write_text(junit, render_junit(judgement), "--junit")
    _add_to_summary(judgement)
    _stop(judgement)


def _print(judgement: "Judgement", as_json: bool) -> None:

    if as_json:
        print_json({"passed": judgement.passed, "outcomes": [asdict(one) for one in judgement.outcomes]})
        return
    not_judged = judgement.of(NOT_JUDGED)
    first = [one for one in judgement.outcomes if one.state not in (PASSED, NOT_JUDGED)]
    shown = first + judgement.of(PASSED)[: max(SHOWN - len(first), 0)]
    rows = [(one.state, one.rule, one.model, _why(one)) for one in shown]
    judged = len(judgement.outcomes) - len(not_judged)
    counts = f"{len(judgement.of(PASSED))} of {judged} passed"
    print_rows(counts, ("outcome", "rule", "model", "why"), rows)
    if len(shown) < judged:
        say(f"{judged - len(shown)} more passed (--json or --junit lists them).")
    for one in not_judged:
        say(f"Not judged: {one.rule}: {one.reason}.")


def _why(outcome: "Outcome") -> str:
    """The reason, and of a failed rule what it is for; what to do about an error is said at the end."""
    said = (outcome.reason, outcome.hint) if outcome.state == "failed" else (outcome.reason,)
    return ". ".join(filter(None, said))


def _print_names(results: "list[Result]", as_json: bool) -> None:

    if as_json:
        print_json([name for result in results for name, _ in estimate_names(result)])
        return
    for result in results:
        rows = [
            (name, row["value"], interval(row["low"], row["high"]), row["n"])
            for name, row in estimate_names(result)
        ]
        print_rows(f"{result.instrument} of {result.model}", ("name", "value", "95 % interval", "n"), rows)


def _add_to_summary(judgement: "Judgement") -> None:
    """A table on the page of a GitHub run; a page that cannot be written does not decide the gate."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        return
    try:
        with Path(place).open("a", encoding="utf-8") as page:
            page.write(render_summary(judgement))
    except OSError as error:
        sys.stderr.write(f"GITHUB_STEP_SUMMARY ({place}) cannot be written: {error.strerror or error}.\n")


def _stop(judgement: "Judgement") -> None:
    """Leave with the code that says what became of the rules."""
    errors = judgement.of(ERROR)
    if errors:
        more = f" ({len(errors)} rules could not be judged)" if len(errors) > 1 else ""
        raise UserError(f"{errors[0].rule}: {errors[0].reason}{more}", errors[0].hint)
    if not judgement.passed:
        raise typer.Exit(1)
