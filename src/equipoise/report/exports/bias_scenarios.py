"""Bias scenarios: A table for an auditor, with a row for each rule and model, as CSV."""

import csv
import io
from collections.abc import Sequence

from equipoise.data.csv_text import spreadsheet_safe
from equipoise.errors import UserError
from equipoise.report.gate.judging import by_model, judge
from equipoise.report.gate.rules import ABOUT, Rule
from equipoise.results import Result

COLUMNS = ("model", "scenario", *ABOUT, "because", "state", "evidence")


def render(results: Sequence[Result], rules: Sequence[Rule] = ()) -> str:
    """What each rule guards against, who answers for it, and what was measured."""
    if not rules:
        raise UserError(
            "The format bias-scenarios needs rules, and none were given.", "Add --rules rules.toml."
        )
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\n")
    table.writerow(COLUMNS)
    for held in by_model(results):
        for rule in rules:
            about = [rule.about.get(key, "") for key in ABOUT]
            for outcome in judge(rule, held):
                row = (held[0].model, outcome.rule, *about, rule.because, outcome.state, outcome.reason)
                table.writerow([spreadsheet_safe(cell) for cell in row])
    return written.getvalue()
