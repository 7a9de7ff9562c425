"""Before and after: what went, what it cost, each lean after against before, and BEC-Pro's Figures 3 to 5."""

from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.association import NEEDS, profession_bars
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.figures.leans import LEANS, leans_figure
from equipoise.report.sections import Study
from equipoise.studies.association_tables import BY_PROFESSION

GAIN = ("instrument", "label", "removed", "low", "high")
PRICE = ("instrument", "label", "loss", "low", "high")
"""What the charts need of the study's tables."""


def figures(study: Study) -> list[Figure]:
    """Gain and price with their intervals, the scatter of leans, and the professions of BEC-Pro."""
    gain, price, leans = (
        _usable(study, *one) for one in (("gain", GAIN), ("price", PRICE), ("leanings", LEANS))
    )
    drawn = []
    if gain is not None:
        axis = "% of the distance from neutral (right: better)"
        drawn.append(
            dot_figure("before after gain", "What went", _shares(gain, "removed"), axis=axis, neutral=0)
        )
    if price is not None:
        axis = "% lost (left: better); of a log P, the rise of perplexity"
        drawn.append(
            dot_figure("before after price", "What it cost", _shares(price, "loss"), axis=axis, neutral=0)
        )
    scatter = None if leans is None else leans_figure("before after leans", leans)
    professions = _usable(study, Path(BY_PROFESSION).stem, NEEDS)
    bars = [] if professions is None else profession_bars("before after", professions)
    return [*drawn, *([scatter] if scatter else []), *bars]


def _usable(study: Study, name: str, columns: tuple[str, ...]) -> pd.DataFrame | None:
    table = study.tables.get(name)
    return table if table is not None and set(columns) <= set(table.columns) and len(table) else None


def _shares(table: pd.DataFrame, column: str) -> list[dict[str, Any]]:
    """A row for each number, in per cent."""
    rows = []
    for row in table.to_dict("records"):
        value, low, high = (100 * float(row[name]) for name in (column, "low", "high"))
        is_alone = (table["label"] == row["label"]).sum() == 1
        name = str(row["label"]) if is_alone else f"{row['instrument']}, {row['label']}"
        rows.append(dot(name, value, low, high))
    return rows
