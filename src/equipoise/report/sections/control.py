"""The control: a model's number beside what the same architecture gives with random weights."""

from typing import Any

from equipoise.report.elements import Figure
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.sections import Study

TABLE = "control"
COLUMNS = (
    *("instrument", "estimate", "by", "level", "model_value", "low", "high"),
    *("random_mean", "random_lowest", "random_highest", "draws"),
)


def figures(study: Study) -> list[Figure]:
    """A chart for each headline, as each has a unit of its own."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    known = table.fillna({"by": "", "level": ""})
    return [_figure(row) for row in known.to_dict("records")]


def _figure(row: "dict[Any, Any]") -> Figure:
    where = f" ({row['by']} {row['level']})" if row["by"] else ""
    drawn = (row["random_mean"], row["random_lowest"], row["random_highest"])
    rows = [
        dot("the model", row["model_value"], row["low"], row["high"]),
        dot(f"random weights, {row['draws']} draws", *drawn),
    ]
    title = f"{row['instrument']}, {row['estimate']}{where}"
    read = f"{title} (bars: 95 % interval; range of the draws)"
    return dot_figure(f"control {title}", read, rows, axis=f"{row['estimate']}{where}")
