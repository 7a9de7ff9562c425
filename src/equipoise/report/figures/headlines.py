"""The chart to look at first: every headline with its interval, each against its own neutral value."""

from collections.abc import Sequence
from typing import Any, NamedTuple

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
from equipoise.results.estimate import NOT_MEANINGFUL
from equipoise.results.numbers import shown

LABEL_ROOM, STRIP = 26, 15
"""Pixels of a headline's name, and of each model below it."""

LETTER = 5.9
"""Pixels of a letter of a number, on average."""

BELOW_BAR, _NARROW = 27, "width < 480"
"""How far down a number goes on a narrow page, where a name needs the whole line."""

GOOD = {"higher": ", high is good", "lower": ", low is good"}
"""What is said of numbers that are not good at their neutral value."""


def headline_figure(measured: Sequence[Measurement]) -> Figure:
    """All headlines of all models under each other; a row's scale is its own, the line is neutral."""
    placed = _placed(measured)
    rows = placed.rows
    labels = list(dict.fromkeys(str(row["model"]) for row in rows))
    several = len(labels) > 1
    colour = model_colour(labels) if several else side_colour()
    shape = {"shape": colour | {"scale": _shapes(labels)}} if several else {}
    room = _rooms(rows) if several else None
    across = _across(room)
    down = {
        "field": "y",
        "type": "quantitative",
        "scale": {"domain": [0, placed.height], "range": [0, placed.height]},
        "axis": None,
    }
    layers: list[Layer] = [
        _neutral_line(placed.strips, across, down),
        _words(placed.names, down, "name", "left", whole=several),
        {
            "mark": {"type": "rule", "strokeWidth": 2.5, "opacity": 0.75},
            "encoding": {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": down, "color": colour},
        },
        _dots(across, down, colour, shape),
    ]
    if room is None:
        layers.append(_words([_number_row(row) for row in rows], down, "number", "right"))
    else:
        layers += _numbers_beside(room, down)
    drawn = chart(layers, height=placed.height, data=values(rows))
    return Figure("headlines", "What to read first", _alt(rows), drawn)


def _across(room: "_Rooms | None") -> dict[str, Any]:
    """The axis from side to side; it ends where numbers begin."""
    scale: dict[str, Any] = {"domain": [-1.06, 1.06]}
    if room is not None:
        scale["range"] = [0, {"expr": f"width - ({room.taken})"}]
    return {"type": "quantitative", "scale": scale, "axis": None}


def _neutral_line(strips: Sequence[Row], across: dict[str, Any], down: dict[str, Any]) -> Layer:
    """A dashed line beside the marks of each headline, which leaves the names free."""
    line = line_at(0, "x", scale=across["scale"], axis=None)
    line["data"] = values([{"at": 0, **strip} for strip in strips])
    line["encoding"] |= {"y": down, "y2": {"field": "bottom"}}
    return line


def _dots(across: Row, down: Row, colour: Row, shape: Row) -> Layer:
    """A mark for each number, hollow where it is not meaningful."""
    told = ("model", "instrument", "estimate", "number")
    return {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1, "strokeWidth": 1.5},
        "encoding": {
            "x": across | {"field": "value"},
            "y": down,
            "color": colour,
            "stroke": colour,
            **shape,
            "fillOpacity": {"condition": {"test": "datum.void", "value": 0}, "value": 1},
            "tooltip": [{"field": name, "type": "nominal"} for name in told],
        },
    }


class _Rooms(NamedTuple):
    """Pixels that values and their intervals need at the right edge."""

    value: int
    interval: int

    @property
    def fits(self) -> str:
        """Whether intervals leave enough room for the marks, as an expression of Vega."""
        return f"width >= {2 * (self.value + self.interval)}"

    @property
    def beside(self) -> str:
        """What stands to the right of a value."""
        return f"{self.fits} ? {self.interval} : 0"

    @property
    def taken(self) -> str:
        """What all of it takes."""
        return f"{self.value} + ({self.beside})"


def _rooms(rows: Sequence[Row]) -> _Rooms:
    longest = {name: max(len(row[name]) for row in rows) for name in ("short", "interval")}
    return _Rooms(round(LETTER * longest["short"]) + 12, round(LETTER * longest["interval"]) + 5)


def _numbers_beside(room: _Rooms, down: dict[str, Any]) -> list[Layer]:
    """The value of each mark in its row, and the interval where the page is wide enough."""
    look = {"type": "text", "baseline": "middle", "fontSize": 11}
    place = {"value": {"expr": f"width - ({room.beside})"}}
    return [
        {
            "mark": look | {"align": "right"},
            "encoding": {"x": place, "y": down, "text": {"field": "short", "type": "nominal"}},
        },
        {
            "mark": look | {"align": "left", "dx": 5, "text": {"expr": f"{room.fits} ? datum.interval : ''"}},
            "encoding": {"x": place, "y": down},
        },
    ]


def _shapes(labels: Sequence[str]) -> dict[str, Any]:
    return {"domain": list(labels), "range": [SHAPES[place % len(SHAPES)] for place in range(len(labels))]}


class _Placed(NamedTuple):
    """Where everything stands: marks, names, the strips that marks lie in, and the height of all."""

    rows: list[Row]
    names: list[Row]
    strips: list[Row]
    height: int


def _placed(measured: Sequence[Measurement]) -> _Placed:
    """A row for each headline of each model below the headline's name."""
    placed = _Placed([], [], [], 0)
    top = 6
    for one in measured:
        for (_, by, level), group in _headlines(one).groupby(["key", "by", "level"], sort=False):
            first = group.iloc[0]
            where = f" ({by} {level})" if by else ""
            good = GOOD.get(str(first["better"]), "")
            placed.names.append({"name": f"{one.instrument}: {first['label']}{where}{good}", "y": top + 8})
            scale = _scale(group)
            ys = [top + LABEL_ROOM - 4 + STRIP * place for place in range(len(group))]
            for y, row in zip(ys, group.to_dict("records"), strict=True):
                placed.rows.append(_row(one, row, scale) | {"y": y})
            placed.strips.append({"y": ys[0] - STRIP // 2, "bottom": ys[-1] + STRIP // 2})
            top += LABEL_ROOM + STRIP * len(group)
    return placed._replace(height=top)


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
    side = SIDES["unclear"] if row["void"] else side_of(low, high, neutral)
    interval = f"[{shown(low)}, {shown(high)}]" if low == low else "(too few to tell)"
    short = shown(value) if value == value else "no value"
    number = f"{short} {interval}" if value == value else short
    return {
        "model": row["model"],
        "instrument": measured.instrument,
        "estimate": row["label"],
        "number": f"{number}, {NOT_MEANINGFUL}" if row["void"] else number,
        "short": short,
        "interval": NOT_MEANINGFUL if row["void"] else interval if value == value else "",
        "side": side,
        "void": bool(row["void"]),
        **places,
    }


def _number_row(row: Row) -> Row:
    return {"number": row["number"], "y": row["y"] - LABEL_ROOM + 12}


def _words(
    rows: Sequence[Row], down: dict[str, Any], field: str, align: str, *, whole: bool = False
) -> Layer:
    """Names at the left edge, or numbers at the right one; `whole` gives them all of the line."""
    return {
        "data": values(rows),
        "mark": {
            "type": "text",
            "align": align,
            "baseline": "middle",
            "fontSize": {"expr": f"{_NARROW} ? 10.5 : 11.5"},
            "limit": {"expr": "width" if whole else f"{_NARROW} ? width : width - 165"},
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
