"""The outcomes as a Markdown table, for the summary page of a CI run."""

import html

from equipoise.report.gate import ERROR, FAILED, NOT_JUDGED, PASSED, Judgement, Outcome

_WORDS = {PASSED: "passed", FAILED: "**failed**", ERROR: "**cannot be told**", NOT_JUDGED: "not judged"}
_ORDER = (ERROR, FAILED, PASSED, NOT_JUDGED)


def render_summary(judgement: Judgement) -> str:
    """A heading with the counts, and a row for each rule, those that did not pass first."""
    told = _ORDER if judgement.of(NOT_JUDGED) else _ORDER[:-1]
    counts = ", ".join(f"{len(judgement.of(state))} {_WORDS[state].strip('*')}" for state in told)
    lines = [f"### Equipoise: {counts}", "", "| rule | model | outcome | why |", "|---|---|---|---|"]
    lines += [_row(outcome) for state in _ORDER for outcome in judgement.of(state)]
    return "\n".join([*lines, "", ""])


def _row(outcome: Outcome) -> str:
    why = " ".join(filter(None, (outcome.reason, outcome.hint)))
    cells = [outcome.rule, outcome.model, why]
    rule, model, reason = (
        html.escape(cell, quote=False).replace("|", "\\|").replace("\n", " ") for cell in cells
    )
    return f"| {rule} | {model} | {_WORDS[outcome.state]} | {reason} |"
