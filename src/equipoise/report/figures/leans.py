"""Leans before and after, a point each with fitted lines; a flattened model has a slope near 0 everywhere."""

from typing import Any

import pandas as pd

from equipoise.report.figures.style import (
    ABOVE,
    BELOW,
    LEGEND,
    UNCLEAR,
    chart,
    dots,
    hover,
    line_at,
    mark,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.results.records import fixed

LEANS = ("part", "profession", "before", "after")
"""What the scatter needs of a study's table, a row per profession or word."""

UNCHANGED = "unchanged"
NAMED, NOT_NAMED = "named in the training text", "not named in it"
INKS = (ABOVE, BELOW, "#009E73", "#CC79A7")


def leans_figures(name: str, table: pd.DataFrame) -> list[Figure]:
    """The scatter, where at least two leans are known in both models."""
    known = table if table.empty else table[table["before"].notna() & table["after"].notna()]
    if len(known) < 2:
        return []
    slopes = {str(part): slope_of(rows) for part, rows in known.groupby("part", sort=False)}
    fits = {str(part): fit_of(rows) for part, rows in known.groupby("part", sort=False)}
    said = "; ".join(
        f"{part}: slope {fixed(slope, 2)}, r {fixed(fits[part], 2)}, R² {fixed(fits[part] ** 2, 2)}"
        for part, slope in slopes.items()
    )
    nearer = int((known["after"].abs() < known["before"].abs()).sum())
    title = f"{nearer} of {len(known)} lean less than before ({said})"
    alt = f"{title}. A slope of 1 is an unchanged model, 0 one that was flattened."
    return [Figure(slug(name), title, alt, _spec(known))]


def slope_of(rows: pd.DataFrame) -> float:
    """The slope of after on before by least squares; NaN where before does not vary."""
    before, after = (rows[name].to_numpy(dtype=float) for name in ("before", "after"))
    apart = before - before.mean()
    spread = float((apart**2).sum())
    return float((apart * (after - after.mean())).sum()) / spread if spread else float("nan")


def fit_of(rows: pd.DataFrame) -> float:
    """Pearson's r of before and after; NaN where either does not vary."""
    return float(rows["before"].astype(float).corr(rows["after"].astype(float)))


def _spec(table: pd.DataFrame) -> dict[str, Any]:
    parts = [str(part) for part in table["part"].unique()]
    points = [_point(row) for row in table.to_dict("records")]
    ends = (float(table["before"].min()), float(table["before"].max()))
    lines = [{"part": UNCHANGED, "before": end, "after": end} for end in ends]
    for part, rows in table.groupby("part", sort=False):
        lines += _fitted(str(part), rows)
    across = quantitative("before", title="← women · lean before · men →")
    upward = quantitative("after", title="← women · lean after · men →")
    scale = {"domain": [*parts, UNCHANGED], "range": [*INKS[: len(parts)], UNCLEAR]}
    colour = nominal("part", scale=scale, legend=LEGEND)
    tooltip = hover(*LEANS)
    shape = nominal("kind", legend=LEGEND)
    marked = {"shape": shape} if "seen" in table else {}
    layers: list[dict[str, Any]] = [
        line_at(0, "x"),
        line_at(0, "y"),
        {"data": values(lines), **mark("line", {"strokeWidth": 2}, x=across, y=upward, color=colour)},
        mark("point", dots(40, 0.7), x=across, y=upward, color=colour, tooltip=tooltip, **marked),
    ]
    return chart(layers, height=340, data=values(points))


def _point(row: "dict[Any, Any]") -> dict[str, Any]:
    kind = {"kind": NAMED if row["seen"] else NOT_NAMED} if "seen" in row else {}
    return {name: row[name] for name in LEANS} | kind


def _fitted(part: str, rows: pd.DataFrame) -> list[dict[str, Any]]:
    slope = slope_of(rows)
    if slope != slope:
        return []
    height = float(rows["after"].mean()) - slope * float(rows["before"].mean())
    ends = (float(rows["before"].min()), float(rows["before"].max()))
    return [{"part": part, "before": end, "after": height + slope * end} for end in ends]
