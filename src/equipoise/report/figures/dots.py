"""Dots with their intervals, a row for each name: the picture that most studies need."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import pandas as pd

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
    told = "; ".join(f"{_named(row)}: {row['number']}" for row in known)
    return Figure(slug(name), title, f"{title}. {told}.", _spec(known, axis, neutral))


def _named(row: Row) -> str:
    return f"{row['name']}, {row['model']}" if row["model"] else str(row["name"])


def crossed_figure(
    name: str, title: str, table: pd.DataFrame, *, down: str, across: str, axis: str
) -> Figure:
    """A row for each level of `down`, and in it a dot with its interval for each level of `across`."""
    levels = list(dict.fromkeys(map(str, table[across])))
    named = dict(zip(levels, short_names(levels), strict=True))
    rows = [
        dot(str(row[down]), row["value"], row["low"], row["high"], named[str(row[across])])
        for row in table.to_dict("records")
    ]
    return dot_figure(name, title, rows, axis=axis)


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path, where that tells them apart."""
    short = [PurePath(name).name or name for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


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
