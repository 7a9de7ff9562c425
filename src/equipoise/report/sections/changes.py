"""What a change did to a model: before and after, professions, mitigations, classifiers, controls."""

from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.report.figures.association import NEEDS, profession_bars
from equipoise.report.figures.dots import declared, dot, dot_figure, found, sided_axis
from equipoise.report.figures.leans import LEANS, leans_figures
from equipoise.report.figures.style import (
    ABOVE,
    BELOW,
    LEGEND,
    UNCLEAR,
    Layer,
    chart,
    dots,
    hover,
    line_at,
    mark,
    model_colour,
    nominal,
    quantitative,
    upright_interval,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.results.reading import sentence_start
from equipoise.results.records import fixed
from equipoise.studies.papers.association_tables import BY_PROFESSION


def before_after_figures(study: Study) -> list[Figure]:
    """Gain and price with their intervals, the scatter of leans, and the professions of BEC-Pro."""
    shares = [
        (
            "gain",
            "removed",
            "Bias fell in {} of {} numbers",
            "% of the distance from neutral (right: better)",
        ),
        (
            "price",
            "loss",
            "{} of {} abilities fell",
            "% lost (left: better); of a log P, the rise of perplexity",
        ),
    ]
    drawn = []
    for name, column, words, axis in shares:
        table = study.table(name, ("instrument", "label", column, "low", "high"))
        if not table.empty:
            title, rows = _certainly(table, column, words), _in_percent(table, column)
            drawn.append(dot_figure(f"before after {name}", title, rows, axis=axis, neutral=0))
    bars = study.table(Path(BY_PROFESSION).stem, NEEDS)
    drawn += leans_figures("before after leans", study.table("leanings", LEANS))
    return drawn + ([] if bars.empty else profession_bars("before after", bars))


def _certainly(table: pd.DataFrame, column: str, words: str) -> str:
    """In how many rows the whole interval lies above 0, of those that have one."""
    known = table[table[column].notna()]
    return words.format(int((known["low"] > 0).sum()), len(known)) + ", certain"


def _in_percent(table: pd.DataFrame, column: str) -> list[dict[str, Any]]:
    """A row for each number, in per cent."""
    rows = []
    for row in table.to_dict("records"):
        value, low, high = (100 * float(row[name]) for name in (column, "low", "high"))
        is_alone = (table["label"] == row["label"]).sum() == 1
        quantity = declared(row["instrument"], row.get("quantity", ""))
        called = quantity.plain_name if quantity else str(row["label"])
        name = called if is_alone else f"{row['instrument']}, {called}"
        rows.append(dot(name, value, low, high))
    return rows


SIDES = ("before", "after")
MOST_CATEGORIES = 24
GENDERED_WORDS = "gender-related words"
"""The chart of the categories that are about one word each, such as Pregnancy: Fig. 12 of the thesis."""


def professions_figures(study: Study) -> list[Figure]:
    """The scatter of all, then the bars of each category."""
    table = study.table("professions", (*LEANS, "category"))
    if table.empty:
        return []
    by_category = _professions_charted(table).groupby("category", sort=False)
    bars = [_professions_bars(str(name), rows) for name, rows in by_category]
    return [*leans_figures("professions leans", table), *bars[:MOST_CATEGORIES]]


def _professions_charted(table: pd.DataFrame) -> pd.DataFrame:
    """The table with the guard's categories of a single word put together."""
    counts = table.groupby("category")["profession"].transform("size")
    is_word = (table["part"] == "guard") & (counts == 1)
    return table.assign(category=table["category"].mask(is_word, GENDERED_WORDS))


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
        for side in SIDES
    ]
    down: dict[str, Any] = nominal("profession", sort=order, title=None)
    across = quantitative("appd", title="← women · pronoun gap (APPD) · men →")
    tooltip = hover("profession", "model", "appd")
    aside = nominal("model", sort=list(SIDES))
    bar = {
        "x": across,
        "y": down,
        "yOffset": aside,
        "color": model_colour(SIDES),
        "tooltip": tooltip,
    }
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": down, "yOffset": aside}
    interval: Layer = mark("rule", {"opacity": 0.8, "color": "#3A3F45"}, **ends)
    layers: list[Layer] = [
        mark("bar", {}, **bar),
        interval,
        line_at(0, "x"),
        *_professions_seen(ordered, down),
    ]
    marked = "; diamond: the training text names it" if "seen" in table else ""
    nearer = int((ordered["after"].abs() < ordered["before"].abs()).sum())
    moved = f"{nearer} of {len(ordered)} nearer to neutral than before"
    title = f"{sentence_start(category)}: {moved} (bars: 95 % intervals{marked})"
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
    at = {"x": quantitative("at"), "y": down}
    return [{"data": values(rows), "mark": mark, "encoding": at}]


COMPARED = ("method", "removed", "price", "front", "dominated_by")
FRONT, BEATEN, UNSURE = "on the front", "another is better in both", "not sure to lower the average"


def mitigations_figures(study: Study) -> list[Figure]:
    """The Pareto front, where the study wrote its table."""
    table = study.table("mitigations", COMPARED)
    if table.empty:
        return []
    known = table[table["removed"].notna() & table["price"].notna()]
    if known.empty:
        return []
    rows = [_mitigations_row(row) for row in known.to_dict("records")]
    best = [row["method"] for row in rows if row["reading"] == FRONT]
    title = "Bias removed against what it costs"
    title += f": {', '.join(best)} on the front" if best else ": no method surely lowers the bias"
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
        return FRONT
    return UNSURE if float(row.get("removed_low", 1.0)) <= 0 else BEATEN


def _mitigations_spec(rows: list[dict[str, Any]]) -> dict[str, Any]:
    across = quantitative("price", title="price: largest loss, % (left: better)", scale={"zero": True})
    upward = quantitative(title="bias removed, % (up: better)")
    scale = {
        "domain": [FRONT, UNSURE, BEATEN],
        "range": [ABOVE, BELOW, UNCLEAR],
    }
    colour = nominal("reading", scale=scale, legend=LEGEND)
    at = {"x": across, "y": upward | {"field": "removed"}}
    front = sorted((row for row in rows if row["reading"] == FRONT), key=lambda row: float(row["price"]))
    tooltip = hover("method", "removed", "price", "reading")
    layers: list[dict[str, Any]] = [
        {
            "data": values(front),
            **mark("line", {"interpolate": "step-after", "opacity": 0.5, "color": ABOVE}, **at),
        },
        upright_interval(across, upward, colour),
        mark("point", dots(80), **at, color=colour, tooltip=tooltip),
        mark("text", {"align": "left", "dx": 8, "dy": -6, "fontSize": 11}, **at, text={"field": "method"}),
    ]
    return chart(layers, height=340, data=values(rows))


def downstream_figures(study: Study) -> list[Figure]:
    """A chart for each number of the classifiers."""
    table = study.table("classifiers", ("side", "seed", "instrument", "key", "value", "low", "high"))
    if table.empty:
        return []
    drawn = []
    for (instrument, key), of_key in table.groupby(["instrument", "key"], sort=False):
        rows = [
            dot(f"{row['side']}, seed {row['seed']}", row["value"], row["low"], row["high"], row["side"])
            for row in of_key.to_dict("records")
        ]
        quantity = declared(instrument, key)
        title = found(rows, quantity, f"{sentence_start(str(key))} of each classifier ({instrument})")
        axis = sided_axis(quantity, str(key), "")
        drawn.append(dot_figure(f"downstream {instrument} {key}", title, rows, axis=axis))
    return drawn


CONTROL = (
    *("instrument", "estimate", "by", "level", "model_value", "low", "high"),
    *("random_mean", "random_lowest", "random_highest", "draws"),
)


def control_figures(study: Study) -> list[Figure]:
    """A chart for each headline, as each has a unit of its own."""
    table = study.table("control", CONTROL).fillna({"by": "", "level": ""})
    return [_control_figure(row) for row in table.to_dict("records")]


def _control_figure(row: "dict[Any, Any]") -> Figure:
    where = f" ({row['by']} {row['level']})" if row["by"] else ""
    drawn = (row["random_mean"], row["random_lowest"], row["random_highest"])
    rows = [
        dot("the model", row["model_value"], row["low"], row["high"]),
        dot(f"random weights, {row['draws']} draws", *drawn),
    ]
    title = f"{row['instrument']}, {row['estimate']}{where}"
    quantity = None if where else declared(row["instrument"], row["estimate"])
    name = sentence_start(quantity.plain_name) if quantity else title
    is_inside = row["random_lowest"] <= row["model_value"] <= row["random_highest"]
    verdict = "no more than random weights give" if is_inside else "beyond what random weights give"
    read = f"{name}: {verdict} (bars: 95 % interval; range of the draws)"
    return dot_figure(
        f"control {title}", read, rows, axis=sided_axis(quantity, f"{row['estimate']}{where}", "")
    )


FIGURES = {
    "before-after": before_after_figures,
    "professions": professions_figures,
    "mitigations": mitigations_figures,
    "downstream": downstream_figures,
    "control": control_figures,
}
