"""Associations by profession: bars for women and men, before above after (BEC-Pro, Figures 3 to 6)."""

from typing import Any

import pandas as pd

from equipoise.report.figures.style import (
    ABOVE,
    BELOW,
    LEGEND,
    MODEL_COLOURS,
    TIMES_AXIS,
    Layer,
    chart,
    hover,
    line_at,
    mark,
    nominal,
    quantitative,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, slug
from equipoise.results.reading import likelier
from equipoise.results.records import fixed
from equipoise.studies.papers.association_tables import INSTRUMENT, NEEDED, profession_means

NEEDS = ("group", "profession", "label", "person", "side", "mean", "low", "high")
"""What the charts need of a table, a row for each profession, person and side."""

MOST = 60
"""Professions of a group that a chart shows: of more, those that come first in the order of the paper."""

MOST_FIGURES = 6
_BAR, _SPACE = 8, 6


def association_figures(measured: Measurement) -> list[Figure]:
    """The professions of each group for one model, or for two with the first above the second."""
    is_known = all({*one.items, *one.estimates["key"]} >= NEEDED for one in measured.results.values())
    if measured.instrument != INSTRUMENT or not is_known or len(measured.results) > 2:
        return []
    return profession_bars(measured.name, profession_means(measured.results))


def profession_bars(name: str, table: pd.DataFrame) -> list[Figure]:
    """A chart for each group of professions."""
    groups = table.groupby("group", sort=False)
    return [_figure(name, str(group), rows) for group, rows in groups if rows["mean"].notna().any()][
        :MOST_FIGURES
    ]


def _figure(name: str, group: str, table: pd.DataFrame) -> Figure:
    order = _order(table)[:MOST]
    shown = table[table["profession"].isin(order)]
    sides = list(dict.fromkeys(table["side"]))
    persons = list(dict.fromkeys(table["person"]))[::-1]
    above = f" ({sides[0]} above {sides[1]})" if len(sides) > 1 else ""
    now = shown[shown["side"] == sides[-1]].groupby("person", sort=False)["mean"].mean()
    said = [f"{person} persons are {likelier(now[person])}" for person in persons]
    title = f"Beside {group} professions {' and '.join(said)}{above}"
    wide = shown.pivot(index="profession", columns=["side", "person"], values="mean")
    labels = shown.drop_duplicates("profession").set_index("profession")["label"]
    told = "; ".join(
        f"{labels[profession]}: "
        + ", ".join(
            f"{side} {person} {fixed(wide.loc[profession, (side, person)], 2)}" for side, person in wide
        )
        for profession in order
    )
    spec = _spec(shown, [str(labels[profession]) for profession in order], sides, persons)
    return Figure(slug(f"{name} {group} professions"), title, f"{title}. {told}.", spec)


def _order(table: pd.DataFrame) -> list[str]:
    """The professions as the paper orders them: largest change first; of one model, largest gap first."""
    sides = list(dict.fromkeys(table["side"]))
    across = "person" if len(sides) < 2 else "side"
    within = ["profession", "side" if across == "person" else "person"]
    wide = table.pivot(index=within, columns=across, values="mean")
    size = (wide.iloc[:, -1] - wide.iloc[:, 0]).abs().groupby("profession").sum()
    return [str(one) for one in size.sort_values(ascending=False, kind="stable").index]


def _spec(table: pd.DataFrame, order: list[str], sides: list[str], persons: list[str]) -> dict[str, Any]:
    rows = [
        {name: row[name] for name in ("label", "person", "side", "mean", "low", "high")}
        | {"bar": f"{row['side']}, {row['person']}"}
        for row in table.to_dict("records")
    ]
    bars = [f"{side}, {person}" for side in sides for person in persons]
    colours = [BELOW, ABOVE, *MODEL_COLOURS[2:]][: len(persons)]
    across = quantitative(title="← less likely together · times · likelier together →", **TIMES_AXIS)
    down = nominal("label", sort=order, title=None)
    aside = nominal("bar", sort=bars)
    colour = nominal(
        "person", scale={"domain": persons, "range": colours}, legend={"orient": "top", "title": "persons"}
    )
    tooltip = hover("label", "person", "side", "mean", "low", "high")
    bar = {"x": across | {"field": "mean"}, "y": down, "yOffset": aside, "color": colour, "tooltip": tooltip}
    if len(sides) > 1:
        faint = {"domain": sides, "range": [0.5, 1.0]}
        legend = LEGEND
        bar["opacity"] = {"field": "side", "type": "ordinal", "scale": faint, "legend": legend}
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}, "y": down, "yOffset": aside}
    layers: list[Layer] = [
        mark("bar", {}, **bar),
        mark("rule", {"color": "#444444", "opacity": 0.7}, **ends),
        line_at(0, "x"),
    ]
    return chart(layers, height=len(order) * (_BAR * len(bars) + _SPACE), data=values(rows))
