"""Professions: how far each leans, beside the share of women who work in it."""

from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.sources import is_dataset
from equipoise.report.figures.style import (
    UNCLEAR,
    Layer,
    Row,
    axis_of,
    chart,
    dots,
    line_at,
    mark,
    model_colour,
    name_of,
    nominal,
    quantitative,
    quantity_of,
    values,
)
from equipoise.report.files import Figure
from equipoise.report.measurements import Measurement, data_name, slug
from equipoise.results import Result
from equipoise.results.records import fixed, shown

SHARE = "percent_women"
AT_EITHER_END = 15
"""Professions shown of the highest and of the lowest values; the others stand in the table."""

MOST_SURPRISING = 15
"""Professions shown whose value is furthest from what their share of women suggests."""

FEWEST = 3
MOST_NAMED = 5
"""Outliers that have their names beside their points."""


def women_working(measured: Measurement) -> str:
    """What the share of women is a share of, for an axis or a legend: the workforce of which country."""
    files, name = measured.first.data_hashes, data_name(measured.first)
    if any(file.startswith("BEC-Pro_DE") for file in files):
        return "% women employed in Germany"
    if is_dataset(name) or any(file.startswith("BEC-Pro_EN") for file in files):
        return "% women employed in the United States"
    return "% women, as the data give it"


def profession_figures(measured: Measurement) -> list[Figure]:
    """The highest and lowest professions, the most surprising ones, and all against the share of women."""
    tables = {label: _by_profession(result) for label, result in measured.results.items()}
    tables = {label: table for label, table in tables.items() if len(table) >= FEWEST}
    if not tables:
        return []
    table = pd.concat([table.assign(model=label) for label, table in tables.items()], ignore_index=True)
    first = table[table["model"] == next(iter(tables))]
    label = name_of(table.iloc[0], quantity_of(measured, str(table["key"].iloc[0])))
    names = first.sort_values("value", ascending=False, kind="stable")["level"].tolist()
    ends = names if len(names) <= 2 * AT_EITHER_END else [*names[:AT_EITHER_END], *names[-AT_EITHER_END:]]
    cut = (
        f" ({AT_EITHER_END} highest, {AT_EITHER_END} lowest of {len(names)} occupations)"
        if len(ends) < len(names)
        else ""
    )
    figures = [_bars_figure(measured, table, ends, f"{label}: from {names[-1]} to {names[0]}{cut}")]
    known = table[table[SHARE].notna()]
    if len(known) >= FEWEST:
        figures.append(_scatter_figure(measured, known, list(tables)))
    # Where every profession is drawn already, the same bars would come twice.
    if len(ends) < len(names) and first[SHARE].notna().sum() > MOST_SURPRISING:
        surprising = _surprising(first)
        title = f"{label}: furthest from what their share of women suggests, such as {surprising[0]}"
        figures.append(_bars_figure(measured, table, surprising, title, name="surprising professions"))
    return figures


def _surprising(table: pd.DataFrame) -> list[str]:
    """The professions furthest from the fitted line of values on shares of women, the highest value first."""
    known = table[table[SHARE].notna()]
    slope, intercept = np.polyfit(known[SHARE], known["value"], 1)
    distance = (known["value"] - intercept - slope * known[SHARE]).abs()
    chosen = known.loc[distance.nlargest(MOST_SURPRISING).index]
    return list(chosen.sort_values("value", ascending=False, kind="stable")["level"])


def _by_profession(result: Result) -> pd.DataFrame:
    """One estimate for each profession: of the first key that is split by nothing but professions."""
    rows = result.estimates[result.estimates["by"] == "profession"]
    if rows.empty:
        return rows
    rows = rows[(rows["key"] == rows["key"].iloc[0]) & rows["value"].notna()]
    shares: Any = pd.Series(dtype=float)
    if SHARE in result.items and "profession" in result.items:
        shares = result.items.groupby("profession")[SHARE].first()
    return rows.assign(**{SHARE: rows["level"].map(shares).astype(float)})


def _bars_figure(
    measured: Measurement, table: pd.DataFrame, chosen: list[str], title: str, *, name: str = "professions"
) -> Figure:
    """The chosen professions in their order, a bar for each model."""
    labels = list(dict.fromkeys(table["model"]))
    first = table[table["model"] == labels[0]].set_index("level", drop=False).loc[chosen]
    rows = [_row(row) for row in table[table["level"].isin(chosen)].to_dict("records")]
    order = [_named(row) for row in first.to_dict("records")]
    several, example = len(labels) > 1, first.iloc[0]
    down: dict[str, Any] = nominal("named", sort=order, title=None)
    across = quantitative(**_axis(measured, example))
    colour = model_colour(labels) if several else _share_colour(rows, women_working(measured))
    shared = {"y": down} | ({"yOffset": nominal("model", sort=labels)} if several else {})
    ends = {"x": across | {"field": "low"}, "x2": {"field": "high"}}
    looks = {"height": {"band": 0.8}, "invalid": "show", "stroke": UNCLEAR, "strokeWidth": 0.5}
    tooltip = [nominal(name) for name in ("model", "named", "number")]
    layers: list[Layer] = [
        mark("bar", looks, x=across | {"field": "value"}, color=colour, tooltip=tooltip, **shared),
        mark("rule", {"opacity": 0.8, "color": UNCLEAR}, **ends, **shared),
        line_at(float(example["neutral"]), "x"),
    ]
    told = "; ".join(f"{row['model']}, {row['named']}: {row['number']}" for row in rows)
    height = len(order) * (4 + 8 * len(labels) if several else 17)
    hollow = {"scale": {"invalid": {"color": {"value": "transparent"}}}}
    spec = chart(layers, height=height, data=values(rows), config=hollow)
    return Figure(slug(f"{measured.name} {name}"), title, f"{title}. {told}.", spec)


def _share_colour(rows: list[Row], title: str) -> dict[str, Any]:
    """Bars in the colour of the share of women, from blue (few) to orange (many)."""
    if all(row["share"] != row["share"] for row in rows):
        return {"value": "#0072B2"}
    scale = {"domain": [0, 50, 100], "range": ["#0072B2", "#B9BCC1", "#D55E00"], "interpolate": "rgb"}
    lines = title.replace(" in ", "\n in ").split("\n")  # a phone has no room for one line
    if any(row["share"] != row["share"] for row in rows):
        lines.append("hollow bars: no figure")
    legend = {"orient": "top", "title": lines, "titleLimit": 400, "gradientLength": 160, "tickCount": 3}
    return quantitative("share", scale=scale, legend=legend)


def _row(row: "dict[Any, Any]") -> Row:
    value, low, high = (float(row[name]) for name in ("value", "low", "high"))
    interval = f" [{shown(low)}, {shown(high)}]" if low == low else ""
    numbers = {"value": value, "low": low, "high": high, "share": float(row[SHARE])}
    return {"model": row["model"], "named": _named(row), "number": f"{shown(value)}{interval}", **numbers}


def _named(row: "dict[Any, Any]") -> str:
    share = float(row[SHARE])
    return f"{row['level']}, {fixed(share, 0)} %" if share == share else str(row["level"])


def _scatter_figure(measured: Measurement, table: pd.DataFrame, labels: list[str]) -> Figure:
    first = table.iloc[0]
    rows = [_row(row) for row in table.to_dict("records")]
    colour = model_colour(labels) if len(labels) > 1 else {"value": "#0072B2"}
    across = quantitative("share", title=women_working(measured))
    axis = _axis(measured, first)
    upward = quantitative("value", **axis | {"scale": {"zero": False, **axis.get("scale", {})}})
    tooltip = [nominal(name) for name in ("model", "named", "number")]
    lines = [point for label in labels for point in _fitted(table[table["model"] == label], label)]
    outliers = _outliers(table[table["model"] == labels[0]]) if len(labels) == 1 else []
    layers: list[Layer] = [
        line_at(float(first["neutral"]), "y"),
        mark("point", dots(45, 0.7), x=across, y=upward, color=colour, tooltip=tooltip),
        {
            "data": values(lines),
            **mark("line", {"strokeWidth": 2}, x=across, y=upward, color=colour, detail={"field": "model"}),
        },
        *_names_beside(outliers, across, upward),
    ]
    name = name_of(first, quantity_of(measured, str(first["key"])))
    title = f"{name} against the share of women: {_trend(table[table['model'] == labels[0]])}"
    said = "; ".join(_slope(table[table["model"] == label], label) for label in labels)
    spec = chart(layers, height=320, data=values(rows))
    return Figure(
        slug(f"{measured.name} share of women"), title, f"{title}, a point per profession. {said}.", spec
    )


def _outliers(table: pd.DataFrame) -> list[Row]:
    """The professions furthest from the fitted line, which have their names beside their points."""
    slope, height = _fit(table)
    distance = (table["value"] - height - slope * table[SHARE]).abs()
    far = table.loc[distance.nlargest(MOST_NAMED).index]
    return [
        {"name": row["level"], "share": float(row[SHARE]), "value": float(row["value"])}
        for row in far.to_dict("records")
    ]


def _names_beside(rows: list[Row], across: Row, upward: Row) -> list[Layer]:
    """Names towards the middle of the chart, where there is room."""
    left = [row for row in rows if row["share"] < 50]
    right = [row for row in rows if row["share"] >= 50]
    return [
        {
            "data": values(of_side),
            **mark(
                "text",
                {"align": align, "dx": shift, "dy": -5, "fontSize": 10},
                x=across,
                y=upward,
                text={"field": "name"},
            ),
        }
        for align, shift, of_side in (("left", 7, left), ("right", -7, right))
        if of_side
    ]


def _fit(table: pd.DataFrame) -> tuple[float, float]:
    """Slope and height of the straight line of least squares; flat where all shares are one."""
    share, value = table[SHARE].to_numpy(dtype=float), table["value"].to_numpy(dtype=float)
    spread = float(((share - share.mean()) ** 2).sum())
    slope = float(((share - share.mean()) * (value - value.mean())).sum()) / spread if spread else 0.0
    return slope, float(np.mean(value) - slope * np.mean(share))


def _fitted(table: pd.DataFrame, label: str) -> list[Row]:
    slope, height = _fit(table)
    ends = (float(table[SHARE].min()), float(table[SHARE].max()))
    return [{"model": label, "share": share, "value": height + slope * share} for share in ends]


def _trend(table: pd.DataFrame) -> str:
    """What the correlation says, in words."""
    r = float(table[SHARE].astype(float).corr(table["value"].astype(float)))
    if r != r:
        return "no variation"
    return f"r = {fixed(r, 2)} over {len(table)} professions"


def _slope(table: pd.DataFrame, label: str) -> str:
    return f"{label}: {len(table)} professions, {shown(_fit(table)[0] * 10)} for each ten points of women"


def _axis(measured: Measurement, row: Any) -> Row:
    return axis_of(row, quantity_of(measured, str(row["key"])))
