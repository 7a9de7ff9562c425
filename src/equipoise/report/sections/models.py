"""Models ranked: each number of every model with its interval, the nearest to what is good first."""

from equipoise.report.elements import Figure
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.sections import Study
from equipoise.results.numbers import fixed

TABLE = "ranking"
COLUMNS = ("instrument", "quantity", "group", "rank", "model", "value", "low", "high", "unit")
WHOLE = "all"


def figures(study: Study) -> list[Figure]:
    """A chart for each instrument and the quantity that it ranks by, over all groups."""
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
