"""Skew against stereotype in a plane and in bars, and how far apart the two pronouns are."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.stereotype_skew import CUT
from equipoise.report.figures.style import (
    LEGEND,
    MODEL_COLOURS,
    Layer,
    Row,
    chart,
    crossed_intervals,
    hover,
    line_at,
    mark,
    model_colour,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results.records import fixed, shown
from equipoise.studies.papers.skew import INSTRUMENT, TYPE_2, histogram_table, skew_stereotype_table

TYPES = ("1", "2", 1, 2)
MEANS = {"absolute_stereotype": "stereotype", "absolute_skew": "skew"}
"""The published means by their columns, in the order of the paper's bars."""


def skew_figures(measured: Measurement) -> list[Figure]:
    """Skew and stereotype of the models on type 2 sentences, and the histogram behind them."""
    if measured.instrument != INSTRUMENT:
        return []
    results = list(measured.results.values())
    try:
        table, histogram = skew_stereotype_table(results), histogram_table(results)
    except UserError:
        return []
    labels = list(measured.results)
    rows = [row | {"model": label} for row, label in zip(table.to_dict("records"), labels, strict=True)]
    figures = [skew_figure(f"{measured.name} skew", rows), bars_figure(f"{measured.name} skew bars", rows)]
    names = dict(zip((result.model for result in results), labels, strict=True))
    named = histogram.assign(model=histogram["model"].map(names))
    figures.append(histogram_figure(f"{measured.name} differences", named))
    return [figure for figure in figures if figure is not None]


def bars_figure(name: str, rows: "Sequence[dict[Any, Any]]") -> Figure | None:
    """Mean |stereotype| and mean |skew| of every row as bars: Figure 4 of the paper."""
    known = [row for row in rows if row["absolute_skew"] == row["absolute_skew"]]
    if not known:
        return None
    bars: list[Row] = [
        {
            "model": str(row["model"]),
            "mean": called,
            "value": row[column],
            "low": row[f"{column}_low"],
            "high": row[f"{column}_high"],
        }
        for row in known
        for column, called in MEANS.items()
    ]
    title = "Size of the stereotype gap and of the same-answer bias (mean |stereotype|, mean |skew|)"
    told = "; ".join(
        f"{row['model']}: stereotype {shown(row['absolute_stereotype'])}, skew {shown(row['absolute_skew'])}"
        for row in known
    )
    return Figure(slug(name), title, f"{title}. {told}.", _bars_spec(bars))


def histogram_figure(name: str, table: pd.DataFrame) -> Figure | None:
    """How many sentences have which |P(he) - P(she)|, with the paper's cut: its Figure 3."""
    known = table[table["share"].notna()] if len(table) else table
    if not len(known):
        return None
    below = known[known["to"] <= CUT + 1e-9]
    title = "Difference between the two pronouns' probabilities"
    if len(below) == 1:
        title += (
            f": below {100 * CUT:g} points in {fixed(100 * below['share'].iloc[0], 0)} % of the sentences"
        )
    told = "; ".join(
        f"{row['model']}: {fixed(100 * row['share'], 0)} % of {row['n']:,} sentences below the cut of {CUT:g}"
        for row in below.to_dict("records")
    )
    spec = _histogram_spec(known.to_dict("records"), list(dict.fromkeys(known["model"])))
    return Figure(slug(name), title, f"{title}. {told}.", spec)


def _bars_spec(bars: list[Row]) -> dict[str, Any]:
    kinds = list(MEANS.values())
    models = list(dict.fromkeys(str(bar["model"]) for bar in bars))
    labels = {} if len(models) > 1 else {"axis": None}
    down = nominal("model", title=None, sort=models, **labels)
    aside = {"field": "mean", "sort": kinds}
    across = quantitative("value", title="points (0: none)", scale={"zero": True})
    scale = {"domain": kinds, "range": list(MODEL_COLOURS[: len(kinds)])}
    colour = nominal("mean", scale=scale, legend=LEGEND)
    tooltip = hover("model", "mean", "value", "low", "high")
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}}
    layers: list[Layer] = [
        mark("bar", {"opacity": 0.8}, y=down, yOffset=aside, x=across, color=colour, tooltip=tooltip),
        mark("rule", {"strokeWidth": 1.5, "color": "#222222"}, y=down, yOffset=aside, **ends),
    ]
    return chart(layers, height=40 * len(models) + 40, data=values(bars))


def _histogram_spec(rows: list[Row], models: list[str]) -> dict[str, Any]:
    """Bars for one model; a line for each of several, so that none hides another."""
    axis = {"values": [step / 10 for step in range(11)], "format": ".1f"}
    title = "|P(he) - P(she)| of a sentence (dashed: the cut of 0.1)"
    across = quantitative(title=title, scale={"domain": [0, 1]}, axis=axis)
    y = quantitative("share", title="share of sentences", axis={"format": "%"})
    tooltip = hover("model", "from", "to", "share", "low", "high", "n")
    middle = across | {"field": "middle"}
    dots = [row | {"middle": (row["from"] + row["to"]) / 2} for row in rows]
    ends = {"x": middle, "y": y | {"field": "low"}, "y2": {"field": "high"}}
    if len(models) == 1:
        x = across | {"field": "from", "bin": "binned"}
        bars: Layer = {"mark": {"type": "bar", "binSpacing": 1, "color": MODEL_COLOURS[0]}}
        bars["encoding"] = {"x": x, "x2": {"field": "to"}, "y": y, "tooltip": tooltip}
        rule: Layer = mark("rule", {"color": "#222222"}, **ends)
        return chart([bars, rule, line_at(CUT, "x")], height=220, data=values(dots))
    colour = model_colour(models)
    lines: Layer = {"mark": {"type": "line", "strokeWidth": 2, "point": True}}
    lines["encoding"] = {"x": middle, "y": y, "color": colour, "tooltip": tooltip}
    spread: Layer = mark("rule", {"opacity": 0.5}, **ends, color=colour)
    return chart([spread, lines, line_at(CUT, "x")], height=240, data=values(dots))


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
    title = f"Stereotype gap against same-answer bias{f' (type {kind} sentences)' if kind in TYPES else ''}"
    if len(known) == 1:
        gap, bias = (fixed(known[0][name], 0) for name in ("stereotype", "skew"))
        title += f": {gap} and {bias} points"
    labels = [str(row["model"]) for row in rows]
    return Figure(slug(name), title, f"{title}. {told}.", _spec(known, labels))


def _spec(rows: list[dict[Any, Any]], labels: list[str]) -> dict[str, Any]:
    x = quantitative("skew", title="← women · same-answer bias (skew), points · men →")
    y = quantitative("stereotype", title="stereotype gap, points · the stereotype →")
    colour = model_colour(labels)
    tooltip = hover("model", "skew", "stereotype", "ability", "n")
    layers: list[Layer] = [
        line_at(0, "x"),
        line_at(0, "y"),
        *crossed_intervals(x, y, colour),
        mark(
            "point",
            {"size": 90, "opacity": 1, "filled": True, "strokeWidth": 1.5},
            x=x,
            y=y,
            color=colour,
            stroke=colour,
            fillOpacity={"condition": {"test": "!datum.is_meaningful", "value": 0}, "value": 1},
            tooltip=tooltip,
        ),
    ]
    names = ("model", "skew", "skew_low", "skew_high", "stereotype", "stereotype_low", "stereotype_high")
    kept = [{name: row[name] for name in (*names, "ability", "n", "is_meaningful")} for row in rows]
    return chart(layers, height=300, data=values(kept))
