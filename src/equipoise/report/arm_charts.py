"""Charts of studies with arms: estimates by arm or by size, with their intervals over seeds."""

from typing import TYPE_CHECKING

from equipoise.report.charts import COLOURS

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


def arm_chart(table: "pd.DataFrame", instrument: str, key: str, title: str) -> "alt.LayerChart":
    """One estimate of one instrument over every item, by arm."""
    import altair as alt

    rows = _estimates(table, instrument, key, ("",))
    order = list(dict.fromkeys(rows["arm"]))
    across = alt.X("mean:Q", title=_title(rows), scale=alt.Scale(zero=False))
    down = alt.Y("arm:N", sort=order, title=None)
    base = alt.Chart(rows)
    points = base.mark_point(filled=True, size=80, color=COLOURS[0], opacity=1)
    rules = base.mark_rule(strokeWidth=2, color=COLOURS[0], opacity=0.6)
    return alt.layer(
        rules.encode(y=down, x=alt.X("low:Q", title=_title(rows)), x2="high:Q"),
        points.encode(y=down, x=across, tooltip=["arm", "mean", "low", "high", "seed_sd", "seeds"]),
    ).properties(width=420, height=alt.Step(28), title=title)


def size_chart(table: "pd.DataFrame", instrument: str, key: str, title: str) -> "alt.LayerChart":
    """One estimate by the number of sentences trained on, with the range over repeats."""
    import altair as alt

    rows = _estimates(table, instrument, key, ("", "category"))
    rows = rows.assign(group=rows["level"].replace("", "all"))
    names = list(dict.fromkeys(rows["group"]))
    colour = alt.Color(
        "group:N", sort=names, title=None, scale=alt.Scale(domain=names, range=list(COLOURS[: len(names)]))
    )
    across = alt.X("size:Q", title="Sentences trained on (0: as it was)")
    base = alt.Chart(rows)
    upward = alt.Y("mean:Q", title=_title(rows), scale=alt.Scale(zero=False))
    return alt.layer(
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(
            x=across, y=alt.Y("low:Q", title=_title(rows)), y2="high:Q", color=colour
        ),
        base.mark_line(point=True).encode(
            x=across, y=upward, color=colour, tooltip=["group", "size", "mean", "seed_sd", "seeds"]
        ),
    ).properties(width=460, height=300, title=title)


def _estimates(table: "pd.DataFrame", instrument: str, key: str, splits: tuple[str, ...]) -> "pd.DataFrame":
    """The rows of one quantity: two instruments may use the same key for different things."""
    is_asked = (table["instrument"] == instrument) & (table["key"] == key)
    return table[is_asked & table["by"].isin(splits)]


def _title(rows: "pd.DataFrame") -> str:
    label, unit = str(rows["label"].iloc[0]), str(rows["unit"].iloc[0])
    return f"{label} ({unit})" if unit else label
