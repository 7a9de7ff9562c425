"""Wide tables: rows by columns as papers print them, each cell a value with its interval and the printed one."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import pandas as pd

from equipoise.report.elements import Table
from equipoise.report.measurements import slug
from equipoise.results.numbers import fixed

PUBLISHED = "published"
"""The column of a long table with what the paper prints for the same cell."""


def wide_table(
    name: str, title: str, rows: pd.DataFrame, *, down: str, across: str, value: str = "value"
) -> Table:
    """A row for each level of `down` and a column for each level of `across`, in the order they come in."""
    columns, levels = (list(dict.fromkeys(rows[side])) for side in (across, down))
    cells = {(row[down], row[across]): _cell(row, value) for row in rows.to_dict("records")}
    table = [[str(level), *(cells.get((level, column), "") for column in columns)] for level in levels]
    return Table(slug(name), title, [down, *short_names(list(map(str, columns)))], table)


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path, where that tells them apart."""
    short = [PurePath(name).name or name for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def _cell(row: "dict[Any, Any]", value: str) -> str:
    number, low, high, printed = (float(row.get(key, "nan")) for key in (value, "low", "high", PUBLISHED))
    if number != number:
        return "-"
    interval = f" [{fixed(low, 2)}, {fixed(high, 2)}]" if low == low else ""
    return f"{fixed(number, 2)}{interval}" + (f"; printed {fixed(printed, 2)}" if printed == printed else "")
