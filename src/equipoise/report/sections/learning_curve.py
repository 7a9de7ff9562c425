"""The learning curve: how a number falls with the sentences that a model was tuned on."""

from typing import Any

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.style import chart, model_colour, upright_interval, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.report.wide import by_category, wide_table
from equipoise.results.numbers import fixed

TABLE = "learning-curve"
COLUMNS = ("size", "key", "label", "by", "level", "mean", "low", "high", "unit")
INTERVALS = "95 % intervals over repeats; at 0 sentences, the model as it was, over items"


def tables(study: Study) -> list[Table]:
    """A row for each category and one for all, a column for each number of sentences."""
    return [
        wide_table(
            f"learning curve {key}",
            f"{rows['label'].iloc[0]} by category and sentences tuned on ({INTERVALS})",
            rows,
            down="category",
            across="size",
        )
        for key, rows in _numbers(study).items()
    ]


def figures(study: Study) -> list[Figure]:
    """A curve for each number, a line for each category, with its intervals."""
    return [_figure(key, rows) for key, rows in _numbers(study).items()]


def _numbers(study: Study) -> dict[str, pd.DataFrame]:
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return {}
    known = table[table["mean"].notna()]
    return {str(key): by_category(known, str(key)) for key in dict.fromkeys(known["key"])}


def _figure(key: str, table: pd.DataFrame) -> Figure:
    label, unit = str(table["label"].iloc[0]), str(table["unit"].iloc[0])
    rows = [_row(row) for row in table.to_dict("records")]
    levels = list(dict.fromkeys(str(row["model"]) for row in rows))
    across = {"field": "size", "type": "quantitative", "title": "sentences that the model was tuned on"}
    upward = {
        "type": "quantitative",
        "title": f"{label} ({unit})" if unit else label,
        "scale": {"zero": False},
    }
    colour = model_colour(levels)
    at = {"x": across, "y": upward | {"field": "mean"}, "color": colour}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": at},
        {"mark": {"type": "point", "filled": True, "size": 50}, "encoding": at},
        upright_interval(across, upward, colour),
    ]
    title = f"{label} by the sentences tuned on (bars: {INTERVALS})"
    told = "; ".join(f"{row['model']}, {row['size']}: {fixed(row['mean'], 3)}" for row in rows)
    name = slug(f"learning curve {key}")
    return Figure(name, title, f"{title}. {told}.", chart(layers, height=260, data=values(rows)))


def _row(row: "dict[Any, Any]") -> dict[str, Any]:
    ends = {name: float(row[name]) for name in ("mean", "low", "high")}
    return {"model": row["category"], "size": int(row["size"]), **ends}
