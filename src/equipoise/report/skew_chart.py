"""The chart of skew against stereotype over several models: the nearer to the crossing lines, the better."""

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.report.charts import ALL_COLOUR, COLOURS
from equipoise.report.crossed_points import Axis, crossed_points

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

UNREADABLE_COLOUR = "#BBBBBB"
MEANINGFUL, UNREADABLE = "ability of 75 or more", "ability below 75: not meaningful"


def skew_stereotype_chart(table: "pd.DataFrame") -> "alt.LayerChart":
    """Signed skew and stereotype of each row of `skew_stereotype_table`, with their 95 % intervals."""
    import altair as alt

    shown = table.assign(
        reading=[MEANINGFUL if one else UNREADABLE for one in table["is_meaningful"]],
        label=[Path(name).name for name in table["model"]],
    )
    layers = crossed_points(
        shown,
        Axis("skew", "Skew (F1 x 100; right: male)"),
        Axis("stereotype", "Stereotype (F1 x 100; up: follows the stereotype)"),
        colours=("reading", {MEANINGFUL: COLOURS[0], UNREADABLE: UNREADABLE_COLOUR}),
        name="label",
        tooltip=["model", "skew", "stereotype", "absolute_skew", "absolute_stereotype", "ability", "n"],
    )
    return alt.layer(*_zero_lines(), *layers).properties(width=460, height=360, title=_title(table))


def _zero_lines() -> "list[alt.Chart]":
    """The lines of no skew and of no stereotype."""
    import altair as alt

    origin = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=ALL_COLOUR, strokeDash=[4, 3])
    return [origin.encode(x="zero:Q"), origin.encode(y="zero:Q")]


def _title(table: "pd.DataFrame") -> "alt.TitleParams":
    import altair as alt

    first = table.iloc[0]
    return alt.TitleParams(
        "Skew and stereotype of pronouns for occupations",
        subtitle=[f"{first['data']}, {first['variant']}, type {first['type']}", "Lines: 95 % intervals."],
        anchor="start",
    )
