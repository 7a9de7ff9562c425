"""Sample size: how far a score moves with the number of items that it rests on."""

from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.style import chart, model_colour, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.results.numbers import fixed

TABLE = "sample-size"
COLUMNS = ("design", "category", "size", "mean", "lowest", "highest")
DESIGNS = {
    "bootstrap": "drawn with replacement: how far other items of the same kind would move it",
    "published": "drawn without replacement, as published: near the full size samples share their items",
}


def figures(study: Study) -> list[Figure]:
    """A chart for each design: the mean of the draws and how far they reach."""
    table = study.tables.get(TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    return [_figure(table[table["design"] == name], name) for name in DESIGNS if name in set(table["design"])]


def _figure(table: pd.DataFrame, design: str) -> Figure:
    rows = [
        {"model": str(row["category"]), **{name: row[name] for name in COLUMNS[2:]}}
        for row in table.to_dict("records")
    ]
    labels = list(dict.fromkeys(row["model"] for row in rows))
    across = {
        "field": "size",
        "type": "ordinal",
        "title": "items drawn from each category",
        "axis": {"labelAngle": 0},
    }
    aside = {"field": "model", "type": "nominal", "sort": labels}
    upward = {"type": "quantitative", "title": "score (bar: all draws)", "scale": {"zero": False}}
    colour = model_colour(labels)
    shared = {"x": across, "xOffset": aside, "color": colour}
    tooltip = [{"field": name} for name in ("model", *COLUMNS[2:])]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
            "encoding": {**shared, "y": upward | {"field": "lowest"}, "y2": {"field": "highest"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
            "encoding": {**shared, "y": upward | {"field": "mean"}, "tooltip": tooltip},
        },
    ]
    title = f"Score by sample size, {DESIGNS[design]}"
    told = "; ".join(
        f"{row['model']}, {row['size']} items: {fixed(row['mean'], 3)}, from {fixed(row['lowest'], 3)} to "
        f"{fixed(row['highest'], 3)}"
        for row in rows
    )
    spec = chart(layers, height=260, data=values(rows))
    return Figure(slug(f"sample size {design}"), title, f"{title}. {told}.", spec)
