"""Arms of a study that tunes models: each number by arm with its interval, and by arm and level."""

from typing import Any

import pandas as pd

from equipoise.report.figures.dots import declared, dot, dot_figure, found, reach, sided_axis
from equipoise.report.figures.style import chart, hover, nominal, quantitative, shaded_cells, values
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.results import Quantity
from equipoise.results.reading import sentence_start
from equipoise.results.records import shown

COLUMNS = ("arm", "instrument", "key", "label", "by", "level", "mean", "low", "high", "unit")
"""What the charts need of a study's table, a row for each arm, number and level."""

MOST_LEVELS = 30
MOST_SPLITS = 8


def arm_figures(name: str, table: pd.DataFrame) -> list[Figure]:
    """A chart for each number over every item, then one for each thing that a number is split by."""
    if table.empty:
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
    return dot_figure(
        _name(name, first), found(rows, _quantity(first), _label(first)), rows, axis=_axis(first)
    )


def _split(study: str, table: pd.DataFrame) -> Figure:
    first = table.iloc[0]
    by = str(first["by"])
    rows: list[dict[str, Any]] = [
        {"arm": str(row["arm"]), "level": str(row["level"]), "value": float(row["mean"])}
        for row in table.to_dict("records")
    ]
    quantity = _quantity(first)
    name = sentence_start(quantity.plain_name) if quantity else _label(first)
    ends = reach([{"name": row["arm"], "model": row["level"], "value": row["value"]} for row in rows])
    side = f" (above {quantity.neutral:g}: {quantity.sides[0]})" if quantity and quantity.sides else ""
    title = f"{name} by {by} and arm{ends}{side}"
    told = "; ".join(f"{row['arm']}, {row['level']}: {shown(row['value'])}" for row in rows)
    return Figure(_name(study, first), title, f"{title}. {told}.", _cells(rows, by))


def _cells(rows: list[dict[str, Any]], by: str) -> dict[str, Any]:
    """A cell for each arm and level; its shade goes from the least to the most of all."""
    numbers = [row["value"] for row in rows]
    low, high = min(numbers), max(numbers)
    across = nominal("arm", sort=None, title=None, axis={"labelAngle": -30})
    down = nominal("level", sort=None, title=by)
    shade = quantitative("value", scale={"scheme": "blues"}, legend=None)
    dark = f"datum.value > {low + 0.6 * (high - low)}"
    tooltip, digits = hover("arm", "level", "value"), 2 if high - low > 0.1 else 3
    layers = shaded_cells(across, down, shade, tooltip=tooltip, dark=dark, digits=digits)
    levels = len({row["level"] for row in rows})
    return chart(layers, height=24 * levels, data=values(rows))


def _name(study: str, row: Any) -> str:
    return slug(f"{study} {row['instrument']} {row['key']} {row['by']}")


def _label(row: Any) -> str:
    return f"{row['instrument']}, {row['label']}"


def _axis(row: Any) -> str:
    return sided_axis(_quantity(row), str(row["label"]), str(row["unit"]))


def _quantity(row: Any) -> Quantity | None:
    return declared(row["instrument"], row["key"])
