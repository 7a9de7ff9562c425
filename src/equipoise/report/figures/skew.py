"""Skew against stereotype: the nearer to where the two lines cross, the better."""

from collections.abc import Sequence
from typing import Any

from equipoise.errors import UserError
from equipoise.report.elements import Figure
from equipoise.report.figures.style import Layer, chart, crossed_intervals, line_at, model_colour, values
from equipoise.report.measurements import Measurement, slug
from equipoise.results.numbers import shown
from equipoise.studies.skew import INSTRUMENT, TYPE_2, skew_stereotype_table

TYPES = ("1", "2", 1, 2)


def skew_figures(measured: Measurement) -> list[Figure]:
    """The models by their skew and stereotype on type 2 sentences, with 95 % intervals."""
    if measured.instrument != INSTRUMENT:
        return []
    try:
        table = skew_stereotype_table(list(measured.results.values()))
    except UserError:
        return []
    labels = list(measured.results)
    rows = [row | {"model": label} for row, label in zip(table.to_dict("records"), labels, strict=True)]
    figure = skew_figure(f"{measured.name} skew", rows)
    return [] if figure is None else [figure]


def skew_figure(name: str, rows: "Sequence[dict[Any, Any]]") -> Figure | None:
    """A point for each model of a table as `study skew` writes it; None where none is known."""
    known = [row for row in rows if row["skew"] == row["skew"] and row["stereotype"] == row["stereotype"]]
    if not known:
        return None
    told = "; ".join(
        f"{row['model']}: skew {shown(row['skew'])}, stereotype {shown(row['stereotype'])}, ability "
        f"{shown(row['ability'])}{'' if row['is_meaningful'] else ', not meaningful'}"
        for row in known
    )
    kind = known[0].get("type", TYPE_2)
    title = f"Skew against stereotype{f' (type {kind} sentences)' if kind in TYPES else ''}"
    labels = [str(row["model"]) for row in rows]
    return Figure(slug(name), title, f"{title}. {told}.", _spec(known, labels))


def _spec(rows: list[dict[Any, Any]], labels: list[str]) -> dict[str, Any]:
    x = {"field": "skew", "type": "quantitative", "title": "skew (F1 x 100; right: male)"}
    y = {"field": "stereotype", "type": "quantitative", "title": "stereotype (F1 x 100; up: follows it)"}
    colour = model_colour(labels)
    tooltip = [{"field": name} for name in ("model", "skew", "stereotype", "ability", "n")]
    layers: list[Layer] = [
        line_at(0, "x"),
        line_at(0, "y"),
        *crossed_intervals(x, y, colour),
        {
            "mark": {"type": "point", "size": 90, "opacity": 1, "filled": True, "strokeWidth": 1.5},
            "encoding": {
                "x": x,
                "y": y,
                "color": colour,
                "stroke": colour,
                "fillOpacity": {"condition": {"test": "!datum.is_meaningful", "value": 0}, "value": 1},
                "tooltip": tooltip,
            },
        },
    ]
    names = ("model", "skew", "skew_low", "skew_high", "stereotype", "stereotype_low", "stereotype_high")
    kept = [{name: row[name] for name in (*names, "ability", "n", "is_meaningful")} for row in rows]
    return chart(layers, height=300, data=values(kept))
