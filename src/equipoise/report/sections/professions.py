"""Professions before and after: bars by category, what was read about in training, and the fitted line."""

from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.leans import LEANS, leans_figure
from equipoise.report.figures.style import UNCLEAR, Layer, chart, line_at, model_colour, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.results.numbers import fixed

TABLE = "professions"
SIDES = ("before", "after")
MOST_CATEGORIES = 8


def figures(study: Study) -> list[Figure]:
    """The scatter of all, then the bars of each category."""
    table = study.tables.get(TABLE)
    if table is None or not {*LEANS, "category"} <= set(table.columns):
        return []
    scatter = leans_figure("professions leans", table)
    bars = [_bars(str(name), rows) for name, rows in table.groupby("category", sort=False)]
    return [*([scatter] if scatter else []), *bars[:MOST_CATEGORIES]]


def _bars(category: str, table: pd.DataFrame) -> Figure:
    ordered = table.sort_values("before", kind="stable")
    order = ordered["profession"].tolist()
    rows = [
        {"profession": row["profession"], "model": side, "appd": float(row[side])}
        for row in ordered.to_dict("records")
        for side in SIDES
    ]
    down: dict[str, Any] = {"field": "profession", "type": "nominal", "sort": order, "title": None}
    across = {"field": "appd", "type": "quantitative", "title": "APPD (right: male)"}
    tooltip = [{"field": name} for name in ("profession", "model", "appd")]
    aside = {"field": "model", "type": "nominal", "sort": list(SIDES)}
    bar = {"x": across, "y": down, "yOffset": aside, "color": model_colour(SIDES), "tooltip": tooltip}
    layers: list[Layer] = [{"mark": {"type": "bar"}, "encoding": bar}, line_at(0, "x"), *_seen(ordered, down)]
    marked = "; a diamond: it stands in the training text" if "seen" in table else ""
    title = f"{category}: APPD before and after{marked}"
    told = "; ".join(
        f"{row['profession']}: {fixed(row['before'], 2)} to {fixed(row['after'], 2)}"
        for row in ordered.to_dict("records")
    )
    spec = chart(layers, height=18 * len(order), data=values(rows))
    return Figure(slug(f"professions {category}"), title, f"{title}. {told}.", spec)


def _seen(table: pd.DataFrame, down: dict[str, Any]) -> list[Layer]:
    """A mark at zero for every profession that the training text names."""
    if "seen" not in table:
        return []
    rows = [{"profession": name, "at": 0} for name in table.loc[table["seen"].astype(bool), "profession"]]
    mark = {"type": "point", "shape": "diamond", "filled": True, "size": 45, "opacity": 1, "color": UNCLEAR}
    at = {"x": {"field": "at", "type": "quantitative"}, "y": down}
    return [{"data": values(rows), "mark": mark, "encoding": at}]
