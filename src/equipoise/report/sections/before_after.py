"""Before and after: every item's score after against before; a flattened model has a slope near 0."""

from typing import Any

import numpy as np
import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.style import ABOVE, BELOW, UNCLEAR, chart, line_at, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study

BEFORE, AFTER, INSTRUMENT = "before", "after", "instrument"
"""The columns of the table `items`, one row per item of an instrument."""

MOST_POINTS = 2000


def figures(study: Study) -> list[Figure]:
    """A scatter for each instrument, where the study wrote its items."""
    table = study.tables.get("items")
    if table is None or not {BEFORE, AFTER, INSTRUMENT} <= set(table.columns):
        return []
    known = table[table[BEFORE].notna() & table[AFTER].notna()]
    return [
        _figure(study, str(name), rows)
        for name, rows in known.groupby(INSTRUMENT, sort=False)
        if len(rows) > 2
    ]


def slope_of(rows: pd.DataFrame) -> float:
    """The slope of after on before by least squares; NaN where before does not vary."""
    before, after = (rows[name].to_numpy(dtype=float) for name in (BEFORE, AFTER))
    spread = float(((before - before.mean()) ** 2).sum())
    return (
        float(((before - before.mean()) * (after - after.mean())).sum()) / spread if spread else float("nan")
    )


def _figure(study: Study, instrument: str, rows: pd.DataFrame) -> Figure:
    slope = slope_of(rows)
    title = f"{instrument}: scores of {len(rows):,} items after against before, slope {slope:.2f}"
    alt = f"{title}. A slope of 1 is an unchanged model, 0 one that no longer tells items apart."
    return Figure(slug(f"{study.name} {instrument}"), title, alt, _spec(rows, slope))


def _spec(rows: pd.DataFrame, slope: float) -> dict[str, Any]:
    shown = rows if len(rows) <= MOST_POINTS else rows.iloc[:: len(rows) // MOST_POINTS + 1]
    points = [
        {"before": float(a), "after": float(b)} for a, b in zip(shown[BEFORE], shown[AFTER], strict=True)
    ]
    low, high = float(rows[BEFORE].min()), float(rows[BEFORE].max())
    middle = float(rows[AFTER].mean()) - slope * float(rows[BEFORE].mean())
    lines = [{"line": "unchanged", "before": end, "after": end} for end in (low, high)]
    if np.isfinite(slope):
        lines += [{"line": "fitted", "before": end, "after": middle + slope * end} for end in (low, high)]
    across = {"field": "before", "type": "quantitative", "title": "score before"}
    upward = {"field": "after", "type": "quantitative", "title": "score after"}
    scale = {"domain": ["unchanged", "fitted"], "range": [UNCLEAR, BELOW]}
    colour = {"field": "line", "type": "nominal", "scale": scale, "legend": {"orient": "top", "title": None}}
    layers: list[dict[str, Any]] = [
        line_at(0, "x"),
        line_at(0, "y"),
        {
            "mark": {"type": "point", "filled": True, "size": 18, "opacity": 0.4, "color": ABOVE},
            "encoding": {"x": across, "y": upward},
        },
        {
            "data": values(lines),
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": across, "y": upward, "color": colour},
        },
    ]
    return chart(layers, height=320, data=values(points))
