"""Dots with their intervals, a row for each name: the picture that most studies need."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import pandas as pd

from equipoise.instruments import declared_quantities
from equipoise.report.figures.style import (
    ABOVE,
    Layer,
    Row,
    chart,
    dots_with_intervals,
    line_at,
    model_colour,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.results import Quantity
from equipoise.results.reading import sentence_start
from equipoise.results.records import shown


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


def found(rows: Sequence[Row], quantity: Quantity | None, label: str) -> str:
    """The finding of a chart as its title: which row is nearest to what is good."""
    known = [row for row in rows if row["value"] == row["value"]]
    name = sentence_start(quantity.plain_name) if quantity else label
    if quantity is None or len(known) < 2:
        return name
    if quantity.better == "higher":
        best, word = max(known, key=lambda row: float(row["value"])), "highest"
    else:
        best, word = (
            min(known, key=lambda row: abs(float(row["value"]) - quantity.neutral)),
            "nearest to neutral",
        )
    return f"{name}: {word} with {_named(best)}"


def declared(instrument: object, key: object) -> Quantity | None:
    """The quantity that an instrument declares under a key."""
    return declared_quantities(str(instrument)).get(str(key))


def reach(rows: Sequence[Row]) -> str:
    """From where to where numbers go, and whose the ends are; nothing for fewer than two."""
    ordered = sorted(
        (row for row in rows if row["value"] == row["value"]), key=lambda row: float(row["value"])
    )
    if len(ordered) < 2:
        return ""
    ends = [f"{shown(row['value'])} ({_named(row)})" for row in (ordered[0], ordered[-1])]
    return f": from {ends[0]} to {ends[1]}"


def sided_axis(quantity: Quantity | None, label: str, unit: str) -> str:
    """The title of an axis, with the sides at its ends in words."""
    text = f"{label} ({unit})" if unit else label
    if quantity is None or not quantity.sides:
        return text
    above, below = (side.removeprefix("towards ").removeprefix("kinder to ") for side in quantity.sides[:2])
    return f"← {below} · {text} · {above} →"


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
    return dot_figure(name, f"{title}{reach(rows)}", rows, axis=axis)


def short_names(names: Sequence[str]) -> list[str]:
    """The last part of each path, where that tells them apart."""
    short = [PurePath(name).name or name for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def _spec(rows: Sequence[Row], axis: str, neutral: float | None) -> dict[str, Any]:
    names = list(dict.fromkeys(str(row["name"]) for row in rows))
    models = [model for model in dict.fromkeys(str(row["model"]) for row in rows) if model]
    colour = model_colour(models) if models else {"value": ABOVE}
    aside = {"yOffset": nominal("model", sort=models)} if len(models) > 1 else {}
    down: Row = nominal("name", sort=names, title=None, axis={"labelLimit": 220})
    across = quantitative(title=axis, scale={"zero": False})
    tooltip = [nominal(field) for field in ("name", "number")]
    layers: list[Layer] = [] if neutral is None else [line_at(neutral, "x")]
    layers += dots_with_intervals(across, {"y": down, "color": colour, **aside}, tooltip)
    row_height = 26 if len(models) < 2 else 6 + 11 * len(models)
    return chart(layers, height=row_height * max(len(names), 2), data=values(rows))
