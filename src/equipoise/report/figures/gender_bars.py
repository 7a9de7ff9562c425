"""Women beside men: at every level a bar for each gender, with its interval (Figs. 7, 8, 11, 12 of Deng)."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from equipoise.report.figures.style import ABOVE, BELOW, Row, chart, mark, nominal, quantitative, values
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results import Result
from equipoise.results.records import shown

MOST = 36
"""Levels that a chart shows; more are read in the table."""

GENDERS = {"male": "men: P(male | male)", "female": "women: P(female | female)"}
AXIS = "probability of the gender that was hidden"


def gender_figures(measured: Measurement) -> list[Figure]:
    """A chart for each thing that the contexts of a corpus are split by, for each model."""
    if measured.instrument != "contexts":
        return []
    several = len(measured.results) > 1
    return [
        gender_bars(f"{measured.name} {whose} women and men by {by}", f"{whose}Women and men by {by}", rows)
        for label, result in measured.results.items()
        for whose in (f"{label}: " if several else "",)
        for by, rows in _splits(result)
    ]


def _splits(result: Result) -> list[tuple[str, list[Row]]]:
    table = result.estimates
    splits = []
    for by in dict.fromkeys(table.loc[table["key"] == "p-male", "by"]):
        rows = both_genders(table[table["by"] == by])
        if by and 1 < len(rows) <= MOST:
            splits.append((str(by), rows))
    return splits


def both_genders(table: pd.DataFrame) -> list[Row]:
    """A row for each level at which P of men and of women are both known, with their intervals."""
    men, women = (
        table[(table["key"] == f"p-{gender}") & table["value"].notna()].set_index("level")
        for gender in GENDERS
    )
    rows = []
    for level in men.index.intersection(women.index, sort=False):
        row: Row = {"name": str(level)}
        for gender, side in (("male", men.loc[level]), ("female", women.loc[level])):
            row |= {gender: side["value"], f"{gender}_low": side["low"], f"{gender}_high": side["high"]}
        rows.append(row)
    return rows


def gender_bars(name: str, title: str, rows: Sequence[Row]) -> Figure:
    """The chart of rows with a name, and a number and an interval for `male` and `female`."""
    told = "; ".join(f"{row['name']}: men {shown(row['male'])}, women {shown(row['female'])}" for row in rows)
    return Figure(slug(name), title, f"{title}. {told}.", _spec(rows))


def _spec(rows: Sequence[Row]) -> dict[str, Any]:
    names, labels = [str(row["name"]) for row in rows], list(GENDERS.values())
    bars = [_bar(row, gender, label) for row in rows for gender, label in GENDERS.items()]
    down = nominal("name", sort=names, title=None, axis={"labelLimit": 260})
    aside = nominal("gender", sort=labels)
    colour = {**aside, "scale": {"domain": labels, "range": [ABOVE, BELOW]}}
    colour |= {"legend": {"orient": "top", "title": None, "labelLimit": 260}}
    across = quantitative(title=AXIS, scale={"domain": [0, 1]})
    shared = {"y": down, "yOffset": aside}
    tooltip = [nominal(field) for field in ("name", "gender", "number")]
    layers = [
        mark(
            "bar", {"opacity": 0.85}, **shared, x=across | {"field": "value"}, color=colour, tooltip=tooltip
        ),
        mark("rule", {"strokeWidth": 1.5}, **shared, x=across | {"field": "low"}, x2={"field": "high"}),
    ]
    return chart(layers, height=28 * max(len(names), 2), data=values(bars))


def _bar(row: Row, gender: str, label: str) -> Row:
    value, low, high = (float(row[f"{gender}{end}"]) for end in ("", "_low", "_high"))
    interval = f" [{shown(low)}, {shown(high)}]" if low == low else ""
    number = f"{shown(value)}{interval}"
    return {"name": row["name"], "gender": label, "value": value, "low": low, "high": high, "number": number}
