"""Small drawings of the first screen, in percent of their width: no script, and they print as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isnan, log
from typing import NamedTuple

from equipoise.results.quantity import SCALES, Quantity
from equipoise.results.reading import Measured, amount
from equipoise.results.records import fixed

DOMAINS = {
    "points": 1.0,
    "half": 0.5,
    "percent": 50.0,
    "nats": log(30),
    "effect": 2.0,
    "F1": 100.0,
    "cosine": 0.4,
    "length": 1.0,
    "index": 1.0,
    "count": 5.0,
}
"""How far an axis reaches from neutral; a number beyond it stretches the axis."""


class Tick(NamedTuple):
    """A place on an axis with the number that stands there."""

    at: float
    text: str


class Gauge(NamedTuple):
    """A value with its interval on an axis whose ends are words; places are percent of the width."""

    left: str
    right: str
    neutral: float
    value: float
    low: float
    high: float
    band: tuple[float, float]
    ticks: tuple[Tick, ...]
    text: str
    tone: str

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval to draw."""
        return not isnan(self.low)

    @property
    def alt(self) -> str:
        """The drawing in words."""
        return f"On an axis from {self.left} to {self.right}: {self.text}"


class Point(NamedTuple):
    """A model on the axis of a question: its place and its interval in percent, and its value in words."""

    name: str
    at: float
    low: float
    high: float
    text: str

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval to draw."""
        return not isnan(self.low)


@dataclass(frozen=True)
class Slope:
    """One question over the models: two are joined by a line, more stand on one axis."""

    anchor: str
    question: str
    verdict: str
    kind: str
    size: str
    certainty: str
    limits: str
    sentence: str
    left: str
    right: str
    neutral: float
    ticks: tuple[Tick, ...]
    points: tuple[Point, ...]
    name: str
    code: str

    @property
    def alt(self) -> str:
        """The chart in words."""
        return f"From {self.left} to {self.right}. " + "; ".join(
            f"{one.name}: {one.text}" for one in self.points
        )


class Axis(NamedTuple):
    """An axis in the units of its quantity, with the words at its ends; `turned` puts the low end right."""

    start: float
    end: float
    neutral: float
    left: str
    right: str
    turned: bool = False

    def place(self, number: float) -> float:
        """Where a number stands, in percent; what lies beyond the end stands at the end."""
        if isnan(number):
            return number
        share = (number - self.start) / (self.end - self.start)
        share = min(1.0, max(0.0, 1 - share if self.turned else share))
        return float(f"{100 * share:.4g}")


def gauge(measured: Measured, quantity: Quantity, text: str, *, is_bias: bool) -> Gauge | None:
    """The drawing of one number with its value in words; None where it has none."""
    if isnan(measured.value):
        return None
    axis = axis_of([measured], quantity)
    low, high = sorted((axis.place(measured.low), axis.place(measured.high)))
    start, end = sorted(axis.place(measured.neutral + side * quantity.margin) for side in (-1, 1))
    value, neutral = axis.place(measured.value), axis.place(measured.neutral)
    word = axis.right if value >= neutral else axis.left
    return Gauge(
        axis.left,
        axis.right,
        neutral,
        value,
        low,
        high,
        (start, end),
        ticks_of(axis, quantity),
        text,
        word if is_bias and word in ("men", "women") else "plain",
    )


def axis_of(measured: Sequence[Measured], quantity: Quantity, *, close: bool = False) -> Axis:
    """The axis that holds all of these; men and the stereotype stand on the right.

    A `close` axis ends a little beyond the numbers, so that a change can be seen.
    """
    neutral = measured[0].neutral
    ends = [abs(end - neutral) for one in measured for end in one[:3] if not isnan(end)]
    if not quantity.sides:
        return Axis(neutral, neutral + max([quantity.limits[2] * 1.5, *ends]), neutral, "none", "strong")
    start, end = _reach(measured, quantity, close=close)
    above, below = (side.removeprefix("towards ").removeprefix("kinder to ") for side in quantity.sides[:2])
    if above == "women":
        return Axis(start, end, neutral, above, below, turned=True)
    return Axis(start, end, neutral, below, above)


def _reach(measured: Sequence[Measured], quantity: Quantity, *, close: bool) -> tuple[float, float]:
    """Where an axis starts and ends: as far as the scale goes, or just beyond the numbers."""
    neutral = measured[0].neutral
    ends = [end for one in measured for end in one[:3] if not isnan(end)]
    if not close:
        reach = max([DOMAINS.get(quantity.scale, 1.0), *(abs(end - neutral) for end in ends)])
        return neutral - reach, neutral + reach
    clear = quantity.limits[1]
    low, high = min([neutral - clear / 2, *ends]), max([neutral + clear / 2, *ends])
    room = 0.12 * (high - low)
    return low - room, high + room


def in_how_many(biased: int, asked: int) -> str:
    """The answer of several models or arms as a title."""
    if asked == 1:
        return "Yes" if biased else "Not found"
    return f"Yes, in {biased} of {asked}" if biased else f"Not found in any of {asked}"


def point_of(axis: Axis, name: str, measured: Measured, text: str) -> Point:
    """Where a measured number stands on an axis, with its interval."""
    low, high = sorted(axis.place(end) for end in (measured.low, measured.high))
    return Point(name, axis.place(measured.value), low, high, text)


def ticks_of(axis: Axis, quantity: Quantity) -> tuple[Tick, ...]:
    """Neutral, and halfway to each end."""
    middle = axis.neutral
    half = (axis.end - middle) / 2
    places = (middle - half, middle, middle + half) if quantity.sides else (middle, middle + half)
    return tuple(Tick(axis.place(place), _tick_text(place, middle, quantity)) for place in places)


def _tick_text(place: float, neutral: float, quantity: Quantity) -> str:
    how = SCALES[quantity.scale].shown
    if how == "times":
        return "equal" if place == neutral else f"{fixed(exp(abs(place - neutral)), 0)} ×"
    if how == "percent":
        return amount(place, quantity)
    return amount(abs(place - neutral), quantity, unit=False)
