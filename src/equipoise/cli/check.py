"""`check`: the gate. Rules on saved results, for a CI job that decides whether a model may ship."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.compare import Margin, read_margins
from equipoise.cli.options import Force, Json, refuse_existing
from equipoise.cli.writing import write_text
from equipoise.errors import UserError

if TYPE_CHECKING:
    from equipoise.report.gate import Judgement, Outcome, Rule
    from equipoise.results import Result

FailIf = Annotated[
    list[str] | None,
    typer.Option("--fail-if", help='What fails a model: "tbe.appd.low > 0.1"; may be given several times.'),
]
Rules = Annotated[
    list[Path] | None, typer.Option("--rules", help="A TOML file of rules; may be given several times.")
]
SHOWN = 30
"""Outcomes that are printed: those that did not pass, then others up to this many."""


def check(
    folders: Annotated[list[Path], typer.Argument(help="One or more result folders.")],
    fail_if: FailIf = None,
    rules: Rules = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", help="A baseline's results: fail by what `compare` calls worse."),
    ] = None,
    margin: Margin = None,
    junit: Annotated[Path | None, typer.Option("--junit", help="A JUnit XML file to write.")] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Only list what rules can name, with its numbers.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Judge results by rules. Exit 0: all pass; 1: a rule failed; 2: a rule could not be judged."""
    from equipoise.report.gate import check as judge
    from equipoise.results import load_results

    if junit is not None:
        refuse_existing(junit, force, "--junit")
    results = [result for folder in folders for result in load_results(folder)]
    if names:
        _print_names(results, as_json)
        return
    baseline = load_results(against) if against else []
    judgement = judge(results, _rules(fail_if, rules), against=baseline, margin=read_margins(margin))
    _print(judgement, as_json)
    if junit is not None:
        from equipoise.report.gate.junit import render_junit

        write_text(junit, render_junit(judgement), "--junit")
    _add_to_summary(judgement)
    _stop(judgement)


def _rules(fail_if: list[str] | None, files: list[Path] | None) -> "list[Rule]":
    from equipoise.report.gate import read_rules, rule_of

    return [*map(rule_of, fail_if or ()), *(rule for file in files or () for rule in read_rules(file))]


def _print(judgement: "Judgement", as_json: bool) -> None:
    from dataclasses import asdict

    from equipoise.cli.printing import print_json, print_rows, say
    from equipoise.report.gate import NOT_JUDGED, PASSED

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
    from equipoise.cli.printing import interval, print_json, print_rows
    from equipoise.report.gate.naming import estimate_names

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
    from equipoise.report.gate.summary import render_summary

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
    from equipoise.report.gate import ERROR

    errors = judgement.of(ERROR)
    if errors:
        more = f" ({len(errors)} rules could not be judged)" if len(errors) > 1 else ""
        raise UserError(f"{errors[0].rule}: {errors[0].reason}{more}", errors[0].hint)
    if not judgement.passed:
        raise typer.Exit(1)
