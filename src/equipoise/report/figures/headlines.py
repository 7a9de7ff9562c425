"""The chart to look at first: every headline with its interval, each against its own neutral value."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.style import (
    SHAPES,
    SIDES,
    Layer,
    Row,
    chart,
    line_at,
    model_colour,
    side_colour,
    side_of,
    values,
)
from equipoise.report.measurements import Measurement
from equipoise.results.reading import shown

LABEL_ROOM, STRIP = 26, 15
"""Pixels of a headline's name, and of each model below it."""

BELOW_BAR, _NARROW = 27, "width < 480"
"""How far down a number goes on a narrow page, where a name needs the whole line."""

GOOD = {"higher": ", high is good", "lower": ", low is good"}
"""What is said of numbers that are not good at their neutral value."""

NOT_MEANINGFUL = "not meaningful"


def headline_figure(measured: Sequence[Measurement]) -> Figure:
    """All headlines of all models under each other; a row's scale is its own, the line is neutral."""
    rows, names, height = _placed(measured)
    labels = list(dict.fromkeys(str(row["model"]) for row in rows))
    several = len(labels) > 1
    colour = model_colour(labels) if several else side_colour()
    shape = {"shape": colour | {"scale": _shapes(labels)}} if several else {}
    across: dict[str, Any] = {"type": "quantitative", "scale": {"domain": [-1.06, 1.06]}, "axis": None}
    down = {
        "field": "y",
        "type": "quantitative",
        "scale": {"domain": [0, height], "range": [0, height]},
        "axis": None,
    }
    tooltip = [{"field": name, "type": "nominal"} for name in ("model", "instrument", "estimate", "number")]
    layers: list[Layer] = [
        line_at(0, "x", scale=across["scale"], axis=None),
        _words(names, down, "name", "left"),
        {
            "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.75},
            "encoding": {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": down, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {
                "x": across | {"field": "value"},
                "y": down,
                "color": colour,
                **shape,
                "fillOpacity": {"condition": {"test": "datum.void", "value": 0}, "value": 1},
                "tooltip": tooltip,
            },
        },
    ]
    if not several:
        layers.append(_words([_number_row(row) for row in rows], down, "number", "right"))
    return Figure(
        "headlines", "What to read first", _alt(rows), chart(layers, height=height, data=values(rows))
    )


def _shapes(labels: Sequence[str]) -> dict[str, Any]:
    return {"domain": list(labels), "range": [SHAPES[place % len(SHAPES)] for place in range(len(labels))]}


def _placed(measured: Sequence[Measurement]) -> tuple[list[Row], list[Row], int]:
    """A row for each headline of each model, the names above them, and the height of all."""
    rows: list[Row] = []
    names: list[Row] = []
    top = 6
    for one in measured:
        for (_, by, level), group in _headlines(one).groupby(["key", "by", "level"], sort=False):
            first = group.iloc[0]
            where = f" ({by} {level})" if by else ""
            good = GOOD.get(str(first["better"]), "")
            names.append({"name": f"{one.instrument}: {first['label']}{where}{good}", "y": top + 8})
            scale = _scale(group)
            for place, row in enumerate(group.to_dict("records")):
                y = top + LABEL_ROOM - 4 + STRIP * place
                rows.append(_row(one, row, scale) | {"y": y})
            top += LABEL_ROOM + STRIP * len(group)
    return rows, names, top


def _headlines(measured: Measurement) -> pd.DataFrame:
    tables = [result.headlines().assign(model=label) for label, result in measured.results.items()]
    return pd.concat(tables, ignore_index=True)


def _scale(group: pd.DataFrame) -> float:
    """The farthest that anything in the row lies from neutral."""
    ends = group[["value", "low", "high"]].sub(group["neutral"], axis=0).abs()
    largest = float(ends.max().max())
    return largest if largest > 0 else 1.0


def _row(measured: Measurement, row: "dict[Any, Any]", scale: float) -> Row:
    value, low, high, neutral = (float(row[name]) for name in ("value", "low", "high", "neutral"))
    places = {
        name: (number - neutral) / scale for name, number in (("value", value), ("low", low), ("high", high))
    }
    side = SIDES["unclear"] if row["void"] else side_of(value, low, high, neutral)
    interval = f" [{shown(low)}, {shown(high)}]" if low == low else " (too few to tell)"
    number = f"{shown(value)}{interval}" if value == value else "no value"
    return {
        "model": row["model"],
        "instrument": measured.instrument,
        "estimate": row["label"],
        "number": f"{number}, {NOT_MEANINGFUL}" if row["void"] else number,
        "side": side,
        "void": bool(row["void"]),
        **places,
    }


def _number_row(row: Row) -> Row:
    return {"number": row["number"], "y": row["y"] - LABEL_ROOM + 12}


def _words(rows: Sequence[Row], down: dict[str, Any], field: str, align: str) -> Layer:
    """Names at the left edge, or numbers at the right one."""
    return {
        "data": values(rows),
        "mark": {
            "type": "text",
            "align": align,
            "baseline": "middle",
            "fontSize": 11.5,
            "limit": {"expr": f"{_NARROW} ? width : width - 165"},
            "dy": {"expr": f"{_NARROW} ? {BELOW_BAR} : 0"} if align == "right" else 0,
        },
        "encoding": {
            "x": {"value": 0 if align == "left" else "width"},
            "y": down,
            "text": {"field": field, "type": "nominal"},
        },
    }


def _alt(rows: Sequence[Row]) -> str:
    told = (
        f"{row['model']}, {row['instrument']}, {row['estimate']}: {row['number']}, {row['side']}"
        for row in rows
    )
    return "Headline estimates with 95 % intervals. " + "; ".join(told) + "."
