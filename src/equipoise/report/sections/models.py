"""Models ranked, the nearest to what is good first; and each headline as a table of categories by models."""

from collections.abc import Iterator

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.arms import with_texts
from equipoise.report.figures.dots import crossed_figure, dot, dot_figure
from equipoise.report.sections import Study
from equipoise.report.wide import wide_table
from equipoise.results.numbers import fixed

TABLE = "ranking"
COLUMNS = ("instrument", "quantity", "group", "rank", "model", "value", "low", "high", "unit")
WHOLE = "all"
MATRIX = "matrix"
MATRIX_COLUMNS = ("instrument", "key", "label", "group", "model", "value", "low", "high", "unit")


def tables(study: Study) -> list[Table]:
    """Each headline by category, then over all, with a column for each model, as papers print it."""
    return [
        wide_table(
            f"models {instrument} {key}",
            title,
            rows.rename(columns={"group": "category"}),
            down="category",
            across="model",
        )
        for instrument, key, title, rows in _matrices(study)
    ]


def figures(study: Study) -> list[Figure]:
    """The ranks by each quantity, then each headline by category with a colour for each model."""
    return [*_rankings(study), *(_by_group(*one) for one in _matrices(study))]


def _matrices(study: Study) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Instrument, key, title and rows of every headline that is split into categories."""
    table = study.tables.get(MATRIX)
    if table is None or not set(MATRIX_COLUMNS) <= set(table.columns):
        return
    for (instrument, key), rows in with_texts(table).groupby(["instrument", "key"], sort=False):
        if rows["group"].nunique() > 1:
            label, unit = str(rows["label"].iloc[0]), str(rows["unit"].iloc[0])
            title = f"{instrument}, {label} by category and model" + (f" ({unit})" if unit else "")
            yield str(instrument), str(key), title, rows


def _by_group(instrument: str, key: str, title: str, rows: pd.DataFrame) -> Figure:
    name, axis = f"models {instrument} {key} by category", str(rows["label"].iloc[0])
    return crossed_figure(name, title, rows, down="group", across="model", axis=axis)


def _rankings(study: Study) -> list[Figure]:
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    whole = table[table["group"] == WHOLE].fillna({"unit": ""})
    drawn = []
    for (instrument, quantity), ranked in whole.groupby(["instrument", "quantity"], sort=False):
        rows = [
            dot(f"{fixed(row['rank'], 0)}. {row['model']}", row["value"], row["low"], row["high"])
            for row in ranked.sort_values("rank", kind="stable").to_dict("records")
        ]
        unit = str(ranked["unit"].iloc[0])
        axis = f"{quantity} ({unit})" if unit else str(quantity)
        title = f"{instrument}, {quantity} (1: nearest to what is good)"
        drawn.append(dot_figure(f"models {instrument} {quantity}", title, rows, axis=axis))
    return drawn
