"""Professions before and after: bars by category, marks for those named in training, and the fitted line."""

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
MOST_CATEGORIES = 24
WORDS = "gender-related words"
"""The chart of the categories that are about one word each, such as Pregnancy: Fig. 12 of the thesis."""


def figures(study: Study) -> list[Figure]:
    """The scatter of all, then the bars of each category."""
    table = study.tables.get(TABLE)
    if table is None or not {*LEANS, "category"} <= set(table.columns):
        return []
    scatter = leans_figure("professions leans", table)
    bars = [_bars(str(name), rows) for name, rows in _charted(table).groupby("category", sort=False)]
    return [*([scatter] if scatter else []), *bars[:MOST_CATEGORIES]]


def _charted(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the guard's categories of a single word put together."""
    counts = table.groupby("category")["profession"].transform("size")
    is_word = (table["part"] == "guard") & (counts == 1)
    return table.assign(category=table["category"].mask(is_word, WORDS))


def _bars(category: str, table: pd.DataFrame) -> Figure:
    ordered = table.sort_values("before", kind="stable")
    order = ordered["profession"].tolist()
    rows = [
        {"profession": row["profession"], "model": side, "appd": float(row[side]), **_ends(row, side)}
        for row in ordered.to_dict("records")
        for side in SIDES
    ]
    down: dict[str, Any] = {"field": "profession", "type": "nominal", "sort": order, "title": None}
    across = {"field": "appd", "type": "quantitative", "title": "APPD (right: male)"}
    tooltip = [{"field": name} for name in ("profession", "model", "appd")]
    aside = {"field": "model", "type": "nominal", "sort": list(SIDES)}
    bar = {"x": across, "y": down, "yOffset": aside, "color": model_colour(SIDES), "tooltip": tooltip}
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": down, "yOffset": aside}
    layers: list[Layer] = [
        {"mark": {"type": "bar"}, "encoding": bar},
        {"mark": {"type": "rule", "opacity": 0.8, "color": "#3A3F45"}, "encoding": ends},
        line_at(0, "x"),
        *_seen(ordered, down),
    ]
    marked = "; a diamond: the training text names it" if "seen" in table else ""
    title = f"{category}: APPD before and after, with 95 % intervals{marked}"
    told = "; ".join(
        f"{row['profession']}: {fixed(row['before'], 2)} to {fixed(row['after'], 2)}"
        + (" (named in the training text)" if row.get("seen") else "")
        for row in ordered.to_dict("records")
    )
    spec = chart(layers, height=18 * len(order), data=values(rows))
    return Figure(slug(f"professions {category}"), title, f"{title}. {told}.", spec)


def _ends(row: "dict[Any, Any]", side: str) -> dict[str, float]:
    return {end: float(row.get(f"{side}_{end}", "nan")) for end in ("low", "high")}


def _seen(table: pd.DataFrame, down: dict[str, Any]) -> list[Layer]:
    """A mark at zero for every profession that the training text names."""
    if "seen" not in table or not table["seen"].astype(bool).any():
        return []
    rows = [{"profession": name, "at": 0} for name in table.loc[table["seen"].astype(bool), "profession"]]
    mark = {"type": "point", "shape": "diamond", "filled": True, "size": 45, "opacity": 1, "color": UNCLEAR}
    at = {"x": {"field": "at", "type": "quantitative"}, "y": down}
    return [{"data": values(rows), "mark": mark, "encoding": at}]
