"""Points with their intervals both ways and their names: what charts over several models need."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


class Axis(NamedTuple):
    """A column with its `_low` and `_high` beside it, and what the axis says."""

    column: str
    title: str


def crossed_points(
    table: "pd.DataFrame",
    across: Axis,
    upward: Axis,
    *,
    colours: tuple[str, dict[str, str]],
    name: str,
    tooltip: Sequence[str],
) -> "list[alt.Chart]":
    """Intervals, points and names; `colours` is a column and the colour of each of its values."""
    import altair as alt

    kind, of_value = colours
    colour = alt.Color(
        f"{kind}:N",
        title=None,
        scale=alt.Scale(domain=list(of_value), range=list(of_value.values())),
    )
    x, y = alt.X(f"{across.column}:Q", title=across.title), alt.Y(f"{upward.column}:Q", title=upward.title)
    base = alt.Chart(table)
    points = base.mark_point(filled=True, size=85, opacity=1)
    rules = base.mark_rule(opacity=0.55)
    low_x, high_x = (f"{across.column}_{end}:Q" for end in ("low", "high"))
    low_y, high_y = (f"{upward.column}_{end}:Q" for end in ("low", "high"))
    return [
        rules.encode(x=low_x, x2=high_x, y=y, color=colour),
        rules.encode(x=x, y=low_y, y2=high_y, color=colour),
        points.encode(x=x, y=y, color=colour, tooltip=list(tooltip)),
        base.mark_text(align="left", dx=8, dy=-8).encode(x=x, y=y, text=f"{name}:N"),
    ]
