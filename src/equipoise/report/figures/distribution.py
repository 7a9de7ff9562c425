"""How the scores of single items are distributed."""

from typing import Any

import numpy as np
import pandas as pd

from equipoise.report.figures.style import (
    LEGEND,
    Row,
    axis_of,
    chart,
    line_at,
    mark,
    model_colour,
    nominal,
    quantitative,
    quantity_of,
    sides_of,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results import Quantity, Result
from equipoise.results.records import fixed
from equipoise.results.result import rows_of

BINS = 40
FEWEST = 5
SIGNS = ("below 0", "0 or above")


def distribution_figures(measured: Measurement) -> list[Figure]:
    """The items that the first quantity rests on, counted by their score."""
    scores = {label: driving_scores(result) for label, result in measured.results.items()}
    scores = {label: known for label, known in scores.items() if len(known) >= FEWEST}
    if not scores:
        return []
    everything = np.concatenate(list(scores.values()))
    edges = _edges(float(everything.min()), float(everything.max()))
    rows = [row for label, known in scores.items() for row in _counted(label, known, edges)]
    labels = list(scores)
    quantity = _scored(measured)
    title = _title(scores, quantity)
    told = "; ".join(
        f"{label}: {len(known):,}, median {fixed(np.median(known), 3)}; "
        f"{fixed(known.min(), 3)} to {fixed(known.max(), 3)}"
        for label, known in scores.items()
    )
    axis = axis_of({"label": "score of a sentence", "unit": ""}, quantity)
    spec = _several(rows, labels, axis) if len(labels) > 1 else _single(rows, quantity, axis)
    return [Figure(slug(f"{measured.name} items"), title, f"{title}. {told}.", spec)]


def _scored(measured: Measurement) -> Quantity | None:
    """The first quantity that is a mean of the scores: single scores are on its scale and have its sides."""
    means = (
        one
        for one in measured.first.declared
        if one.column == "score" and one.contrast is None and one.sides and not one.over
    )
    first = next((one for one in means if one.scale not in ("half", "percent", "F1")), None)
    return quantity_of(measured, first.key) if first else None


def _title(scores: "dict[str, Any]", quantity: Quantity | None) -> str:
    """How many sentences are on which side, where one model is shown."""
    if len(scores) > 1:
        return "Scores of single sentences"
    (known,) = scores.values()
    above, below = int((known > 0).sum()), int((known < 0).sum())
    names = quantity.sides[:2] if quantity else ("above 0", "below 0")
    return f"{len(known):,} sentences: {above:,} {names[0]}, {below:,} {names[1]}"


def driving_rows(result: Result) -> pd.DataFrame:
    """The items that the first quantity rests on: no changed forms, no guard."""
    return rows_of(result.items, result.quantities[0]) if result.quantities else result.items


def driving_scores(result: Result) -> Any:
    """Their scores, as far as they are known."""
    known = driving_rows(result)["score"].to_numpy(dtype=float)
    return known[np.isfinite(known)]


def _edges(low: float, high: float) -> Any:
    """Bins of one width with an edge at 0, the highest score inside the last: no bar holds both signs."""
    width = (high - low) / BINS or 1.0
    return np.arange(np.floor(low / width), np.floor(high / width) + 2) * width


def _counted(label: str, scores: Any, edges: Any) -> list[Row]:
    counts, _ = np.histogram(scores, bins=edges)
    return [
        {"model": label, "from": float(start), "to": float(end), "items": int(count), "sign": _sign(start)}
        for start, end, count in zip(edges, edges[1:], counts, strict=False)
    ]


def _sign(start: float) -> str:
    """On which side of 0 a bin lies that begins there."""
    return SIGNS[0] if start < 0 else SIGNS[1]


def _single(rows: list[Row], quantity: Quantity | None, axis: Row) -> dict[str, Any]:
    above, below, _ = sides_of(quantity).items()
    named = {SIGNS[0]: below[0], SIGNS[1]: above[0]} if quantity else dict(zip(SIGNS, SIGNS, strict=True))
    rows = [row | {"sign": named[row["sign"]]} for row in rows]
    tooltip = [quantitative(name) for name in ("from", "to", "items")]
    bars = mark(
        "bar",
        {"binSpacing": 0.5},
        x=quantitative("from", bin="binned", **axis),
        x2={"field": "to"},
        y=quantitative("items", title="sentences"),
        color=nominal(
            "sign", scale={"domain": list(named.values()), "range": [below[1], above[1]]}, legend=LEGEND
        ),
        tooltip=tooltip,
    )
    return chart([bars, line_at(0, "x")], height=200, data=values(rows))


def _several(rows: list[Row], labels: list[str], axis: Row) -> dict[str, Any]:
    lines = mark(
        "line",
        {"interpolate": "step-after", "strokeWidth": 2},
        x=quantitative("from", **axis),
        y=quantitative("items", title="sentences"),
        color=model_colour(labels),
    )
    return chart([lines, line_at(0, "x")], height=220, data=values(rows))
