"""The look of every chart: colours that people with any common colour blindness can tell apart."""

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
Layer = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 640
"""Width of a chart in a file; a page makes it as wide as there is room."""

ABOVE, BELOW, UNCLEAR = "#0072B2", "#D55E00", "#7F868F"
MEN, WOMEN = ABOVE, BELOW
MODEL_COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
    *("#56B4E9", "#8C6D31", "#7F868F", "#AA4499", "#999933"),
)
SHORT_LEGEND = 45
"""Letters that stand in one line on a narrow page."""

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
"""Models differ in shape as well as in colour."""

SIDES = {"above": "above neutral", "below": "below neutral", "unclear": "not told from neutral"}
SIDE_COLOURS = (ABOVE, BELOW, UNCLEAR)


def chart(layers: Sequence[Layer], *, height: int, **more: Any) -> dict[str, Any]:
    """A chart of layers that fills the width it is given."""
    return {
        "$schema": SCHEMA,
        "width": WIDTH,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": list(layers),
        **more,
    }


def values(rows: Sequence[Row]) -> dict[str, Any]:
    """Rows as a chart's data, numbers short enough for a drawing and NaN left out."""
    return {"values": [{name: _short(cell) for name, cell in row.items()} for row in rows]}


def line_at(value: float, axis: str, /, **channel: Any) -> Layer:
    """The dashed line of a neutral value; `channel` is what its axis shares with other layers."""
    return {
        "data": {"values": [{"at": value}]},
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": UNCLEAR},
        "encoding": {axis: {"field": "at", "type": "quantitative", **channel}},
    }


def upright_interval(across: Row, upward: Row, colour: Row) -> Layer:
    """A rule from `low` up to `high` for every row."""
    ends = {"y": upward | {"field": "low"}, "y2": {"field": "high"}}
    return {
        "mark": {"type": "rule", "opacity": 0.6},
        "encoding": {"x": across, **ends, "color": colour},
    }


def crossed_intervals(x: Row, y: Row, colour: Row) -> list[Layer]:
    """Through every point a rule in either direction, from its field's `_low` to its `_high`."""
    flat = {"x": x | {"field": f"{x['field']}_low"}, "x2": {"field": f"{x['field']}_high"}, "y": y}
    upright = {"x": x, "y": y | {"field": f"{y['field']}_low"}, "y2": {"field": f"{y['field']}_high"}}
    rule = {"type": "rule", "opacity": 0.6, "strokeWidth": 1.5}
    return [{"mark": rule, "encoding": ends | {"color": colour}} for ends in (flat, upright)]


def dots_with_intervals(across: Row, encoding: Row, tooltip: Sequence[Row]) -> list[Layer]:
    """A dot at `value` and a rule from `low` to `high` for every row; `encoding` is what both share."""
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}}
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.7},
            "encoding": ends | encoding,
        },
        {
            "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
            "encoding": {"x": across | {"field": "value"}, "tooltip": list(tooltip)} | encoding,
        },
    ]


def side_of(low: float, high: float, neutral: float) -> str:
    """On which side of neutral an interval lies."""
    if low > neutral:
        return SIDES["above"]
    return SIDES["below"] if high < neutral else SIDES["unclear"]


def side_colour(legend: bool = True) -> dict[str, Any]:
    """The colour of the side that a number lies on."""
    scale = {"domain": list(SIDES.values()), "range": list(SIDE_COLOURS)}
    title: dict[str, Any] = {"orient": "top", "title": None}
    return {"field": "side", "type": "nominal", "scale": scale, "legend": title if legend else None}


def model_colour(labels: Sequence[str]) -> dict[str, Any]:
    """The colour of each model, by its name."""
    colours = [MODEL_COLOURS[place % len(MODEL_COLOURS)] for place in range(len(labels))]
    columns = 3 if sum(map(len, labels)) > SHORT_LEGEND else len(labels)
    legend = {"orient": "top", "title": None, "columns": columns, "labelLimit": 240}
    return {
        "field": "model",
        "type": "nominal",
        "scale": {"domain": list(labels), "range": colours},
        "legend": legend,
    }


def _short(cell: Any) -> Any:
    if not isinstance(cell, float):
        return cell
    return None if cell != cell or cell in (float("inf"), -float("inf")) else float(f"{cell:.6g}")
