"""Vectors by group: the effect size of each association test over time, or from group to group."""

from typing import Any

import pandas as pd

from equipoise.report.figures.style import (
    SIDES,
    UNCLEAR,
    chart,
    dots,
    hover,
    line_at,
    mark,
    quantitative,
    side_colour,
    side_of,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.results.records import fixed
from equipoise.studies.training.group_associations import OTHERS

COLUMNS = ("test", "group", "value", "low", "high", "seed_sd", "against")


def figures(study: Study) -> list[Figure]:
    """A chart for each test: a point for each group with its interval, none where it was not trained."""
    table = study.table("associations", COLUMNS)
    return (
        [] if table.empty else [_figure(str(test), rows) for test, rows in table.groupby("test", sort=False)]
    )


def _figure(test: str, table: pd.DataFrame) -> Figure:
    rows = [_row(row) for row in table.to_dict("records")]
    certain = sum(row["side"] == SIDES["above"] for row in rows)
    title = f"{test}: stereotyped in {certain} of {len(rows)} groups, certain (bars: 95 % intervals)"
    told = "; ".join(
        f"{row['group']}: {fixed(row['value'], 2)}"
        if row["value"] == row["value"]
        else f"{row['group']}: too few words"
        for row in rows
    )
    in_order = OTHERS not in set(table["against"])
    return Figure(slug(f"vectors {test}"), title, f"{title}. {told}.", _spec(rows, test, in_order))


def _row(row: "dict[Any, Any]") -> dict[str, Any]:
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    return {"group": str(row["group"]), "value": value, "low": low, "high": high} | {
        "seed_sd": float(row["seed_sd"]),
        "side": side_of(low, high, 0.0),
    }


def _spec(rows: list[dict[str, Any]], test: str, in_order: bool) -> dict[str, Any]:
    """A point and a bar for each group; a line joins them where they have an order."""
    order = [row["group"] for row in rows]
    across = {"field": "group", "type": "ordinal", "sort": order, "title": None, "scale": {"domain": order}}
    upward = quantitative(title=f"d, {test} (up: the stereotype)")
    known = [row for row in rows if row["value"] == row["value"]]
    at = {"x": across, "y": upward | {"field": "value"}}
    tooltip = hover("group", "value", "low", "high", "seed_sd")
    layers: list[dict[str, Any]] = [
        line_at(0, "y", title=upward["title"]),
        *([mark("line", {"opacity": 0.4, "color": UNCLEAR}, **at)] if in_order else []),
        mark(
            "rule",
            {"strokeWidth": 2},
            x=across,
            y=upward | {"field": "low"},
            y2={"field": "high"},
            color=side_colour(),
        ),
        mark("point", dots(60), **at, color=side_colour(), tooltip=tooltip),
    ]
    return chart(layers, height=200, data=values(known))


FIGURES = {"vectors": figures}
