"""Models beside each other: ranks, categories, stereotype and skew, and how far samples move a score."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from equipoise.report.figures.arms import with_texts
from equipoise.report.figures.dots import crossed_figure, declared, dot, dot_figure, sided_axis
from equipoise.report.figures.skew import bars_figure, histogram_figure, skew_figure
from equipoise.report.figures.style import (
    chart,
    dots,
    hover,
    mark,
    model_colour,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure, Table
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.report.tables import wide_table
from equipoise.results.reading import sentence_start
from equipoise.results.records import fixed
from equipoise.studies.papers.skew import COLUMNS

RANKED = ("instrument", "quantity", "group", "rank", "model", "value", "low", "high", "unit")
MATRIX = ("instrument", "key", "label", "group", "model", "value", "low", "high", "unit")


def models_tables(study: Study) -> list[Table]:
    """Each headline by category, then over all, with a column for each model, as papers print it."""
    return [
        wide_table(
            f"models {instrument} {key}",
            f"{instrument}, {label} by category and model" + (f" ({unit})" if unit else ""),
            rows.rename(columns={"group": "category"}),
            down="category",
            across="model",
        )
        for (instrument, key), rows in _matrices(study)
        for label, unit in [(rows["label"].iloc[0], rows["unit"].iloc[0])]
    ]


def models_figures(study: Study) -> list[Figure]:
    """The ranks by each quantity, then each headline by category with a colour for each model."""
    return [*_models_rankings(study), *(_by_group(*one, rows) for one, rows in _matrices(study))]


def _matrices(study: Study) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """The rows of every headline that is split into categories, by its instrument and key."""
    table = study.table("matrix", MATRIX)
    if table.empty:
        return
    for (instrument, key), rows in with_texts(table).groupby(["instrument", "key"], sort=False):
        if rows["group"].nunique() > 1:
            yield (str(instrument), str(key)), rows


def _by_group(instrument: str, key: str, rows: pd.DataFrame) -> Figure:
    quantity, label = declared(instrument, key), str(rows["label"].iloc[0])
    title = f"{sentence_start(quantity.plain_name if quantity else label)} by category and model"
    axis, name = sided_axis(quantity, label, ""), f"models {instrument} {key} by category"
    return crossed_figure(name, title, rows, down="group", across="model", axis=axis)


def _models_rankings(study: Study) -> list[Figure]:
    table = study.table("ranking", RANKED)
    if table.empty:
        return []
    whole = table[table["group"] == "all"].fillna({"unit": ""})
    drawn = []
    for (instrument, quantity), ranked in whole.groupby(["instrument", "quantity"], sort=False):
        rows = [
            dot(f"{fixed(row['rank'], 0)}. {row['model']}", row["value"], row["low"], row["high"])
            for row in ranked.sort_values("rank", kind="stable").to_dict("records")
        ]
        known = declared(instrument, quantity)
        axis = sided_axis(known, str(quantity), str(ranked["unit"].iloc[0]))
        leads = [str(row["name"]).partition(" ")[2] for row in rows if str(row["name"]).startswith("1. ")]
        name = sentence_start(known.plain_name if known else f"{instrument}, {quantity}")
        title = f"{name}: {' and '.join(leads) or 'no model'} {'lean' if len(leads) > 1 else 'leans'} least"
        drawn.append(dot_figure(f"models {instrument} {quantity}", title, rows, axis=axis))
    return drawn


def skew_figures(study: Study) -> list[Figure]:
    """The charts of the study's tables, where they can be drawn."""
    table, histogram = study.table("skew", COLUMNS), study.table("histogram", ())
    made: list[Figure | None] = []
    if not table.empty:
        labels = table["label"] if "label" in table else table["model"]
        rows = table.assign(model=labels).to_dict("records")
        made += [skew_figure("skew plane", rows), bars_figure("skew figure 4", rows)]
    if not histogram.empty:
        made.append(histogram_figure("skew figure 3", histogram))
    return [figure for figure in made if figure is not None]


SIZES = ("design", "category", "size", "mean", "lowest", "highest")
DESIGNS = {
    "bootstrap": "drawn with replacement: how far other items of the same kind would move it",
    "published": "drawn without replacement, as published: near the full size samples share their items",
}


def sample_size_figures(study: Study) -> list[Figure]:
    """A chart for each design: the mean of the draws and how far they reach."""
    table = study.table("sample-size", SIZES)
    designs = [] if table.empty else [name for name in DESIGNS if name in set(table["design"])]
    return [_sample_size_figure(table[table["design"] == name], name) for name in designs]


def _sample_size_figure(table: pd.DataFrame, design: str) -> Figure:
    rows = [
        {"model": str(row["category"]), **{name: row[name] for name in SIZES[2:]}}
        for row in table.to_dict("records")
    ]
    labels = list(dict.fromkeys(row["model"] for row in rows))
    across = {
        "field": "size",
        "type": "ordinal",
        "title": "items drawn from each category",
        "axis": {"labelAngle": 0},
    }
    aside = nominal("model", sort=labels)
    upward = quantitative(title="score (bar: all draws)", scale={"zero": False})
    colour = model_colour(labels)
    shared = {"x": across, "xOffset": aside, "color": colour}
    tooltip = hover("model", *SIZES[2:])
    layers: list[dict[str, Any]] = [
        mark(
            "rule",
            {"strokeWidth": 2, "opacity": 0.6},
            **shared,
            y=upward | {"field": "lowest"},
            y2={"field": "highest"},
        ),
        mark("point", dots(45), **shared, y=upward | {"field": "mean"}, tooltip=tooltip),
    ]
    reach = (table["highest"] - table["lowest"]).groupby(table["size"]).max()
    sizes = dict.fromkeys((reach.index[0], reach.index[-1]))
    ends = ", ".join(f"up to {fixed(reach[size], 2)} with {size}" for size in sizes)
    title = f"How far samples lie apart: {ends} items ({DESIGNS[design]})"
    told = "; ".join(
        f"{row['model']}, {row['size']} items: {fixed(row['mean'], 3)}, from {fixed(row['lowest'], 3)} to "
        f"{fixed(row['highest'], 3)}"
        for row in rows
    )
    spec = chart(layers, height=260, data=values(rows))
    return Figure(slug(f"sample size {design}"), title, f"{title}. {told}.", spec)


FIGURES = {"models": models_figures, "skew": skew_figures, "sample-size": sample_size_figures}
TABLES = {"models": models_tables}
