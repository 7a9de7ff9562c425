"""Charts of professions before and after: bars by category, and after against before with a fitted line."""

from typing import TYPE_CHECKING

from equipoise.report.charts import ALL_COLOUR, COLOURS

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from equipoise.studies.professions import Professions

SIDES = ("before", "after")
SEEN = "in the training text"


def profession_bars(study: "Professions", category: str) -> "alt.LayerChart":
    """APPD of every profession of a category before and after, a mark where it was read about in training."""
    import altair as alt

    rows = study.table[study.table["category"] == category]
    long = rows.melt(["profession"], list(SIDES), "side", "appd")
    order = list(rows.sort_values("before")["profession"])
    down = alt.Y("profession:N", sort=order, title=None)
    bars = (
        alt.Chart(long)
        .mark_bar()
        .encode(
            y=down,
            yOffset=alt.YOffset("side:N", sort=list(SIDES)),
            x=alt.X("appd:Q", title="APPD (right: male)"),
            color=alt.Color("side:N", sort=list(SIDES), title=None, scale=_colours(SIDES)),
            tooltip=["profession", "side", alt.Tooltip("appd:Q", format=".3f")],
        )
    )
    layers = [bars, _zero("x")]
    if "seen" in rows:
        marked = rows[rows["seen"]].assign(what=SEEN)
        shape = alt.Shape("what:N", title=None, scale=alt.Scale(domain=[SEEN], range=["diamond"]))
        marks = alt.Chart(marked).mark_point(filled=True, size=45, color=ALL_COLOUR, opacity=1)
        layers.append(marks.encode(y=down, x=alt.datum(0), shape=shape, tooltip=["profession", "mentions"]))
    return alt.layer(*layers).properties(width=420, height=alt.Step(11), title=category)


def profession_scatter(study: "Professions") -> "alt.LayerChart":
    """APPD after against before, with the fitted line of professions and that of no change."""
    import altair as alt

    table = study.table.assign(kind=_kinds(study.table))
    kinds = list(dict.fromkeys(table["kind"]))
    table = table.sort_values("kind", key=lambda kind: kind.str.endswith(SEEN), kind="stable")  # on top
    points = (
        alt.Chart(table)
        .mark_point(filled=True, size=50, opacity=0.8)
        .encode(
            x=alt.X("before:Q", title="APPD before (right: male)"),
            y=alt.Y("after:Q", title="APPD after (up: male)"),
            color=alt.Color("kind:N", sort=kinds, title=None, scale=_colours(kinds)),
            shape=alt.Shape("kind:N", sort=kinds, title=None, scale=alt.Scale(domain=kinds)),
            tooltip=["profession", "category", alt.Tooltip("before:Q", format=".3f"), "after"],
        )
    )
    ends = [float(table["before"].min()), float(table["before"].max())]
    lines = [_line(ends, 1.0, 0.0, dash=[4, 3])]
    lines += [
        _line(ends, row["slope"], row["intercept"], dash=[1, 0])
        for row in study.lines.to_dict("records")
        if row["group"] == "all professions"
    ]
    return alt.layer(_zero("x"), _zero("y"), *lines, points).properties(
        width=420,
        height=420,
        title=alt.TitleParams(
            "APPD after against before",
            subtitle=["Dashed: no change. Solid: fitted to all professions."],
            anchor="start",
        ),
    )


def _kinds(table: "pd.DataFrame") -> list[str]:
    seen = table["seen"] if "seen" in table else [None] * len(table)
    names = {None: "profession", True: f"profession {SEEN}", False: "profession not in it"}
    return [
        "gendered by definition" if part == "guard" else names[None if flag is None else bool(flag)]
        for part, flag in zip(table["part"], seen, strict=True)
    ]


def _colours(names: "tuple[str, ...] | list[str]") -> "alt.Scale":
    import altair as alt

    return alt.Scale(domain=list(names), range=list(COLOURS[: len(names)]))


def _zero(axis: str) -> "alt.Chart":
    import altair as alt

    rule = alt.Chart(alt.InlineData([{"zero": 0}])).mark_rule(color=ALL_COLOUR, strokeDash=[2, 2])
    return rule.encode(x="zero:Q") if axis == "x" else rule.encode(y="zero:Q")


def _line(ends: list[float], slope: float, intercept: float, dash: list[int]) -> "alt.Chart":
    import altair as alt

    rows = [{"before": end, "after": intercept + slope * end} for end in ends]
    chart = alt.Chart(alt.InlineData(rows)).mark_line(color=ALL_COLOUR, strokeDash=dash)
    return chart.encode(x="before:Q", y="after:Q")
