"""Women against men in a corpus: how well the model recovers either, and how near words stand to either."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from equipoise.instruments.cosine import target_scatter
from equipoise.instruments.parts.corpus_items import FEWEST, SEPARATOR
from equipoise.report.figures.style import (
    MODEL_COLOURS,
    UNCLEAR,
    Layer,
    Row,
    chart,
    crossed_intervals,
    dots,
    hover,
    mark,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results import Result
from equipoise.results.records import shown

HEIGHT = 380
ALL, CATEGORY = "all contexts", "category"


def side_figures(measured: Measurement) -> list[Figure]:
    """A point for each group and category (contexts) or target word (cosine): men across, women upwards."""
    drawn = {"contexts": (_recovered, _RECOVERED), "cosine": (_near, NEAR)}.get(measured.instrument)
    if drawn is None:
        return []
    rows_of, texts = drawn
    tables = {label: rows_of(result) for label, result in measured.results.items()}
    several = len(tables) > 1
    return [
        _figure(measured, f"{label}: " if several else "", rows, texts)
        for label, rows in tables.items()
        if rows
    ]


_RECOVERED = ("Which gender the model recovers", "P(male | male)", "P(female | female)")
NEAR = ("Target words beside women and men", "mean cosine with male words", "mean cosine with female words")


def _recovered(result: Result) -> list[Row]:
    """Both conditional probabilities, with their intervals, over all contexts and by one column at a time."""
    table = result.estimates
    # Items have a column `categories`, since a context may stand in several; estimates say category.
    is_simple = table["by"].isin(("", CATEGORY, *result.items.columns))
    men, women = (
        table[is_simple & (table["key"] == key) & table["value"].notna()].set_index(["by", "level"])
        for key in ("p-male", "p-female")
    )
    rows = []
    known = men.index.intersection(women.index, sort=False)
    levels = known.get_level_values("by").value_counts()
    for by, level in known:
        if by and levels[by] == 1:  # the same contexts as all of them
            continue
        one, other = men.loc[(by, level)], women.loc[(by, level)]
        ends = {"male_low": one["low"], "male_high": one["high"]}
        ends |= {"female_low": other["low"], "female_high": other["high"]}
        sides = {"male": one["value"], "female": other["value"]}
        rows.append({"name": level or ALL, "kind": by or "all", **sides, **ends})
    return rows


def _near(result: Result) -> list[Row]:
    """The mean cosine of each target word with either gender."""
    return near_rows(target_scatter(result.items))


def _figure(measured: Measurement, whose: str, rows: Sequence[Row], texts: tuple[str, str, str]) -> Figure:
    return side_figure(f"{measured.name} {whose} sides", (f"{whose}{texts[0]}", *texts[1:]), rows)


def side_figure(name: str, texts: tuple[str, str, str], rows: Sequence[Row]) -> Figure:
    """A point for each row, men across and women upwards; `texts` are the title and those of both axes."""
    title = f"{texts[0]} (below the line: men more than women)"
    told = "; ".join(f"{row['name']}: {shown(row['male'])} and {shown(row['female'])}" for row in rows)
    return Figure(slug(name), title, f"{title}. {told}.", _spec(rows, texts[1], texts[2]))


def near_rows(words: pd.DataFrame) -> list[Row]:
    """The points of target words that have enough contexts of both genders."""
    known = words[words[["n_male", "n_female"]].min(axis=1) >= FEWEST]
    return [
        {
            "name": row["target"],
            "kind": str(row["categories"]).split(SEPARATOR)[0],
            "male": row["cosine_male"],
            "female": row["cosine_female"],
        }
        for row in known.to_dict("records")
    ]


def _spec(rows: Sequence[Row], across: str, upward: str) -> dict[str, Any]:
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    colour = nominal(
        "kind",
        scale={
            "domain": kinds,
            "range": [MODEL_COLOURS[at % len(MODEL_COLOURS)] for at in range(len(kinds))],
        },
        legend={"orient": "top", "title": None, "columns": 3, "symbolOpacity": 1},
    )
    numeric = quantitative(scale={"zero": False})
    x, y = numeric | {"field": "male", "title": across}, numeric | {"field": "female", "title": upward}
    tooltip = hover("kind", "name", "male", "female")
    layers = [_diagonal(rows, numeric)]
    if "male_low" in rows[0]:
        layers += crossed_intervals(x, y, colour)
    layers += [
        mark("point", dots(60), x=x, y=y, color=colour, tooltip=tooltip),
        *_names(rows, x, y),
    ]
    return chart(layers, height=HEIGHT, data=values(rows))


def _names(rows: Sequence[Row], x: Row, y: Row) -> list[Layer]:
    """The name beside each point, towards the middle of the chart, where there is room."""
    numbers = [float(row["male"]) for row in rows]
    middle = (min(numbers) + max(numbers)) / 2
    sides = (("left", 7, f"datum.male < {middle}"), ("right", -7, f"datum.male >= {middle}"))
    return [
        {
            "transform": [{"filter": is_there}],
            "mark": {"type": "text", "align": align, "dx": shift, "dy": -6, "fontSize": 10},
            "encoding": {"x": x, "y": y, "text": {"field": "name"}},
        }
        for align, shift, is_there in sides
    ]


def _diagonal(rows: Sequence[Row], numeric: Row) -> Layer:
    """The line on which both sides are alike, as far as there are points."""
    numbers = pd.DataFrame(rows)[["male", "female"]]
    ends = [float(numbers.min().min()), float(numbers.max().max())]
    return {
        "data": {"values": [{"male": end, "female": end} for end in ends]},
        "mark": {"type": "line", "strokeDash": [4, 3], "color": UNCLEAR},
        "encoding": {"x": numeric | {"field": "male"}, "y": numeric | {"field": "female"}},
    }
