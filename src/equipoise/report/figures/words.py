"""Words of charts: what an axis, a title and a colour say of a quantity."""

from collections.abc import Mapping
from math import isnan
from typing import Any

from equipoise.report.figures.style import MEN, UNCLEAR, WOMEN
from equipoise.report.figures.vega import LEGEND, Row, nominal
from equipoise.report.measurements import Measurement
from equipoise.results.quantity import SCALES, Quantity
from equipoise.results.reading import Measured, sentence_start
from equipoise.results.reading import told as with_side

CANNOT_TELL = "cannot tell"
COLOURS = {
    f"{way} {who}": ink for way in ("towards", "kinder to") for who, ink in (("men", MEN), ("women", WOMEN))
}
OTHER_COLOURS = ("#6B5B95", "#009E73")
"""Sides that are not people have colours of their own, so that nobody takes them for men and women."""

_UNITS = {"points": "points", "percent": "%", "points of 100": "points of 100"}


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
    return {"title": title, **turned, **labels}


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
