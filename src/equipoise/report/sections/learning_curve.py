"""The learning curve: how a number falls with the sentences that a model was tuned on."""

from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.style import chart, model_colour, upright_interval, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.results.numbers import fixed

TABLE = "learning-curve"
COLUMNS = ("size", "key", "by", "level", "mean", "seed_sd")
WHOLE = "all"


def figures(study: Study) -> list[Figure]:
    """A curve for each number, a line for each of its levels, with the spread over repeats."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    return [_figure(str(key), rows) for key, rows in table[table["mean"].notna()].groupby("key", sort=False)]


def _figure(key: str, table: pd.DataFrame) -> Figure:
    rows = [_row(row) for row in table.to_dict("records")]
    levels = list(dict.fromkeys(str(row["model"]) for row in rows))
    across = {"field": "size", "type": "quantitative", "title": "sentences that it was tuned on"}
    upward = {"type": "quantitative", "title": key, "scale": {"zero": False}}
    colour = model_colour(levels)
    at = {"x": across, "y": upward | {"field": "mean"}, "color": colour}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": at},
        {"mark": {"type": "point", "filled": True, "size": 50}, "encoding": at},
        upright_interval(across, upward, colour),
    ]
    title = f"{key} by the sentences tuned on (bars: one standard deviation over repeats)"
    told = "; ".join(f"{row['model']}, {row['size']}: {fixed(row['mean'], 3)}" for row in rows)
    name = slug(f"learning curve {key}")
    return Figure(name, title, f"{title}. {told}.", chart(layers, height=260, data=values(rows)))


def _row(row: "dict[Any, Any]") -> dict[str, Any]:
    mean, spread = float(row["mean"]), float(row["seed_sd"])
    level = row["level"] if isinstance(row["level"], str) and row["level"] else WHOLE
    ends = {"low": mean - spread, "high": mean + spread}
    return {"model": level, "size": int(row["size"]), "mean": mean, **ends}
