"""Markdown: The headline numbers as a table, for an issue, a wiki or a model card."""

import html
from collections.abc import Sequence
from math import isnan
from typing import Any

from equipoise.results import Result
from equipoise.results.estimate import BETTER, instead_of_interval
from equipoise.results.records import fixed

COLUMNS = ("model", "instrument", "estimate", "value", "95 % interval", "n", "good")


def render(results: Sequence[Result]) -> str:
    """One row per headline."""
    return "\n".join([*table_lines(results), ""])


def table_lines(results: Sequence[Result]) -> list[str]:
    """The lines of the table, its head first."""
    rows = [_cells(result, row) for result in results for row in result.headlines().to_dict("records")]
    return [_line(COLUMNS), "|" + "---|" * len(COLUMNS), *map(_line, rows)]


def _cells(result: Result, row: dict[str, Any]) -> tuple[str, ...]:
    label = f"{row['label']} ({row['level']})" if row["by"] else str(row["label"])
    interval = instead_of_interval(row) or f"{fixed(row['low'], 3)} to {fixed(row['high'], 3)}"
    value = "could not be asked" if isnan(row["value"]) else fixed(row["value"], 3)
    good = f"{row['neutral']:g}" if row["better"] == "neutral" else BETTER[row["better"]]
    return (result.model, result.instrument, label, value, interval, str(row["n"]), good)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(cell) for cell in cells) + " |"


def _escaped(text: str) -> str:
    """Escape what would end a table cell or be read as HTML."""
    return html.escape(" ".join(text.split()), quote=False).replace("|", "\\|")
