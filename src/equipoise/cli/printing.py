"""Tables for people, and one JSON document for programs."""

import json
import math
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.report.measurements import measurements
from equipoise.report.paper_tables import is_printed, paper_tables
from equipoise.report.sections import Study, study_tables
from equipoise.results import Result
from equipoise.results.estimate import CROSSED, instead_of_interval
from equipoise.results.headings import heading
from equipoise.results.numbers import three_decimals

WIDEST = 10_000
"""Columns of a console that is no terminal: a table in a file is as wide as it needs."""

UNBROKEN = 20
"""A column whose longest cell has no more characters than this is never broken."""

NARROWEST, GAP = 10, 3
"""A column of longer cells is never narrower than this, and what stands between columns."""

FEW_LEVELS = 8
"""Estimates by something with more levels than this, or by two things, are shown only with all."""


class TableConsole(Console):
    """A console that lets a closed pipe through, which rich would turn into a silent exit with code 1."""

    def on_broken_pipe(self) -> None:
        """Raise what was raised."""
        raise  # rich calls this while it handles the error


def console() -> Console:
    """The console for tables: as wide as the terminal, or as the table where there is none."""
    return TableConsole(width=None if sys.stdout.isatty() else WIDEST, soft_wrap=False)


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def say(text: str, style: str | None = None) -> None:
    """A line of text, wrapped at words."""
    if sys.stdout.isatty():
        console().print(text, style=style, markup=False, highlight=False)
    else:
        sys.stdout.write(text + "\n")


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A plain table; numbers stand to the right, and short cells are never broken or cut."""
    screen = console()
    for look in (Look(), Look(breaks_headings=True), Look(breaks_headings=True, is_tight=True)):
        table = _table(title, columns, rows, look)
        if _needed(table, look) <= screen.width:
            screen.print(table)
            return
    # Rich cuts what does not fit, and 281 would be read as 28.
    _print_blocks(title, columns, rows)


class Look(NamedTuple):
    """How a table is made to fit: headings over several lines, less room between columns."""

    breaks_headings: bool = False
    is_tight: bool = False


def _needed(table: Table, look: Look) -> int:
    """The least width of a table: its columns, what stands between them, and a margin on either side."""
    widths = [column.width or column.min_width or NARROWEST for column in table.columns]
    between = (GAP - look.is_tight) * (len(widths) - 1)
    return sum(widths) + between + (0 if look.is_tight else 2)


def _print_blocks(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table that is wider than the screen, row by row: the first cell, and the others below it."""
    say(title)
    for row in rows:
        first, *others = map(cell, row)
        say(f"\n{first}")
        for name, value in zip(columns[1:], others, strict=True):
            say(f"  {name}: {value}")
    say("")


def _table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], look: Look) -> Table:
    table = Table(
        title=Text(title),
        title_justify="left",
        box=_box(),
        pad_edge=False,
        show_edge=not look.is_tight,
        padding=(0, 0, 0, 1) if look.is_tight else (0, 1),
    )
    cells = [[cell(value) for value in row] for row in rows]
    for place, name in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[place], int | float) for row in rows)
        longest = max((cell_len(line[place]) for line in cells), default=0)
        heading = max(map(cell_len, name.split() if look.breaks_headings else [name]), default=0)
        width = max(longest, heading, 1) if longest <= UNBROKEN else None
        word = max((cell_len(word) for line in cells for word in line[place].split()), default=0)
        narrowest = max(NARROWEST, min(word, UNBROKEN))
        justify: Any = "right" if numeric else "left"
        table.add_column(name, justify=justify, width=width, min_width=narrowest, overflow="fold")
    for line in cells:
        table.add_row(*map(Text, line))  # as text: a model's name may look like rich's markup
    return table


def print_table(title: str, frame: "pd.DataFrame") -> None:
    """A data frame as a table: an interval is one column, and columns that say nothing are left out."""
    shown = frame.loc[:, [bool((frame[name] != "").any()) for name in frame.columns]]
    if {"low", "high"} <= set(shown.columns):
        bounds = [interval(*ends) for ends in zip(shown["low"], shown["high"], strict=True)]
        shown = shown.assign(low=bounds).rename(columns={"low": "95 % interval"}).drop(columns="high")
    names = [heading(str(name)) for name in shown.columns]
    print_rows(title, names, shown.astype(object).to_numpy().tolist())


def print_study_tables(study: "Study") -> None:
    """The tables of a study in the form that its paper has."""
    for table in study_tables(study):
        print_rows(table.title, table.headings, table.rows)


def print_result(result: "Result", folder: Path, *, everything: bool = False) -> None:
    """The estimates that fit on a screen, or all of them, with interval, n and which way is good."""
    levels = result.estimates.groupby("by")["level"].nunique()
    by = result.estimates["by"]
    is_short = by.map(levels).le(FEW_LEVELS) & ~by.str.contains(CROSSED, regex=False)
    shown = result.estimates if everything else result.estimates[is_short | result.estimates["headline"]]
    named = result.provenance["instrument"].get("title", result.instrument)
    title = f"{named} ({result.instrument}) of {result.model}"
    print_rows(title, ("estimate", "value", "95 % interval", "n", "good"), _estimate_rows(shown))
    print_paper_tables(result)
    print_words(result)
    hidden = len(result.estimates) - len(shown)
    more = f"{hidden} more estimates (--all) and every item" if hidden else "Every item"
    say(f"{more}: {folder}")


def print_paper_tables(result: "Result") -> None:
    """The tables of the instrument's paper; they and the lists behind them are CSV files beside the items."""
    for table in filter(is_printed, paper_tables(measurements([result])[0])):
        print_rows(table.title, table.headings, table.rows)


def print_words(result: "Result") -> None:
    """What a result says in words, and what a reader must know."""
    for sentence in result.sentences:
        say(f"{result.instrument}: {sentence}")
    for notice in result.notices:
        say(f"note, {result.instrument}: {notice}", style="yellow")


def _estimate_rows(estimates: "pd.DataFrame") -> list[tuple[Any, ...]]:

    rows = []
    for row in estimates.to_dict("records"):
        named = f"{row['label']} ({row['by']}: {row['level']})" if row["by"] else row["label"]
        good = f"{row['neutral']:g}" if row["better"] == "neutral" else row["better"].replace("none", "-")
        count = f"{row['n']}" + (f" ({row['dropped']} dropped)" if row["dropped"] else "")
        bounds = instead_of_interval(row) or interval(row["low"], row["high"])
        rows.append((named, row["value"], bounds, count, good))
    return rows


def interval(low: float, high: float) -> str:
    """The two ends of an interval, or that there were too few clusters for one."""
    return "too few to tell" if math.isnan(low) else f"{cell(low)} to {cell(high)}"


def cell(value: Any) -> str:
    """A value as a cell."""
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "-"
    return three_decimals(value)


def _box() -> Any:

    return box.SIMPLE_HEAD


WIDTHS = {"instrument": 15, "estimate": 25, "value": 8, "95 % interval": 20, "good": 4}
"""The columns and how wide each is: with the gaps between them 80 characters."""

BETWEEN = "  "


class GrowingTable:
    """A table of headlines that fits 80 columns; the rows of an instrument are shown when it is done."""

    def __init__(self, model: str) -> None:
        self.model = model
        self._is_begun = False

    def add(self, result: "Result") -> None:
        """Show the headlines of one more instrument."""
        if not self._is_begun:
            self._is_begun = True
            say(f"What to read first of {self.model}")
            say(_line(*WIDTHS))
            say(_line(*("-" * width for width in WIDTHS.values())))
        name = result.instrument
        for row in result.headlines().to_dict("records"):
            for line in _row_lines(name, row):
                say(line)
            name = ""


def _row_lines(instrument: str, row: "dict[Any, Any]") -> list[str]:
    """One headline; a long label goes on in further lines."""
    named = f"{row['label']} ({row['by']} {row['level']})" if row["by"] else str(row["label"])
    first, *more = textwrap.wrap(named, WIDTHS["estimate"]) or [""]
    names = textwrap.wrap(instrument, WIDTHS["instrument"]) or [""]
    good = f"{row['neutral']:g}" if row["better"] == "neutral" else _SHORT[row["better"]]
    interval = instead_of_interval(row) or f"{cell(row['low'])} to {cell(row['high'])}"
    lines = [_line(names[0], first, cell(row["value"]), interval, good)]
    for place in range(max(len(more), len(names) - 1)):
        rest = [parts[place] if place < len(parts) else "" for parts in (names[1:], more)]
        lines.append(_line(*rest, "", "", ""))
    return lines


_SHORT = {"lower": "low", "higher": "high", "none": "-"}
"""Which way is good, where no single value is."""


def _line(*cells: str) -> str:
    """Cells under each other: words to the left, numbers to the right."""
    name, estimate, value, interval, good = (
        text.rjust(width) if column in ("value", "95 % interval") else text.ljust(width)
        for text, (column, width) in zip(cells, WIDTHS.items(), strict=True)
    )
    return BETWEEN.join((name, estimate, value, interval, good)).rstrip()
