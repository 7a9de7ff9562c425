"""Dots with their intervals, a row for each name: the picture that most studies need."""

from collections.abc import Sequence
from typing import Any

from equipoise.report.elements import Figure
from equipoise.report.figures.style import (
    ABOVE,
    Layer,
    Row,
    chart,
    dots_with_intervals,
    line_at,
    model_colour,
    values,
)
from equipoise.report.measurements import slug
from equipoise.results.numbers import shown


def dot(name: str, value: float, low: float, high: float, model: str = "") -> Row:
    """One row: a number with its interval, NaN where it has none; `model` is the colour it gets."""
    interval = f" [{shown(low)}, {shown(high)}]" if low == low else ""
    return {
        "name": name,
        "model": model,
        "value": value,
        "low": low,
        "high": high,
        "number": f"{shown(value)}{interval}",
    }


def dot_figure(
    name: str, title: str, rows: Sequence[Row], *, axis: str, neutral: float | None = None
) -> Figure:
    """A chart of rows made by `dot`, in the order given; those without a value are left out."""
    known = [row for row in rows if row["value"] == row["value"]]
    told = "; ".join(f"{row['name']}: {row['number']}" for row in known)
    return Figure(slug(name), title, f"{title}. {told}.", _spec(known, axis, neutral))


def _spec(rows: Sequence[Row], axis: str, neutral: float | None) -> dict[str, Any]:
    names = list(dict.fromkeys(str(row["name"]) for row in rows))
    models = [model for model in dict.fromkeys(str(row["model"]) for row in rows) if model]
    colour = model_colour(models) if models else {"value": ABOVE}
    aside = {"yOffset": {"field": "model", "type": "nominal", "sort": models}} if len(models) > 1 else {}
    down: Row = {
        "field": "name",
        "type": "nominal",
        "sort": names,
        "title": None,
        "axis": {"labelLimit": 220},
    }
    across = {"type": "quantitative", "title": axis, "scale": {"zero": False}}
    tooltip = [{"field": field, "type": "nominal"} for field in ("name", "number")]
    layers: list[Layer] = [] if neutral is None else [line_at(neutral, "x")]
    layers += dots_with_intervals(across, {"y": down, "color": colour, **aside}, tooltip)
    row_height = 26 if len(models) < 2 else 6 + 11 * len(models)
    return chart(layers, height=row_height * max(len(names), 2), data=values(rows))
