"""Words of charts: what an axis, a title and a colour say of a quantity."""

from collections.abc import Mapping
from math import isnan
from typing import Any

from equipoise.report.figures.style import MEN, UNCLEAR, WOMEN, Row
from equipoise.report.measurements import Measurement
from equipoise.results.quantity import SCALES, Quantity
from equipoise.results.reading import Measured, amount, distances, sentence_start, side_of

CANNOT_TELL = "cannot tell"
COLOURS = {"towards men": MEN, "towards women": WOMEN}
OTHER_COLOURS = ("#6B5B95", "#009E73")
"""Sides that are no people have colours of their own, so that nobody takes them for men and women."""

_UNITS = {"points": "points", "percent": "%", "points of 100": "points of 100"}


def quantity_of(measured: Measurement, key: str) -> Quantity | None:
    """What the instrument declares about a key; nothing in results that an older version saved."""
    return next((one for one in measured.first.declared if one.key == key and one.name), None)


def name_of(row: Mapping[Any, Any], quantity: Quantity | None) -> str:
    """What people see as the name of an estimate."""
    return sentence_start(quantity.plain_name) if quantity else str(row["label"])


def axis_of(row: Mapping[Any, Any], quantity: Quantity | None) -> Row:
    """The title and the numbers of an axis: in points or percent, with the sides at its ends."""
    if quantity is None:
        return {"title": f"{row['label']} ({row['unit']})" if row["unit"] else str(row["label"])}
    how = SCALES[quantity.scale].shown
    unit = _UNITS.get(how, str(row["unit"]))
    title = f"{quantity.plain_name} ({unit})" if unit else quantity.plain_name
    if quantity.sides:
        above, below = (side.removeprefix("towards ") for side in quantity.sides[:2])
        title = f"← {below} · {title} · {above} →"
    is_share = how in ("points", "percent") and quantity.scale != "percent" and row["unit"] != "%"
    number = "datum.value * 100" if is_share else "datum.value"
    if how == "points" or how == "points of 100":
        number = f"abs({number})"
    return {"title": title} | ({"axis": {"labelExpr": f"format({number}, '~g')"}} if how in _UNITS else {})


def told(row: Mapping[Any, Any], quantity: Quantity | None) -> str:
    """A number with its side in words."""
    if quantity is None:
        value = float(row["value"])
        return f"{value:.3g}"
    measured = Measured.of(row, quantity)
    return f"{amount(distances(measured, quantity)[0], quantity)} {side_of(measured, quantity)}".strip()


def sides_of(quantity: Quantity | None) -> dict[str, str]:
    """The words above and below neutral, and for what cannot be told, with their colours."""
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
    return {"field": "side", "type": "nominal", "scale": scale, "legend": {"orient": "top", "title": None}}
