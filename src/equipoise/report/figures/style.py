"""The look of every chart: colours, words, and a small grammar of Vega-Lite marks and channels.

People with any common colour blindness can tell the colours apart.
"""

from collections.abc import Mapping, Sequence
from math import isnan, log
from typing import Any

from equipoise.report.measurements import Measurement
from equipoise.results.quantity import SCALES, Quantity
from equipoise.results.reading import Measured, sentence_start
from equipoise.results.reading import told as with_side

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


ABOVE, BELOW, UNCLEAR = "#0072B2", "#D55E00", GREY
MEN, WOMEN = ABOVE, BELOW
MODEL_COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00"),
    *("#56B4E9", "#8C6D31", "#7F868F", "#AA4499", "#999933"),
)
SHORT_LEGEND = 45
"""Letters that stand in one line on a narrow page."""

SIDES = {"above": "above neutral", "below": "below neutral", "unclear": "not told from neutral"}
SIDE_COLOURS = (ABOVE, BELOW, UNCLEAR)


def shaded_cells(
    across: Row, down: Row, shade: Row, *, tooltip: Sequence[Row], dark: str, digits: int
) -> list[Layer]:
    """A cell for each row with its number in it, in white where the cell is dark."""
    ink = {"condition": {"test": dark, "value": "white"}, "value": "#1b1f24"}
    number = quantitative("value", format=f".{digits}f")
    return [
        mark("rect", {}, x=across, y=down, color=shade, tooltip=list(tooltip)),
        mark("text", {"fontSize": 10}, x=across, y=down, text=number, color=ink),
    ]


def upright_interval(across: Row, upward: Row, colour: Row) -> Layer:
    """A rule from `low` up to `high` for every row."""
    ends = {"y": upward | {"field": "low"}, "y2": {"field": "high"}}
    return mark("rule", {"opacity": 0.6}, x=across, **ends, color=colour)


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
        mark("rule", {"strokeWidth": 2, "opacity": 0.7}, **ends, **encoding),
        mark("point", dots(60), x=across | {"field": "value"}, tooltip=list(tooltip), **encoding),
    ]


def side_of(low: float, high: float, neutral: float) -> str:
    """On which side of neutral an interval lies."""
    if low > neutral:
        return SIDES["above"]
    return SIDES["below"] if high < neutral else SIDES["unclear"]


def side_colour(legend: bool = True) -> dict[str, Any]:
    """The colour of the side that a number lies on."""
    scale = {"domain": list(SIDES.values()), "range": list(SIDE_COLOURS)}
    title: dict[str, Any] = LEGEND
    return nominal("side", scale=scale, legend=title if legend else None)


def model_colour(labels: Sequence[str]) -> dict[str, Any]:
    """The colour of each model, by its name."""
    colours = [MODEL_COLOURS[place % len(MODEL_COLOURS)] for place in range(len(labels))]
    columns = 3 if sum(map(len, labels)) > SHORT_LEGEND else len(labels)
    legend = {"orient": "top", "title": None, "columns": columns, "labelLimit": 240}
    return nominal("model", scale={"domain": list(labels), "range": colours}, legend=legend)


CANNOT_TELL = "cannot tell"
COLOURS = {
    f"{way} {who}": ink for way in ("towards", "kinder to") for who, ink in (("men", MEN), ("women", WOMEN))
}
OTHER_COLOURS = ("#6B5B95", "#009E73")
"""Sides that are not people have colours of their own, so that nobody takes them for men and women."""

TIMES = (1, 2, 5, 20, 100, 1000, 10_000, 1_000_000)
"""The ratios that stand on an axis of logarithms, as far as it reaches."""

_UNITS = {"times": "times", "points": "points", "percent": "%", "points of 100": "points"}

TIMES_AXIS: Row = {
    "axis": {
        "values": sorted({round(sign * log(times), 6) for times in TIMES for sign in (-1, 1)}),
        "labelExpr": "format(exp(abs(datum.value)), '.2~r') + '×'",
        "labelOverlap": "greedy",
    }
}
"""An axis of logarithms whose numbers say how many times likelier."""


def quantity_of(measured: Measurement, key: str) -> Quantity | None:
    """What the instrument declares about a key; nothing in results that an older version saved."""
    return next((one for one in measured.first.declared if one.key == key and one.name), None)


def name_of(row: Mapping[Any, Any], quantity: Quantity | None) -> str:
    """What people see as the name of an estimate."""
    return sentence_start(quantity.plain_name) if quantity else str(row["label"])


def axis_of(row: Mapping[Any, Any], quantity: Quantity | None) -> Row:
    """The title and the numbers of an axis: in points or percent, with the sides at its ends.

    Women stand on the left, as on the first screen, also where they are what lies above neutral.
    """
    if quantity is None:
        return {"title": f"{row['label']} ({row['unit']})" if row["unit"] else str(row["label"])}
    how = SCALES[quantity.scale].shown
    unit = _UNITS.get(how, str(row["unit"]))
    unit = unit.partition(",")[0]
    title = f"{quantity.plain_name} ({unit})" if unit else quantity.plain_name
    turned: Row = {}
    if quantity.sides:  # the chart's title names the quantity; with it the axis title would be cut
        above, below = (side.removeprefix("towards ") for side in quantity.sides[:2])
        if above.endswith("women"):
            above, below, turned = below, above, {"scale": {"reverse": True}}
        title = f"← {below} · {unit or quantity.plain_name} · {above} →"
    is_share = how in ("points", "percent") and quantity.scale != "percent" and row["unit"] != "%"
    number = "datum.value * 100" if is_share else "datum.value"
    if how == "points" or how == "points of 100":
        number = f"abs({number})"
    labels = {"axis": {"labelExpr": f"format({number}, '~g')"}} if how in _UNITS else {}
    return {"title": title, **turned, **(TIMES_AXIS if how == "times" else labels)}


def told(row: Mapping[Any, Any], quantity: Quantity | None) -> str:
    """A number with its side in words."""
    if quantity is None:
        return f"{float(row['value']):.3g}"
    return with_side(Measured.of(row, quantity), quantity)


def sides_of(quantity: Quantity | None) -> dict[str, str]:
    """The words above and below neutral, and for no difference found, with their colours."""
    above, below = quantity.sides[:2] if quantity and quantity.sides else ("above neutral", "below neutral")
    others = iter(OTHER_COLOURS)
    colours = {side: COLOURS[side] if side in COLOURS else next(others) for side in (above, below)}
    return {**colours, CANNOT_TELL: UNCLEAR}


def side_named(row: Mapping[Any, Any], quantity: Quantity | None) -> str:
    """On which side of neutral the interval of an estimate lies."""
    above, below, unclear = sides_of(quantity)
    low, high, neutral = (float(row[name]) for name in ("low", "high", "neutral"))
    if isnan(low):
        return unclear
    return above if low > neutral else below if high < neutral else unclear


def colour_of_sides(quantity: Quantity | None) -> Row:
    """The colour of the side that a number is on, with its legend; a number without sides has one colour."""
    if quantity is not None and not quantity.sides:
        return {"value": OTHER_COLOURS[0]}
    sides = sides_of(quantity)
    scale = {"domain": list(sides), "range": list(sides.values())}
    return nominal("side", scale=scale, legend=LEGEND)
