"""Where a model stands: its answers beside those of reference models on the same data.

`references.csv` holds measured figures of random weights and of the built-in model.
`recipes/reference_figures.py` writes it from saved results.
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from equipoise.models.loading.names import LABELS, RANDOM
from equipoise.report.answers import NOT_MEANINGFUL, Answer
from equipoise.report.page.gauges import axis_of
from equipoise.results import Quantity, Result
from equipoise.results.numbers import fixed
from equipoise.results.reading import Measured, sentence_start

TABLE = Path(__file__).parent / "references.csv"
THIS_MODEL = "this model"
MOST_LINES = 4


class Point(NamedTuple):
    """A model and where it stands, in percent."""

    name: str
    at: float


class Line(NamedTuple):
    """One question: this model among the reference models."""

    name: str
    left: str
    right: str
    neutral: float
    points: tuple[Point, ...]
    alt: str

    @property
    def knows_nothing(self) -> bool:
        """Whether random weights are all that there is to compare with."""
        return {point.name for point in self.points} <= {THIS_MODEL, LABELS[RANDOM]}


def standing_of(answers: Iterable[Answer], results: Sequence[Result]) -> tuple[Line, ...]:
    """A line for each answer that reference models gave on the same data."""
    of_instrument = {result.instrument: result for result in results}
    lines = (_line(answer, of_instrument[answer.instrument]) for answer in answers)
    return tuple(line for line in lines if line is not None)[:MOST_LINES]


def reference_rows(result: Result) -> list[dict[str, Any]]:
    """The rows that a reference model has in the table: its meaningful headlines about bias."""
    rows = []
    for quantity in result.declared:
        measured = headline_of(result, quantity)
        if quantity.part == "bias" and quantity.question and measured is not None:
            rows.append(_named(result, quantity.key) | {"value": measured.value})
    return rows


def headline_of(result: Result, quantity: Quantity) -> Measured | None:
    """The number of a quantity that is read first; None where there is none or it means nothing."""
    table = result.estimates
    held = table[(table["key"] == quantity.key) & table["headline"] & (table["void"] == "")]
    if held.empty:
        return None
    measured = Measured.of(held.sort_values("by", kind="stable").iloc[0], quantity)
    return None if isnan(measured.value) else measured


def _named(result: Result, key: str) -> dict[str, Any]:
    """What makes two numbers the same measurement, and whose it is."""
    return {
        "model": result.model,
        "fingerprint": result.fingerprint,
        "instrument": result.instrument,
        "variant": result.variant,
        "data": _digest(result),
        "key": key,
    }


def _line(answer: Answer, result: Result) -> Line | None:
    if answer.word == NOT_MEANINGFUL or isnan(answer.measured.value):
        return None
    own = _named(result, answer.quantity.key)
    table = _references()
    same = ["instrument", "variant", "data", "key"]
    known = table[(table[same] == [own[name] for name in same]).all(axis=1)]
    known = known[known["fingerprint"] != own["fingerprint"]]
    if known.empty:
        return None
    nothing, neutral = float("nan"), answer.measured.neutral
    values = {str(row["model"]): float(row["value"]) for row in known.to_dict("records")}
    measured = [Measured(value, nothing, nothing, neutral) for value in values.values()]
    axis = axis_of([answer.measured, *measured], answer.quantity)
    places = {name: axis.place(value) for name, value in values.items()}
    points = [Point(THIS_MODEL, axis.place(answer.measured.value)), *map(Point._make, places.items())]
    told = "; ".join(f"{point.name} at {fixed(point.at, 0)} %" for point in points)
    return Line(
        sentence_start(answer.quantity.plain_name),
        axis.left,
        axis.right,
        axis.place(neutral),
        tuple(points),
        f"From {axis.left} (0 %) to {axis.right} (100 %): {told}",
    )


def _digest(result: Result) -> str:
    """The files that were asked, in one short word."""
    told = " ".join(f"{name}={digest}" for name, digest in sorted(result.data_hashes.items()))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


@cache
def _references() -> pd.DataFrame:
    return pd.read_csv(TABLE, dtype={"variant": str}, keep_default_na=False)
