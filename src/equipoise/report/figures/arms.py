"""Arms of a study that tunes models: each number by arm with its interval, and by arm and level."""

from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.figures.style import chart, values
from equipoise.report.measurements import slug
from equipoise.results.numbers import shown

COLUMNS = ("arm", "instrument", "key", "label", "by", "level", "mean", "low", "high", "unit")
"""What the charts need of a study's table, a row for each arm, number and level."""

MOST_LEVELS = 30
MOST_SPLITS = 8


def arm_figures(name: str, table: "pd.DataFrame | None") -> list[Figure]:
    """A chart for each number over every item, then one for each thing that a number is split by."""
    if table is None or not set(COLUMNS) <= set(table.columns):
        return []
    known = with_texts(table[table["mean"].notna()])
    groups = [(str(by), rows) for (_, _, by), rows in known.groupby(["instrument", "key", "by"], sort=False)]
    whole = [_whole(name, rows) for by, rows in groups if not by]
    split = [_split(name, rows) for by, rows in groups if by and 1 < rows["level"].nunique() <= MOST_LEVELS]
    return whole + split[:MOST_SPLITS]


def with_texts(table: pd.DataFrame) -> pd.DataFrame:
    """The table with empty texts where its file had none: an empty column reads as numbers."""
    texts = [name for name in ("by", "level", "unit") if name in table]
    return table.assign(**{name: table[name].astype(object).where(table[name].notna(), "") for name in texts})


def _whole(name: str, table: pd.DataFrame) -> Figure:
    rows = [dot(str(row["arm"]), row["mean"], row["low"], row["high"]) for row in table.to_dict("records")]
    first = table.iloc[0]
    return dot_figure(_name(name, first), f"{_label(first)} by arm", rows, axis=_axis(first))


def _split(name: str, table: pd.DataFrame) -> Figure:
    first = table.iloc[0]
    by = str(first["by"])
    rows: list[dict[str, Any]] = [
        {"arm": str(row["arm"]), "level": str(row["level"]), "value": float(row["mean"])}
        for row in table.to_dict("records")
    ]
    title = f"{_label(first)} by {by} and arm"
    told = "; ".join(f"{row['arm']}, {row['level']}: {shown(row['value'])}" for row in rows)
    return Figure(_name(name, first), title, f"{title}. {told}.", _cells(rows, by))


def _cells(rows: list[dict[str, Any]], by: str) -> dict[str, Any]:
    """A cell for each arm and level; its shade goes from the least to the most of all."""
    numbers = [row["value"] for row in rows]
    low, high = min(numbers), max(numbers)
    across = {"field": "arm", "type": "nominal", "sort": None, "title": None, "axis": {"labelAngle": -30}}
    down = {"field": "level", "type": "nominal", "sort": None, "title": by}
    shade = {"field": "value", "type": "quantitative", "scale": {"scheme": "blues"}, "legend": None}
    dark = f"datum.value > {low + 0.6 * (high - low)}"
    ink = {"condition": {"test": dark, "value": "white"}, "value": "#1b1f24"}
    number = {"field": "value", "type": "quantitative", "format": ".2f" if high - low > 0.1 else ".3f"}
    tooltip = [{"field": field} for field in ("arm", "level", "value")]
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "rect"}, "encoding": {"x": across, "y": down, "color": shade, "tooltip": tooltip}},
        {
            "mark": {"type": "text", "fontSize": 10},
            "encoding": {"x": across, "y": down, "text": number, "color": ink},
        },
    ]
    levels = len({row["level"] for row in rows})
    return chart(layers, height=24 * levels, data=values(rows))


def _name(study: str, row: Any) -> str:
    return slug(f"{study} {row['instrument']} {row['key']} {row['by']}")


def _label(row: Any) -> str:
    return f"{row['instrument']}, {row['label']}"


def _axis(row: Any) -> str:
    return f"{row['label']} ({row['unit']})" if row["unit"] else str(row["label"])
