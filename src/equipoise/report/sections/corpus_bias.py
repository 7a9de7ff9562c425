"""What corpora teach: each number by category and arm, as Table 4 of the GBEF thesis has it."""

from collections.abc import Iterator

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.arms import COLUMNS
from equipoise.report.figures.dots import crossed_figure
from equipoise.report.sections import Study
from equipoise.report.wide import by_category, wide_table

TABLE = "corpus-bias"


def tables(study: Study) -> list[Table]:
    """A row for each category and one for all, a column for each arm."""
    return [
        wide_table(f"corpus bias {key}", title, rows, down="category", across="arm")
        for key, title, rows in _numbers(study)
    ]


def figures(study: Study) -> list[Figure]:
    """The same as dots with their intervals."""
    return [
        crossed_figure(f"corpus bias {key}", title, rows, down="category", across="arm", axis=_axis(rows))
        for key, title, rows in _numbers(study)
    ]


def _numbers(study: Study) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Key, title and rows by category of every number."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return
    for key, rows in table[table["mean"].notna()].groupby("key", sort=False):
        over = "seeds" if rows.get("seeds", pd.Series([1])).max() > 1 else "items"
        title = f"{rows['label'].iloc[0]} by category and arm (95 % intervals over {over})"
        yield str(key), title, by_category(rows, str(key))


def _axis(rows: pd.DataFrame) -> str:
    unit = str(rows["unit"].iloc[0])
    return f"{rows['label'].iloc[0]} ({unit})" if unit else str(rows["label"].iloc[0])
