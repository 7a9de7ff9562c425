"""The chart of mitigations: bias removed against price, with the Pareto front marked."""

from typing import TYPE_CHECKING

from equipoise.report.charts import ALL_COLOUR, COLOURS

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

FRONT, DOMINATED = "on the front", "dominated, or not sure on average"
DOMINATED_COLOUR = "#999999"
SHOWN = 110.0
"""Per cent beyond which intervals are cut off, so that points stay apart."""


def mitigations_chart(table: "pd.DataFrame") -> "alt.LayerChart":
    """Every method of a study as a point with its intervals; up and to the left is better."""
    import altair as alt

    shown = table.assign(place=[FRONT if one else DOMINATED for one in table["front"]])
    for column in ("removed", "removed_low", "removed_high", "price", "price_low", "price_high"):
        shown[column] = (100 * shown[column]).clip(-SHOWN, SHOWN)
    colour = alt.Color(
        "place:N",
        title=None,
        scale=alt.Scale(domain=[FRONT, DOMINATED], range=[COLOURS[0], DOMINATED_COLOUR]),
    )
    across = alt.X("price:Q", title="Price: largest loss of what must be kept (%; left is better)")
    upward = alt.Y("removed:Q", title="Bias removed (%; up is better)")
    base = alt.Chart(shown)
    points = base.mark_point(filled=True, size=90, opacity=1).encode(
        x=across, y=upward, color=colour, tooltip=["method", "removed", "price", "dearest", "minutes"]
    )
    intervals = [
        base.mark_rule(opacity=0.5).encode(x="price_low:Q", x2="price_high:Q", y=upward, color=colour),
        base.mark_rule(opacity=0.5).encode(x=across, y="removed_low:Q", y2="removed_high:Q", color=colour),
    ]
    names = base.mark_text(align="left", dx=8, dy=-8).encode(x=across, y=upward, text="method:N")
    line = (
        alt.Chart(shown[shown["front"]])
        .mark_line(strokeDash=[4, 3], color=ALL_COLOUR, interpolate="step-after")
        .encode(x=across, y=upward)
    )
    title = alt.TitleParams(
        "Bias removed against price",
        subtitle=["Dashed: the Pareto front.", "Lines: 95 % intervals."],
        anchor="start",
    )
    return alt.layer(line, *intervals, points, names).properties(width=520, height=380, title=title)
