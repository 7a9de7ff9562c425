"""The curve of an estimate over the layers of a model, with its intervals."""

from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.report.figures.style import (
    MODEL_COLOURS,
    SCHEMA,
    Layer,
    hover,
    line_at,
    mark,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.results import Result
from equipoise.results.estimate import CROSSED
from equipoise.results.records import fixed

LAYER = "layer"
_COLUMNS = ["layer", "of", "value", "low", "high", "n"]


def layer_table(result: Result, key: str = "") -> pd.DataFrame:
    """The estimates by layer of a key (the first that has any), one row each: layer, of what, value, ends."""
    table = result.estimates
    by_layer = table[table["by"].str.split(CROSSED, regex=False).map(lambda names: LAYER in names)]
    keys = list(dict.fromkeys(by_layer["key"]))
    if not keys or (key and key not in keys):
        raise UserError(
            f"{result.instrument} has no {key or 'estimates'} by layer.",
            f"It has: {', '.join(keys)}." if keys else "Measure vectors with --layer all.",
        )
    rows = by_layer[by_layer["key"] == (key or keys[0])]
    places = [names.split(CROSSED).index(LAYER) for names in rows["by"]]
    levels = [level.split(CROSSED) for level in rows["level"]]
    return rows.assign(
        layer=[int(level[place]) for level, place in zip(levels, places, strict=True)],
        of=[
            CROSSED.join(level[:place] + level[place + 1 :]) or "all"
            for level, place in zip(levels, places, strict=True)
        ],
    )[_COLUMNS].reset_index(drop=True)


def layer_figure(result: Result, key: str = "") -> Figure:
    """A panel for each test: its line over the layers, with a band for the 95 % interval."""
    table = layer_table(result, key)
    row = _first_row(result, key)
    variant = f", {result.variant}" if result.variant else ""
    title = f"{result.instrument} by layer of {result.model}{variant} (band: 95 % interval; dashed: neutral)"
    told = "; ".join(
        f"{one['of']}, layer {one['layer']}: {fixed(one['value'], 2)}" for one in table.to_dict("records")
    )
    return Figure(slug(f"{result.instrument} layers"), title, f"{title}. {told}.", _spec(table, row))


def _spec(table: pd.DataFrame, row: pd.Series) -> dict[str, Any]:
    names = list(table["of"].unique())
    layers = sorted(int(layer) for layer in table["layer"].unique())
    across: dict[str, Any] = quantitative("layer", title="layer (0: embeddings)")
    across["axis"] = {"values": layers, "format": "d"}
    upward = quantitative(title=f"{row['label']} ({row['unit']})")
    ink = {"value": MODEL_COLOURS[0]}
    tooltip = hover(*_COLUMNS)
    at = {"x": across, "y": upward | {"field": "value"}, "color": ink, "tooltip": tooltip}
    ends = {"x": across, "y": upward | {"field": "low"}, "y2": {"field": "high"}, "color": ink}
    drawn: list[Layer] = [
        line_at(float(row["neutral"]), "y"),
        mark("area", {"opacity": 0.2}, **ends),
        mark("line", {"point": {"size": 30}}, **at),
    ]
    width = 420 if len(names) == 1 else 190
    return {
        "$schema": SCHEMA,
        "height": width * 0.7,
        "data": values(table.to_dict("records")),
        "facet": nominal("of", title=None, sort=names),
        "columns": 4,
        "spec": {"width": width, "height": width * 0.7, "layer": drawn},
    }


def _first_row(result: Result, key: str) -> pd.Series:
    """The first estimate by layer of a key, for its label, unit and neutral value."""
    table = result.estimates
    by_layer = table[table["by"].str.contains(LAYER)]
    return by_layer[by_layer["key"] == (key or by_layer["key"].iloc[0])].iloc[0]
