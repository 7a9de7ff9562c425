"""The chart of mitigations: bias removed against price, with the Pareto front marked."""

from typing import TYPE_CHECKING

from equipoise.report.charts import ALL_COLOUR, COLOURS
from equipoise.report.crossed_points import Axis, crossed_points

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
    across = Axis("price", "Price: largest loss of what must be kept (%; left is better)")
    upward = Axis("removed", "Bias removed (%; up is better)")
    layers = crossed_points(
        shown,
        across,
        upward,
        colours=("place", {FRONT: COLOURS[0], DOMINATED: DOMINATED_COLOUR}),
        name="method",
        tooltip=["method", "removed", "price", "dearest", "minutes"],
    )
    line = (
        alt.Chart(shown[shown["front"]])
        .mark_line(strokeDash=[4, 3], color=ALL_COLOUR, interpolate="step-after")
        .encode(x=f"{across.column}:Q", y=f"{upward.column}:Q")
    )
    title = alt.TitleParams(
        "Bias removed against price",
        subtitle=["Dashed: the Pareto front.", "Lines: 95 % intervals."],
        anchor="start",
    )
    return alt.layer(line, *layers).properties(width=520, height=380, title=title)
