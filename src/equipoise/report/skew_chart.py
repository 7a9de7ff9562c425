"""The chart of skew against stereotype over several models: the nearer to the crossing lines, the better."""

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.report.charts import ALL_COLOUR, COLOURS

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
    colour = alt.Color(
        "reading:N",
        title=None,
        scale=alt.Scale(domain=[MEANINGFUL, UNREADABLE], range=[COLOURS[0], UNREADABLE_COLOUR]),
    )
    across = alt.X("skew:Q", title="Skew (F1 x 100; right: male)")
    upward = alt.Y("stereotype:Q", title="Stereotype (F1 x 100; up: follows the stereotype)")
    base = alt.Chart(shown)
    points = base.mark_point(filled=True, size=80, opacity=1).encode(
        x=across,
        y=upward,
        color=colour,
        tooltip=["model", "skew", "stereotype", "absolute_skew", "absolute_stereotype", "ability", "n"],
    )
    intervals = [
        base.mark_rule(opacity=0.6).encode(x="skew_low:Q", x2="skew_high:Q", y=upward, color=colour),
        base.mark_rule(opacity=0.6).encode(
            x=across, y="stereotype_low:Q", y2="stereotype_high:Q", color=colour
        ),
    ]
    names = base.mark_text(align="left", dx=8, dy=-8).encode(x=across, y=upward, text="label:N")
    return alt.layer(*_zero_lines(), *intervals, points, names).properties(
        width=460, height=360, title=_title(table)
    )


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
