"""Downstream: the gap of classifiers tuned on the model before and after, seed by seed."""

from equipoise.report.elements import Figure
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.sections import Study

TABLE = "classifiers"
COLUMNS = ("side", "seed", "instrument", "key", "value", "low", "high")


def figures(study: Study) -> list[Figure]:
    """A chart for each number of the classifiers."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    drawn = []
    for (instrument, key), of_key in table.groupby(["instrument", "key"], sort=False):
        rows = [
            dot(f"{row['side']}, seed {row['seed']}", row["value"], row["low"], row["high"], row["side"])
            for row in of_key.to_dict("records")
        ]
        title = f"{instrument}, {key} of each classifier"
        drawn.append(dot_figure(f"downstream {instrument} {key}", title, rows, axis=str(key)))
    return drawn
