"""Corpora: what the contexts of groups and categories say, where both are crossed."""

from typing import Any

import pandas as pd

from equipoise.report.figures.style import chart, hover, nominal, quantitative, shaded_cells, values
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results import Result
from equipoise.results.estimate import by_of, level_of
from equipoise.results.records import shown

INSTRUMENTS = ("contexts", "cosine")
KEY, CATEGORY = "difference", "category"
MOST_GROUPS = 30


def corpus_figures(measured: Measurement) -> list[Figure]:
    """A cell for each group and category of a corpus, for each model and each column to group by."""
    if measured.instrument not in INSTRUMENTS:
        return []
    several = len(measured.results) > 1
    return [
        _figure(measured, f"{label}: " if several else "", by, rows)
        for label, result in measured.results.items()
        for by, rows in _crossed(result).items()
    ]


def _crossed(result: Result) -> dict[str, pd.DataFrame]:
    """The difference by group and category: levels are looked up, never read out of a joined name."""
    whole = result.estimates[(result.estimates["key"] == KEY) & result.estimates["value"].notna()]
    levels = {str(by): list(rows["level"]) for by, rows in whole.groupby("by", sort=False)}
    tables = {}
    for by, groups in levels.items():
        if by in ("", CATEGORY) or CATEGORY not in levels:
            continue
        rows = [
            _cell(result, by, str(group), str(category)) for group in groups for category in levels[CATEGORY]
        ]
        known = pd.DataFrame([row for row in rows if row is not None])
        if len(known) > 1 and known["group"].nunique() <= MOST_GROUPS:
            tables[by] = known
    return tables


def _cell(result: Result, by: str, group: str, category: str) -> "dict[str, Any] | None":
    groups = {by: group, CATEGORY: category}
    table = result.estimates
    rows = table[
        (table["key"] == KEY) & (table["by"] == by_of(groups)) & (table["level"] == level_of(groups))
    ]
    if len(rows) != 1 or rows["value"].isna().any():
        return None
    row = rows.iloc[0]
    number = f"{shown(row['value'])} [{shown(row['low'])}, {shown(row['high'])}], n = {row['n']}"
    return {"group": group, "category": category, "value": float(row["value"]), "number": number}


def _figure(measured: Measurement, whose: str, by: str, table: pd.DataFrame) -> Figure:
    label = measured.first.estimate(KEY)["label"]
    rows: list[dict[str, Any]] = table.to_dict("records")
    largest = float(table["value"].abs().max()) or 1.0
    across = nominal("category", title=None, axis={"labelAngle": -30})
    down = nominal("group", title=by)
    shade = quantitative(
        "value",
        scale={"scheme": "blueorange", "domain": [-largest, largest], "reverse": True},
        legend={"orient": "top", "title": None, "gradientLength": 160},
    )
    tooltip = hover("group", "category", "number")
    dark, digits = f"abs(datum.value) > {0.6 * largest}", 2 if largest > 0.1 else 3
    layers = shaded_cells(across, down, shade, tooltip=tooltip, dark=dark, digits=digits)
    title = f"{whose}{label} by {by} and category"
    told = "; ".join(f"{row['group']}, {row['category']}: {row['number']}" for row in rows)
    spec = chart(layers, height=26 * table["group"].nunique(), data=values(rows))
    return Figure(slug(f"{measured.name} {whose} {by} category"), title, f"{title}. {told}.", spec)
