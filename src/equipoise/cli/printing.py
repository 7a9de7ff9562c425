"""Tables for people, and one JSON document for programs."""

import json
import math
import sys
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import pandas as pd
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from equipoise.errors import visible
from equipoise.report.findings import say as say_findings
from equipoise.report.measurements import measured_models, measurements
from equipoise.report.paper_tables import is_printed, paper_tables
from equipoise.report.sections import Study, study_tables
from equipoise.results import Result
from equipoise.results.estimate import heading, instead_of_interval
from equipoise.results.records import three_decimals

UNBROKEN = 20
"""A column whose longest cell has no more characters than this is never broken."""

A_SAMPLE = "a sample of "
"""How the notice begins that says which part of the items a stopped run has asked."""

NARROWEST, GAP = 10, 3
"""A column of longer cells is never narrower than this, and what stands between columns."""

MOST_HEADLINES = 8
"""Numbers that are shown without being asked for."""


class TableConsole(Console):
    """A console that lets a closed pipe through, which rich would turn into a silent exit with code 1."""

    def on_broken_pipe(self) -> None:
        """Raise what was raised."""
        raise  # rich calls this while it handles the error


def is_terminal() -> bool:
    """Whether a person reads along: a pipe gets whole lines and tables with tabs."""
    return sys.stdout.isatty()


def console() -> Console:
    """The console for tables on a terminal."""
    return TableConsole(soft_wrap=False)


def print_json(content: Any) -> None:
    """One JSON document on stdout."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(visible(text) + "\n")


def say(text: str, style: str | None = None) -> None:
    """A line of text, wrapped at words."""
    text = visible(text)
    if is_terminal():
        console().print(text, style=style, markup=False, highlight=False)
    else:
        sys.stdout.write(text + "\n")


def print_rows(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A plain table, or tab-separated lines where no terminal reads them.

    Numbers stand to the right, and short cells are never broken or cut.
    """
    if not is_terminal():
        _print_tsv(title, columns, rows)
        return
    screen = console()
    for look in (Look(), Look(breaks_headings=True), Look(breaks_headings=True, is_tight=True)):
        table = _table(title, columns, rows, look)
        if _needed(table, look) <= screen.width:
            screen.print(table)
            return
    # Rich cuts what does not fit, and 281 would be read as 28.
    _print_blocks(title, columns, rows)


def _print_tsv(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A heading, then lines with tabs: `cut -s` keeps those, and spreadsheets read them."""
    if title:
        sys.stdout.write(visible(title) + "\n")
    for row in (columns, *rows):
        sys.stdout.write("\t".join(" ".join(cell(value).split()) for value in row) + "\n")


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
        title=Text(visible(title)) if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
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


def print_results(results: Sequence[Result], *, everything: bool = False) -> None:
    """What the results of one model say: sentences first, then the numbers to read first, then notes."""
    (model, *_) = measured_models(results)
    findings = say_findings(results, model.label)
    say(f"\n{findings.headline}")
    for sentence in findings.sentences:
        say(sentence)
    if everything:
        for result in results:
            _print_everything(result, model.label)
    else:
        print_rows("", ("what", "value", "95 % interval", "good"), _headline_rows(results))
        if len(results) == 1:
            _print_paper_tables(results[0])
    _print_notes(results)


def _print_everything(result: Result, model: str) -> None:
    """Every estimate, the tables of the instrument's paper, and each number in words."""
    named = result.provenance["instrument"].get("title", result.instrument)
    title = f"{named} ({result.instrument}) of {model}"
    print_rows(title, ("estimate", "value", "95 % interval", "n", "good"), _estimate_rows(result.estimates))
    _print_paper_tables(result)
    for sentence in result.sentences:
        say(f"{result.instrument}: {sentence}")


def _print_paper_tables(result: Result) -> None:
    """The tables of the instrument's paper, in its form."""
    for table in filter(is_printed, paper_tables(measurements([result])[0])):
        print_rows(table.title, table.headings, table.rows)


def _headline_rows(results: Sequence[Result]) -> list[tuple[Any, ...]]:
    """The numbers to read first, by their plain names: in turn one of each result, until there are enough."""
    names = {(one.instrument, each.key): each.plain_name for one in results for each in one.declared}
    queues = [[(one.instrument, row) for row in one.headlines().to_dict("records")] for one in results]
    taken = [pair for turn in zip_longest(*queues) for pair in turn if pair is not None][:MOST_HEADLINES]
    order = [one.instrument for one in results]
    rows = []
    for instrument, row in sorted(taken, key=lambda pair: order.index(pair[0])):
        name = names.get((instrument, row["key"]), row["label"])
        where = f" ({row['by']} {row['level']})" if row["by"] else ""
        bounds = instead_of_interval(row) or interval(row["low"], row["high"])
        rows.append((f"{name}{where}", row["value"], bounds, _good(row)))
    return rows


def _good(row: Mapping[Any, Any]) -> str:
    if row["better"] == "neutral":
        return f"{row['neutral']:g} is neutral"
    return "" if row["better"] == "none" else f"{row['better']} is better"


def _print_notes(results: Sequence[Result]) -> None:
    """What a reader must know, each note once with the instruments that it is about."""
    notes: dict[str, list[str]] = {}
    samples = [
        f"{result.instrument} {len(result.items):,} of {result.sample['of']:,}"
        for result in results
        if result.sample
    ]
    for result in results:
        for notice in result.notices:
            if not (result.sample and notice.startswith(A_SAMPLE)):
                notes.setdefault(notice, []).append(result.instrument)
    if notes or samples:
        say("Notes", style="yellow")
    if samples:
        say(f"  Items asked in this sample: {', '.join(samples)}.", style="yellow")
    for notice, instruments in notes.items():
        say(f"  {', '.join(instruments)}: {notice.rstrip('.')}.", style="yellow")


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
        return visible(str(value))
    if math.isnan(value):
        return "-"
    return three_decimals(value)
