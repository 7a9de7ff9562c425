"""Markdown: the numbers to read first as a table, for an issue, a wiki or a model card."""

from collections.abc import Sequence
from math import isnan

from equipoise.results import Result


def render(results: Sequence[Result]) -> str:
    """One row per headline."""
    lines = ["| model | instrument | estimate | value | 95 % interval | n |", "|---|---|---|---|---|---|"]
    lines += [_row(result, row) for result in results for row in result.headlines().to_dict("records")]
    return "\n".join([*lines, ""])


def _row(result: Result, row: "dict[str, object]") -> str:
    label = f"{row['label']} ({row['level']})" if row["by"] else str(row["label"])
    low, high = float(str(row["low"])), float(str(row["high"]))
    interval = "too few to tell" if isnan(low) else f"{low:.3f} to {high:.3f}"
    cells = [result.model, result.instrument, label, f"{float(str(row['value'])):.3f}", interval, row["n"]]
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
