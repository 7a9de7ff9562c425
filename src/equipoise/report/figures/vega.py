"""The grammar of charts: marks, channels and layers of Vega-Lite, as JSON values."""

from collections.abc import Sequence
from typing import Any

Row = dict[str, Any]
Layer = dict[str, Any]
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 640
"""Width of a chart in a file; a page makes it as wide as there is room."""

GREY = "#7F868F"
LEGEND = {"orient": "top", "title": None}
"""The legend of every chart: above it, and without a title."""


def mark(kind: str, looks: Row, **encoding: Any) -> Layer:
    """A layer of marks of one kind, with their looks and what their channels show."""
    return {"mark": {"type": kind, **looks}, "encoding": encoding}


def dots(size: int, opacity: float = 1) -> Row:
    """The looks of points that are filled."""
    return {"filled": True, "size": size, "opacity": opacity}


def quantitative(field: str = "", **more: Any) -> Row:
    """A channel for numbers; without a field, what several channels share."""
    return {"type": "quantitative", **({"field": field} if field else {}), **more}


def nominal(field: str, **more: Any) -> Row:
    """A channel for names."""
    return {"field": field, "type": "nominal", **more}


def hover(*fields: str, **more: str) -> list[Row]:
    """What is shown of the mark under the pointer."""
    return [{"field": field, **more} for field in fields]


def chart(layers: Sequence[Layer], *, height: int, **more: Any) -> dict[str, Any]:
    """A chart of layers that fills the width it is given; without intervals it has no layer of them."""
    rows = more.get("data", {}).get("values", ())
    known = {name for row in rows for name, cell in row.items() if cell is not None}
    layers = [one for one in layers if "data" in one or _second_ends(one) <= known]
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
        "mark": {"type": "rule", "strokeDash": [4, 3], "color": GREY},
        "encoding": {axis: {"field": "at", "type": "quantitative", **channel}},
    }


def _second_ends(layer: Layer) -> set[str]:
    """The fields up to which a layer draws; where no row has one Vega warns on the console."""
    encoding = layer.get("encoding", {})
    return {encoding[end]["field"] for end in ("x2", "y2") if end in encoding}


def _short(cell: Any) -> Any:
    if not isinstance(cell, float):
        return cell
    return None if cell != cell or cell in (float("inf"), -float("inf")) else float(f"{cell:.6g}")
