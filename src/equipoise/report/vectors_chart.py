"""The chart of `study vectors`: every association test by group, one below the other."""

from typing import TYPE_CHECKING

from equipoise.report.sections.vectors import association_figures

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd


def vectors_chart(table: "pd.DataFrame") -> "alt.VConcatChart":
    """The figures of the page as one drawing."""
    import altair as alt

    drawn = [
        alt.LayerChart.from_dict(
            {name: part for name, part in figure.spec.items() if name not in ("$schema", "autosize")}
        )
        for figure in association_figures(table)
    ]
    title = alt.TitleParams(
        "Effect size of association tests by group",
        subtitle=["Bars: 95 % intervals over words and seeds. Above 0: the stereotype."],
        anchor="start",
    )
    return alt.vconcat(*drawn).properties(title=title)
