"""What a change did to a model: before and after, professions, mitigations, classifiers, controls."""

from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.report.elements import Figure
from equipoise.report.figures.association import NEEDS, profession_bars
from equipoise.report.figures.dots import dot, dot_figure
from equipoise.report.figures.leans import LEANS, leans_figure
from equipoise.report.figures.style import (
    ABOVE,
    BELOW,
    UNCLEAR,
    Layer,
    chart,
    line_at,
    model_colour,
    upright_interval,
    values,
)
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.results.numbers import fixed
from equipoise.studies.papers.association_tables import BY_PROFESSION

# before_after
BEFORE_AFTER_GAIN = ("instrument", "label", "removed", "low", "high")
BEFORE_AFTER_PRICE = ("instrument", "label", "loss", "low", "high")
"""What the charts need of the study's tables."""


def before_after_figures(study: Study) -> list[Figure]:
    """Gain and price with their intervals, the scatter of leans, and the professions of BEC-Pro."""
    gain, price, leans = (
        _before_after_usable(study, *one)
        for one in (("gain", BEFORE_AFTER_GAIN), ("price", BEFORE_AFTER_PRICE), ("leanings", LEANS))
    )
    drawn = []
    if gain is not None:
        axis = "% of the distance from neutral (right: better)"
        drawn.append(
            dot_figure(
                "before after gain",
                "Bias removed",
                _before_after_shares(gain, "removed"),
                axis=axis,
                neutral=0,
            )
        )
    if price is not None:
        axis = "% lost (left: better); of a log P, the rise of perplexity"
        drawn.append(
            dot_figure(
                "before after price",
                "What it cost",
                _before_after_shares(price, "loss"),
                axis=axis,
                neutral=0,
            )
        )
    scatter = None if leans is None else leans_figure("before after leans", leans)
    professions = _before_after_usable(study, Path(BY_PROFESSION).stem, NEEDS)
    bars = [] if professions is None else profession_bars("before after", professions)
    return [*drawn, *([scatter] if scatter else []), *bars]


def _before_after_usable(study: Study, name: str, columns: tuple[str, ...]) -> pd.DataFrame | None:
    table = study.tables.get(name)
    return table if table is not None and set(columns) <= set(table.columns) and len(table) else None


def _before_after_shares(table: pd.DataFrame, column: str) -> list[dict[str, Any]]:
    """A row for each number, in per cent."""
    rows = []
    for row in table.to_dict("records"):
        value, low, high = (100 * float(row[name]) for name in (column, "low", "high"))
        is_alone = (table["label"] == row["label"]).sum() == 1
        name = str(row["label"]) if is_alone else f"{row['instrument']}, {row['label']}"
        rows.append(dot(name, value, low, high))
    return rows


# professions
PROFESSIONS_TABLE = "professions"
PROFESSIONS_SIDES = ("before", "after")
PROFESSIONS_MOST_CATEGORIES = 24
PROFESSIONS_WORDS = "gender-related words"
"""The chart of the categories that are about one word each, such as Pregnancy: Fig. 12 of the thesis."""


def professions_figures(study: Study) -> list[Figure]:
    """The scatter of all, then the bars of each category."""
    table = study.tables.get(PROFESSIONS_TABLE)
    if table is None or not {*LEANS, "category"} <= set(table.columns):
        return []
    scatter = leans_figure("professions leans", table)
    bars = [
        _professions_bars(str(name), rows)
        for name, rows in _professions_charted(table).groupby("category", sort=False)
    ]
    return [*([scatter] if scatter else []), *bars[:PROFESSIONS_MOST_CATEGORIES]]


def _professions_charted(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the guard's categories of a single word put together."""
    counts = table.groupby("category")["profession"].transform("size")
    is_word = (table["part"] == "guard") & (counts == 1)
    return table.assign(category=table["category"].mask(is_word, PROFESSIONS_WORDS))


def _professions_bars(category: str, table: pd.DataFrame) -> Figure:
    ordered = table.sort_values("before", kind="stable")
    order = ordered["profession"].tolist()
    rows = [
        {
            "profession": row["profession"],
            "model": side,
            "appd": float(row[side]),
            **_professions_ends(row, side),
        }
        for row in ordered.to_dict("records")
        for side in PROFESSIONS_SIDES
    ]
    down: dict[str, Any] = {"field": "profession", "type": "nominal", "sort": order, "title": None}
    across = {"field": "appd", "type": "quantitative", "title": "APPD (right: male)"}
    tooltip = [{"field": name} for name in ("profession", "model", "appd")]
    aside = {"field": "model", "type": "nominal", "sort": list(PROFESSIONS_SIDES)}
    bar = {
        "x": across,
        "y": down,
        "yOffset": aside,
        "color": model_colour(PROFESSIONS_SIDES),
        "tooltip": tooltip,
    }
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": down, "yOffset": aside}
    known = any(row["low"] == row["low"] for row in rows)  # without a number Vega warns on the console
    interval: Layer = {"mark": {"type": "rule", "opacity": 0.8, "color": "#3A3F45"}, "encoding": ends}
    layers: list[Layer] = [
        {"mark": {"type": "bar"}, "encoding": bar},
        *([interval] if known else []),
        line_at(0, "x"),
        *_professions_seen(ordered, down),
    ]
    marked = "; a diamond: the training text names it" if "seen" in table else ""
    title = f"{category}: APPD before and after, with 95 % intervals{marked}"
    told = "; ".join(
        f"{row['profession']}: {fixed(row['before'], 2)} to {fixed(row['after'], 2)}"
        + (" (named in the training text)" if row.get("seen") else "")
        for row in ordered.to_dict("records")
    )
    spec = chart(layers, height=18 * len(order), data=values(rows))
    return Figure(slug(f"professions {category}"), title, f"{title}. {told}.", spec)


def _professions_ends(row: "dict[Any, Any]", side: str) -> dict[str, float]:
    return {end: float(row.get(f"{side}_{end}", "nan")) for end in ("low", "high")}


def _professions_seen(table: pd.DataFrame, down: dict[str, Any]) -> list[Layer]:
    """A mark at zero for every profession that the training text names."""
    if "seen" not in table or not table["seen"].astype(bool).any():
        return []
    rows = [{"profession": name, "at": 0} for name in table.loc[table["seen"].astype(bool), "profession"]]
    mark = {"type": "point", "shape": "diamond", "filled": True, "size": 45, "opacity": 1, "color": UNCLEAR}
    at = {"x": {"field": "at", "type": "quantitative"}, "y": down}
    return [{"data": values(rows), "mark": mark, "encoding": at}]


# mitigations
MITIGATIONS_TABLE = "mitigations"
MITIGATIONS_COLUMNS = ("method", "removed", "price", "front", "dominated_by")
"""What the picture needs of the study's table, a row per method."""

MITIGATIONS_FRONT, MITIGATIONS_BEATEN, MITIGATIONS_UNSURE = (
    "on the front",
    "another is better in both",
    "not sure to lower the average",
)


def mitigations_figures(study: Study) -> list[Figure]:
    """The Pareto front, where the study wrote its table."""
    table = study.tables.get(MITIGATIONS_TABLE)
    if table is None or not set(MITIGATIONS_COLUMNS) <= set(table.columns):
        return []
    known = table[table["removed"].notna() & table["price"].notna()]
    if known.empty:
        return []
    rows = [_mitigations_row(row) for row in known.to_dict("records")]
    title = "Bias removed against what it costs"
    told = "; ".join(
        f"{row['method']}: removes {fixed(row['removed'], 0)} %, costs {fixed(row['price'], 1)} %, "
        f"{row['reading']}"
        for row in rows
    )
    return [Figure("mitigations-pareto", title, f"{title}. {told}.", _mitigations_spec(rows))]


def _mitigations_row(row: "dict[Any, Any]") -> dict[str, Any]:
    """A method in per cent, with the interval of what it removes where the study has one."""
    ends = {end: 100 * float(row.get(f"removed_{end}", "nan")) for end in ("low", "high")}
    return {
        "method": str(row["method"]),
        "removed": 100 * float(row["removed"]),
        "price": 100 * float(row["price"]),
        "reading": _mitigations_reading(row),
        **ends,
    }


def _mitigations_reading(row: "dict[Any, Any]") -> str:
    """Whether it is one to choose from; without an interval it can only be beaten by another."""
    if bool(row["front"]):
        return MITIGATIONS_FRONT
    return MITIGATIONS_UNSURE if float(row.get("removed_low", 1.0)) <= 0 else MITIGATIONS_BEATEN


def _mitigations_spec(rows: list[dict[str, Any]]) -> dict[str, Any]:
    across = {
        "field": "price",
        "type": "quantitative",
        "title": "price: largest loss, % (left: better)",
        "scale": {"zero": True},
    }
    upward = {"type": "quantitative", "title": "bias removed, % (up: better)"}
    scale = {
        "domain": [MITIGATIONS_FRONT, MITIGATIONS_UNSURE, MITIGATIONS_BEATEN],
        "range": [ABOVE, BELOW, UNCLEAR],
    }
    colour = {
        "field": "reading",
        "type": "nominal",
        "scale": scale,
        "legend": {"orient": "top", "title": None},
    }
    at = {"x": across, "y": upward | {"field": "removed"}}
    front = sorted(
        (row for row in rows if row["reading"] == MITIGATIONS_FRONT), key=lambda row: float(row["price"])
    )
    tooltip = [{"field": name} for name in ("method", "removed", "price", "reading")]
    layers: list[dict[str, Any]] = [
        {
            "data": values(front),
            "mark": {"type": "line", "interpolate": "step-after", "opacity": 0.5, "color": ABOVE},
            "encoding": at,
        },
        upright_interval(across, upward, colour),
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
            "encoding": {**at, "color": colour, "tooltip": tooltip},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 8, "dy": -6, "fontSize": 11},
            "encoding": {**at, "text": {"field": "method"}},
        },
    ]
    return chart(layers, height=340, data=values(rows))


# downstream
DOWNSTREAM_TABLE = "classifiers"
DOWNSTREAM_COLUMNS = ("side", "seed", "instrument", "key", "value", "low", "high")


def downstream_figures(study: Study) -> list[Figure]:
    """A chart for each number of the classifiers."""
    table = study.tables.get(DOWNSTREAM_TABLE)
    if table is None or not set(DOWNSTREAM_COLUMNS) <= set(table.columns):
        return []
    drawn = []
    for (instrument, key), of_key in table.groupby(["instrument", "key"], sort=False):
        rows = [
            dot(f"{row['side']}, seed {row['seed']}", row["value"], row["low"], row["high"], row["side"])
            for row in of_key.to_dict("records")
        ]
        title = f"{instrument}, {key} of each classifier"
        drawn.append(dot_figure(f"downstream {instrument} {key}", title, rows, axis=str(key)))
    return drawn


# control
CONTROL_TABLE = "control"
CONTROL_COLUMNS = (
    *("instrument", "estimate", "by", "level", "model_value", "low", "high"),
    *("random_mean", "random_lowest", "random_highest", "draws"),
)


def control_figures(study: Study) -> list[Figure]:
    """A chart for each headline, as each has a unit of its own."""
    table = study.tables.get(CONTROL_TABLE)
    if table is None or not set(CONTROL_COLUMNS) <= set(table.columns):
        return []
    known = table.fillna({"by": "", "level": ""})
    return [_control_figure(row) for row in known.to_dict("records")]


def _control_figure(row: "dict[Any, Any]") -> Figure:
    where = f" ({row['by']} {row['level']})" if row["by"] else ""
    drawn = (row["random_mean"], row["random_lowest"], row["random_highest"])
    rows = [
        dot("the model", row["model_value"], row["low"], row["high"]),
        dot(f"random weights, {row['draws']} draws", *drawn),
    ]
    title = f"{row['instrument']}, {row['estimate']}{where}"
    read = f"{title} (bars: 95 % interval; range of the draws)"
    return dot_figure(f"control {title}", read, rows, axis=f"{row['estimate']}{where}")


FIGURES = {
    "before-after": before_after_figures,
    "professions": professions_figures,
    "mitigations": mitigations_figures,
    "downstream": downstream_figures,
    "control": control_figures,
}
