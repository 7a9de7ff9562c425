"""Models beside each other: ranks, categories, stereotype and skew, and how far samples move a score."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.arms import with_texts
from equipoise.report.figures.dots import crossed_figure, dot, dot_figure
from equipoise.report.figures.skew import bars_figure, histogram_figure, skew_figure
from equipoise.report.figures.style import chart, model_colour, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.report.tables import wide_table
from equipoise.results.numbers import fixed
from equipoise.studies.papers.skew import COLUMNS

# models
MODELS_TABLE = "ranking"
MODELS_COLUMNS = ("instrument", "quantity", "group", "rank", "model", "value", "low", "high", "unit")
MODELS_WHOLE = "all"
MODELS_MATRIX = "matrix"
MODELS_MATRIX_COLUMNS = ("instrument", "key", "label", "group", "model", "value", "low", "high", "unit")


def models_tables(study: Study) -> list[Table]:
    """Each headline by category, then over all, with a column for each model, as papers print it."""
    return [
        wide_table(
            f"models {instrument} {key}",
            title,
            rows.rename(columns={"group": "category"}),
            down="category",
            across="model",
        )
        for instrument, key, title, rows in _models_matrices(study)
    ]


def models_figures(study: Study) -> list[Figure]:
    """The ranks by each quantity, then each headline by category with a colour for each model."""
    return [*_models_rankings(study), *(_models_by_group(*one) for one in _models_matrices(study))]


def _models_matrices(study: Study) -> Iterator[tuple[str, str, str, pd.DataFrame]]:
    """Instrument, key, title and rows of every headline that is split into categories."""
    table = study.tables.get(MODELS_MATRIX)
    if table is None or not set(MODELS_MATRIX_COLUMNS) <= set(table.columns):
        return
    for (instrument, key), rows in with_texts(table).groupby(["instrument", "key"], sort=False):
        if rows["group"].nunique() > 1:
            label, unit = str(rows["label"].iloc[0]), str(rows["unit"].iloc[0])
            title = f"{instrument}, {label} by category and model" + (f" ({unit})" if unit else "")
            yield str(instrument), str(key), title, rows


def _models_by_group(instrument: str, key: str, title: str, rows: pd.DataFrame) -> Figure:
    name, axis = f"models {instrument} {key} by category", str(rows["label"].iloc[0])
    return crossed_figure(name, title, rows, down="group", across="model", axis=axis)


def _models_rankings(study: Study) -> list[Figure]:
    table = study.tables.get(MODELS_TABLE)
    if table is None or not set(MODELS_COLUMNS) <= set(table.columns):
        return []
    whole = table[table["group"] == MODELS_WHOLE].fillna({"unit": ""})
    drawn = []
    for (instrument, quantity), ranked in whole.groupby(["instrument", "quantity"], sort=False):
        rows = [
            dot(f"{fixed(row['rank'], 0)}. {row['model']}", row["value"], row["low"], row["high"])
            for row in ranked.sort_values("rank", kind="stable").to_dict("records")
        ]
        unit = str(ranked["unit"].iloc[0])
        axis = f"{quantity} ({unit})" if unit else str(quantity)
        title = f"{instrument}, {quantity} (1: nearest to what is good)"
        drawn.append(dot_figure(f"models {instrument} {quantity}", title, rows, axis=axis))
    return drawn


# skew
SKEW_TABLE, SKEW_HISTOGRAM = "skew", "histogram"


def skew_figures(study: Study) -> list[Figure]:
    """The charts of the study's tables, where they can be drawn."""
    table, histogram = study.tables.get(SKEW_TABLE), study.tables.get(SKEW_HISTOGRAM)
    made: list[Figure | None] = []
    if table is not None and set(COLUMNS) <= set(table.columns):
        labels = table["label"] if "label" in table else table["model"]
        rows = table.assign(model=labels).to_dict("records")
        made += [skew_figure("skew plane", rows), bars_figure("skew figure 4", rows)]
    if histogram is not None and len(histogram):
        made.append(histogram_figure("skew figure 3", histogram))
    return [figure for figure in made if figure is not None]


# sample_size
SAMPLE_SIZE_TABLE = "sample-size"
SAMPLE_SIZE_COLUMNS = ("design", "category", "size", "mean", "lowest", "highest")
SAMPLE_SIZE_DESIGNS = {
    "bootstrap": "drawn with replacement: how far other items of the same kind would move it",
    "published": "drawn without replacement, as published: near the full size samples share their items",
}


def sample_size_figures(study: Study) -> list[Figure]:
    """A chart for each design: the mean of the draws and how far they reach."""
    table = study.tables.get(SAMPLE_SIZE_TABLE)
    if table is None or not set(SAMPLE_SIZE_COLUMNS) <= set(table.columns):
        return []
    return [
        _sample_size_figure(table[table["design"] == name], name)
        for name in SAMPLE_SIZE_DESIGNS
        if name in set(table["design"])
    ]


def _sample_size_figure(table: pd.DataFrame, design: str) -> Figure:
    rows = [
        {"model": str(row["category"]), **{name: row[name] for name in SAMPLE_SIZE_COLUMNS[2:]}}
        for row in table.to_dict("records")
    ]
    labels = list(dict.fromkeys(row["model"] for row in rows))
    across = {
        "field": "size",
        "type": "ordinal",
        "title": "items drawn from each category",
        "axis": {"labelAngle": 0},
    }
    aside = {"field": "model", "type": "nominal", "sort": labels}
    upward = {"type": "quantitative", "title": "score (bar: all draws)", "scale": {"zero": False}}
    colour = model_colour(labels)
    shared = {"x": across, "xOffset": aside, "color": colour}
    tooltip = [{"field": name} for name in ("model", *SAMPLE_SIZE_COLUMNS[2:])]
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.6},
            "encoding": {**shared, "y": upward | {"field": "lowest"}, "y2": {"field": "highest"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
            "encoding": {**shared, "y": upward | {"field": "mean"}, "tooltip": tooltip},
        },
    ]
    title = f"Score by sample size, {SAMPLE_SIZE_DESIGNS[design]}"
    told = "; ".join(
        f"{row['model']}, {row['size']} items: {fixed(row['mean'], 3)}, from {fixed(row['lowest'], 3)} to "
        f"{fixed(row['highest'], 3)}"
        for row in rows
    )
    spec = chart(layers, height=260, data=values(rows))
    return Figure(slug(f"sample size {design}"), title, f"{title}. {told}.", spec)


FIGURES = {"models": models_figures, "skew": skew_figures, "sample-size": sample_size_figures}
TABLES = {"models": models_tables}
