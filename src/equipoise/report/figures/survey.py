"""A corpus: words and categories closest to women and men, mentions by group, and change over the years."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from equipoise.report.corpus_findings import certain_rows
from equipoise.report.figures.style import (
    LEGEND,
    MEN,
    MODEL_COLOURS,
    WOMEN,
    Layer,
    Row,
    chart,
    dots_with_intervals,
    hover,
    line_at,
    mark,
    nominal,
    quantitative,
    upright_interval,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import slug
from equipoise.results.records import fixed

if TYPE_CHECKING:
    from equipoise.corpora.survey import Survey

MOST_WORDS = 15
"""Words shown on each side."""

MOST_GROUPS = 20
TO_MEN, TO_WOMEN = "closer to men", "closer to women"
LOG_ODDS = "closer to women  ←  log-odds  →  closer to men"
INTERVALS = "bars: 95 % intervals over documents"
_SIDE = nominal("side", scale={"domain": [TO_WOMEN, TO_MEN], "range": [WOMEN, MEN]}, legend=LEGEND)
_FILES = ("top-words", "categories", "over-time", "mentions-*")


def survey_files(folder: Path) -> list[Path]:
    """The charts of a survey that a folder holds already."""
    return sorted(
        path for name in _FILES for kind in ("svg", "png") for path in folder.glob(f"{name}.{kind}")
    )


def survey_figures(survey: "Survey") -> list[Figure]:
    """The charts that a survey has enough documents for."""
    return cooccurrence_figures(survey.cooccurrence) + mention_figures(survey.mentions)


def cooccurrence_figures(table: pd.DataFrame) -> list[Figure]:
    """The words and the categories by their log-odds, and the categories over the years."""
    known = _known(table)
    whole = known[known["by"] == "all"]
    words, categories = whole[whole["word"] != ""], whole[whole["word"] == ""]
    figures = []
    if len(words):
        certain = set(certain_rows(words)["word"])
        figures.append(_lean_figure("top-words", "Words", _strongest(words), certain))
    if len(categories):
        rows = [_lean(row, str(row["category"])) for row in categories.to_dict("records")]
        certain = set(certain_rows(categories)["category"])
        figures.append(_lean_figure("categories", "Categories", rows, certain))
    years = _years(known[known["word"] == ""])
    if len(years) > 1:
        figures.append(_categories_over_time(years))
    return figures


def mention_figures(table: pd.DataFrame) -> list[Figure]:
    """The share of women among those mentioned, by each grouping and over the years."""
    known = _known(table[table["role"] == "all"])
    groupings = [by for by in dict.fromkeys(known["by"]) if by not in ("all", "year")]
    figures = [_mentions_figure(known[known["by"] == by], str(by)) for by in groupings]
    years = _years(known)
    if len(years) > 1:
        figures.append(_mentions_over_time(years))
    return figures


def _strongest(words: pd.DataFrame) -> list[Row]:
    """The words of both sides whose interval lies farthest from 0, from men to women."""
    men = words[words["log_odds"] > 0].nlargest(MOST_WORDS, "log_odds_low")
    women = words[words["log_odds"] <= 0].nsmallest(MOST_WORDS, "log_odds_high")
    ordered = pd.concat([men, women]).sort_values("log_odds", ascending=False, kind="stable")
    return [_lean(row, f"{row['word']} ({row['category']})") for row in ordered.to_dict("records")]


def _lean(row: "dict[Any, Any]", name: str) -> Row:
    value = float(row["log_odds"])
    return {
        "name": name,
        "value": value,
        "low": float(row["log_odds_low"]),
        "high": float(row["log_odds_high"]),
        "side": TO_MEN if value > 0 else TO_WOMEN,
        "with men": int(row["male"]),
        "with women": int(row["female"]),
    }


def _lean_figure(name: str, title: str, rows: Sequence[Row], certain: set[str]) -> Figure:
    down = _names_down(rows)
    across = quantitative(title=LOG_ODDS, scale={"zero": True})
    tooltip = hover("name", "value", "with men", "with women")
    layers = [line_at(0, "x"), *dots_with_intervals(across, {"y": down, "color": _SIDE}, tooltip)]
    told = "; ".join(f"{row['name']}: {fixed(row['value'], 2)}" for row in rows)
    spec = chart(layers, height=22 * max(len(rows), 2), data=values(rows))
    return Figure(name, f"{title}: {_ends_of(rows, certain)} ({INTERVALS})", f"{title}. {told}.", spec)


def _ends_of(rows: Sequence[Row], certain: set[str]) -> str:
    """The certain row closest to men and the one closest to women."""
    sure = [row for row in rows if str(row["name"]).partition(" (")[0] in certain]
    ordered = sorted(sure, key=lambda row: float(row["value"]))
    ends = [(ordered[-1], TO_MEN), (ordered[0], TO_WOMEN)] if ordered else []
    told = ", ".join(f"{row['name']} is {side}" for row, side in ends if row["side"] == side)
    return told or "none is closer to one gender for certain"


def _mentions_figure(rows: pd.DataFrame, by: str) -> Figure:
    largest = rows.assign(total=rows["women"] + rows["men"]).nlargest(MOST_GROUPS, "total")
    dots = [_share(row) for row in largest.sort_values("share_women", kind="stable").to_dict("records")]
    across: Row = quantitative(title="women among the people mentioned (dashed: half)")
    across |= {"axis": {"format": "%"}, "scale": {"zero": False}}
    tooltip = hover("name", "women", "men", "value")
    shared = {"y": _names_down(dots), "color": {"value": MODEL_COLOURS[0]}}
    layers = [line_at(0.5, "x"), *dots_with_intervals(across, shared, tooltip)]
    low, high = dots[0], dots[-1]
    title = f"Women among the people mentioned, by {by}: "
    title += (
        f"{low['name']} {fixed(100 * low['value'], 0)} %, {high['name']} {fixed(100 * high['value'], 0)} %"
    )
    told = "; ".join(f"{row['name']}: {fixed(100 * row['value'], 0)} %" for row in dots)
    spec = chart(layers, height=24 * max(len(dots), 2), data=values(dots))
    return Figure(slug(f"mentions {by}"), f"{title} (bars: 95 % intervals)", f"{title}. {told}.", spec)


def _share(row: "dict[Any, Any]") -> Row:
    ends = {name: float(row[name]) for name in ("low", "high")}
    counts = {name: int(row[name]) for name in ("women", "men")}
    return {"name": str(row["level"]), "value": float(row["share_women"]), **ends, **counts}


def _categories_over_time(years: pd.DataFrame) -> Figure:
    """A panel for each category with its log-odds by year."""
    rows = [
        {"category": str(row["category"]), "year": int(row["year"]), **_ends(row, "log_odds", "log_odds_")}
        for row in years.to_dict("records")
    ]
    upward = quantitative(title="log-odds (up: closer to men)")
    title = "Categories over the years"
    panels = {
        "facet": nominal("category", title=None),
        "columns": 3,
        "spec": {"width": 190, "height": 130, "layer": _line_over_time(upward)},
    }
    spec = {**chart([], height=150, data=values(rows)), **panels}
    for key in ("layer", "width", "autosize"):
        del spec[key]
    told = "; ".join(f"{row['category']} {row['year']}: {fixed(row['value'], 2)}" for row in rows)
    return Figure("over-time", f"{title} ({INTERVALS})", f"{title}. {told}.", spec)


def _mentions_over_time(years: pd.DataFrame) -> Figure:
    rows = [{"year": int(row["year"]), **_ends(row, "share_women", "")} for row in years.to_dict("records")]
    upward = quantitative(title="women among the people mentioned", axis={"format": "%"})
    title = "Women among the people mentioned, by year"
    told = "; ".join(f"{row['year']}: {fixed(100 * row['value'], 0)} %" for row in rows)
    layers = _line_over_time(upward | {"scale": {"zero": False}})[1:]
    spec = chart(layers, height=260, data=values(rows))
    return Figure("mentions-over-time", f"{title} (bars: 95 % intervals)", f"{title}. {told}.", spec)


def _line_over_time(upward: Row) -> list[Layer]:
    """A neutral line, a line through the years and an interval at each."""
    across: Row = quantitative("year", title=None, axis={"format": "d"})
    across["scale"] = {"zero": False}
    colour = {"value": MODEL_COLOURS[0]}
    at = {"x": across, "y": upward | {"field": "value"}, "color": colour}
    line: Layer = mark("line", {"point": True}, **at)
    return [line_at(0, "y"), upright_interval(across, upward, colour), line]


def _ends(row: "dict[Any, Any]", value: str, prefix: str) -> Row:
    return {
        "value": float(row[value]),
        "low": float(row[f"{prefix}low"]),
        "high": float(row[f"{prefix}high"]),
    }


def _names_down(rows: Sequence[Row]) -> Row:
    order = [row["name"] for row in rows]
    return nominal("name", sort=order, title=None, axis={"labelLimit": 240})


def _known(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that have a number."""
    return rows[rows["note"] == ""]


def _years(rows: pd.DataFrame) -> pd.DataFrame:
    years = rows[(rows["by"] == "year") & rows["level"].astype(str).str.fullmatch(r"\d{4}")]
    return years.assign(year=years["level"].astype(int)).sort_values("year")
