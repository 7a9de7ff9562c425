"""Wide tables, as papers print them: a cell holds a value, its interval and the printed value."""

from typing import Any

import pandas as pd

from equipoise.report.elements import Table
from equipoise.report.figures.arms import with_texts
from equipoise.report.figures.dots import short_names
from equipoise.report.measurements import slug
from equipoise.results.numbers import fixed

PUBLISHED = "published"
"""The column of a long table with what the paper prints for the same cell."""


def wide_table(
    name: str, title: str, rows: pd.DataFrame, *, down: str, across: str, places: int = 2
) -> Table:
    """A row for each level of `down` and a column for each level of `across`, in the order they come in."""
    columns, levels = (list(dict.fromkeys(rows[side])) for side in (across, down))
    cells = {(row[down], row[across]): _cell(row, places) for row in rows.to_dict("records")}
    table = [[str(level), *(cells.get((level, column), "") for column in columns)] for level in levels]
    return Table(slug(name), title, [down, *short_names(list(map(str, columns)))], table)


def by_category(table: pd.DataFrame, key: str) -> pd.DataFrame:
    """One number of a study of arms by category, all items last, with `category` and `value`."""
    rows = with_texts(table)
    rows = rows[(rows["key"] == key) & rows["by"].isin(("", "category"))]
    rows = rows.assign(category=rows["level"].replace("", "all"), value=rows["mean"])
    return rows.sort_values("by", ascending=False, kind="stable")


def _cell(row: "dict[Any, Any]", places: int) -> str:
    number, low, high, printed = (float(row.get(key, "nan")) for key in ("value", "low", "high", PUBLISHED))
    if number != number:
        return "-"
    interval = f" [{fixed(low, places)}, {fixed(high, places)}]" if low == low else ""
    return f"{fixed(number, places)}{interval}" + (
        f"; printed {fixed(printed, 2)}" if printed == printed else ""
    )
