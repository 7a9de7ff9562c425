"""Tables for people, and one JSON document for programs."""

import json
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.results import Result

HEADLINE = ("profession:", "occupation:", "item:", "word:")
"""Groups of estimates that are too many for a screen; they stand in the result's files."""


def console() -> Console:
    """The console for tables: as wide as the terminal, wide enough for a pipe."""
    return Console(width=None if sys.stdout.isatty() else 140, soft_wrap=False)


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A plain table."""
    table = Table(title=title, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*[_cell(value) for value in row])
    console().print(table)


def print_table(title: str, frame: "pd.DataFrame") -> None:
    """A data frame as a table."""
    print_rows(title, [str(name) for name in frame.columns], frame.to_numpy().tolist())


def print_result(result: "Result", folder: Any) -> None:
    """The estimates that fit on a screen, with interval, n kept and dropped, and which way is good."""
    many = result.estimates["group"].str.startswith(HEADLINE) | (result.estimates["name"] == "histogram")
    _print_estimates(result, ~many, folder)


def print_brief(result: "Result", folder: Any) -> None:
    """The estimates over all items only: one of several results on a screen."""
    overall = result.estimates["group"] == "all"
    guard = result.estimates["name"].str.startswith("guard") & ~result.estimates["group"].str.startswith(
        HEADLINE
    )
    _print_estimates(result, overall | guard if overall.any() else ~overall, folder)


def _print_estimates(result: "Result", chosen: Any, folder: Any) -> None:
    shown = result.estimates[chosen]
    rows = [
        (
            row["name"],
            row["group"],
            row["value"],
            _interval(row["low"], row["high"]),
            f"{row['n']} / {row['dropped']}",
            f"{row['neutral']:g}" if row["better"] == "neutral" else row["better"],
            row["unit"],
        )
        for row in shown.to_dict("records")
    ]
    title = f"{result.provenance['instrument']['title']} ({result.instrument}) of {result.model}"
    columns = ("estimate", "of", "value", "95 % interval", "kept / dropped", "good", "unit")
    print_rows(title, columns, rows)
    for sentence in result.provenance.get("answers", ()):
        console().print(f"  {sentence}", markup=False, highlight=False)
    for notice in result.provenance["data"]["notices"]:
        console().print(f"  note: {notice}", style="yellow", markup=False)
    hidden = len(result.estimates) - len(shown)
    console().print(f"  {hidden} more estimates and every item: {folder}", markup=False, highlight=False)


def _interval(low: float, high: float) -> str:
    return "unknown" if math.isnan(low) else f"{_cell(low)} to {_cell(high)}"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return (
            "-"
            if math.isnan(value)
            else f"{value:.3f}"
            if abs(value) >= 0.001 or value == 0
            else f"{value:.1e}"
        )
    return str(value)
