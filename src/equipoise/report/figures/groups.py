"""A headline split by what its items are grouped by: categories, parts, patterns."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from equipoise.report.figures.corpora import INSTRUMENTS as CORPORA
from equipoise.report.figures.style import (
    Layer,
    Row,
    axis_of,
    chart,
    colour_of_sides,
    dots_with_intervals,
    line_at,
    model_colour,
    name_of,
    nominal,
    quantitative,
    quantity_of,
    side_named,
    told,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results import Quantity
from equipoise.results.estimate import CROSSED, place_in_words
from equipoise.results.records import shown

FEWEST, MOST = 2, 24
"""Levels that a chart shows: one level is not a comparison, more than these are read in the table."""

MOST_FIGURES = 6
DRAWN_TOGETHER = ("p-male", "p-female")
"""Keys of one model that have a chart of their own, in which both stand side by side."""


def group_figures(measured: Measurement) -> list[Figure]:
    """A chart for each headline and each thing that it is split by."""
    figures = []
    for (key, by), table in _splits(measured):
        quantity = quantity_of(measured, key)
        title = _title(table, quantity, by, several=len(measured.results) > 1)
        name = slug(f"{measured.name} {key} by {by}")
        spec = _spec(table, list(measured.results), quantity)
        figures.append(Figure(name, title, _alt(title, table), spec))
    return figures if measured.instrument in CORPORA else figures[:MOST_FIGURES]


def _splits(measured: Measurement) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """The estimates of every headline's key, by one thing with a few levels."""
    parts = [result.estimates.assign(model=label) for label, result in measured.results.items()]
    estimates = pd.concat(parts, ignore_index=True)
    together = DRAWN_TOGETHER if measured.instrument in CORPORA and len(measured.results) == 1 else ()
    for key in _split_keys(estimates):
        if key in together:
            continue
        rows = estimates[(estimates["key"] == key) & (estimates["by"] != "") & estimates["value"].notna()]
        for by, table in rows.groupby("by", sort=False):
            is_drawn_crossed = measured.instrument in CORPORA and CROSSED in str(by)
            if by != "profession" and not is_drawn_crossed and FEWEST <= table["level"].nunique() <= MOST:
                yield (str(key), str(by)), table


def _split_keys(estimates: pd.DataFrame) -> list[str]:
    """The headlines' keys; where none of them is split by anything, the first that is."""
    split = estimates[estimates["by"] != ""]["key"]
    headlines = list(dict.fromkeys(estimates.loc[estimates["headline"], "key"]))
    return headlines if split.isin(headlines).any() else list(dict.fromkeys(split))[:1]


def _title(table: pd.DataFrame, quantity: Quantity | None, by: str, *, several: bool) -> str:
    """The finding of a chart: its lowest and its highest level, where one model is shown."""
    rows = table.sort_values("value", kind="stable").to_dict("records")
    name = f"{name_of(rows[0], quantity)}, by {by.replace(CROSSED, ' and ')}"
    if several:
        return name
    low, high = rows[0], rows[-1]
    ends = [f"{told(row, quantity)} ({_place(row)})" for row in (low, high)]
    return f"{name}: from {' to '.join(ends)}"


def _place(row: "dict[Any, Any]") -> str:
    """The level of an estimate as people read it, short enough for an axis."""
    return place_in_words(str(row["by"]), str(row["level"]), named=False).partition(", where")[0]


def _spec(table: pd.DataFrame, labels: list[str], quantity: Quantity | None) -> dict[str, Any]:
    several = len(labels) > 1
    rows = [_row(row, quantity) for row in table.to_dict("records")]
    order = list(dict.fromkeys(row["level"] for row in rows))
    colour = model_colour(labels) if several else colour_of_sides(quantity)
    down: dict[str, Any] = nominal("level", sort=order, title=None)
    first = table.iloc[0]
    axis = axis_of(first, quantity)
    across = quantitative(**axis | {"scale": {"zero": False, **axis.get("scale", {})}})
    aside = {"yOffset": nominal("model", sort=labels)} if several else {}
    tooltip = [nominal(name) for name in ("model", "level", "number", "n")]
    shared = {"y": down, "color": colour, **aside}
    neutral: Layer = line_at(float(first["neutral"]), "x")
    layers = [neutral, *dots_with_intervals(across, shared, tooltip)]
    height = len(order) * (6 + 11 * len(labels) if several else 24)
    return chart(layers, height=height, data=values(rows))


def _row(row: "dict[Any, Any]", quantity: Quantity | None) -> Row:
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    interval = f" [{shown(low)}, {shown(high)}]" if low == low else " (too few to tell)"
    return {
        "model": row["model"],
        "level": _place(row),
        "value": value,
        "low": low,
        "high": high,
        "n": int(row["n"]),
        "number": f"{shown(value)}{interval}",
        "side": side_named(row, quantity),
    }


def _alt(title: str, table: pd.DataFrame) -> str:
    numbers = (
        f"{row['model']}, {row['level']} {shown(float(row['value']))}" for row in table.to_dict("records")
    )
    return f"{title}, with 95 % intervals: {'; '.join(numbers)}."
