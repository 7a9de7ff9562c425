"""The look of every chart: colours that people with any common colour blindness can tell apart."""

from collections.abc import Sequence
from typing import Any

from equipoise.report.figures.vega import GREY, LEGEND, Layer, Row, dots, mark, nominal, quantitative

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
