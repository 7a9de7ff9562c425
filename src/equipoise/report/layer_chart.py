"""The curve of an estimate over the layers of a model, with its intervals."""

from typing import TYPE_CHECKING

from equipoise.errors import UserError
from equipoise.report.charts import ALL_COLOUR, COLOURS
from equipoise.results.estimate import CROSSED

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from equipoise.results import Result

LAYER = "layer"
_COLUMNS = ["layer", "of", "value", "low", "high", "n"]


def layer_table(result: "Result", key: str = "") -> "pd.DataFrame":
    """The estimates by layer of a key (the first that has any), one row each: layer, of what, value, ends."""
    table = result.estimates
    by_layer = table[table["by"].str.split(CROSSED, regex=False).map(lambda names: LAYER in names)]
    keys = list(dict.fromkeys(by_layer["key"]))
    if not keys or (key and key not in keys):
        raise UserError(
            f"{result.instrument} has no {key or 'estimates'} by layer.",
            f"It has: {', '.join(keys)}." if keys else "Measure vectors with --layer all.",
        )
    rows = by_layer[by_layer["key"] == (key or keys[0])]
    places = [names.split(CROSSED).index(LAYER) for names in rows["by"]]
    levels = [level.split(CROSSED) for level in rows["level"]]
    return rows.assign(
        layer=[int(level[place]) for level, place in zip(levels, places, strict=True)],
        of=[
            CROSSED.join(level[:place] + level[place + 1 :]) or "all"
            for level, place in zip(levels, places, strict=True)
        ],
    )[_COLUMNS].reset_index(drop=True)


def layer_chart(result: "Result", key: str = "") -> "alt.FacetChart":
    """A panel for each test: its line over the layers, with a band for the 95 % interval."""
    import altair as alt

    table = layer_table(result, key)
    names = list(table["of"].unique())
    layers = sorted(int(layer) for layer in table["layer"].unique())
    across = alt.X("layer:Q", title="Layer (0: embeddings)", axis=alt.Axis(values=layers, format="d"))
    upward = alt.Y("value:Q", title=_axis_title(result, key))
    base = alt.Chart(table)
    neutral = base.mark_rule(color=ALL_COLOUR, strokeDash=[4, 3]).encode(y=alt.datum(_neutral(result, key)))
    band = base.mark_area(opacity=0.2, color=COLOURS[0]).encode(x=across, y="low:Q", y2="high:Q")
    line = base.mark_line(color=COLOURS[0], point=alt.OverlayMarkDef(color=COLOURS[0], size=30)).encode(
        x=across, y=upward, tooltip=_COLUMNS
    )
    width = 420 if len(names) == 1 else 190
    return (
        alt.layer(neutral, band, line)
        .properties(width=width, height=width * 0.7)
        .facet(facet=alt.Facet("of:N", title=None, sort=names), columns=4)
        .properties(title=_title(result))
    )


def _axis_title(result: "Result", key: str) -> str:
    row = _row(result, key)
    return f"{row['label']} ({row['unit']})"


def _neutral(result: "Result", key: str) -> float:
    return float(_row(result, key)["neutral"])


def _row(result: "Result", key: str) -> "pd.Series":
    """The first estimate by layer of a key, for its label, unit and neutral value."""
    table = result.estimates
    by_layer = table[table["by"].str.contains(LAYER)]
    return by_layer[by_layer["key"] == (key or by_layer["key"].iloc[0])].iloc[0]


def _title(result: "Result") -> "alt.TitleParams":
    import altair as alt

    variant = f", {result.variant}" if result.variant else ""
    return alt.TitleParams(
        f"{result.instrument} by layer",
        subtitle=[f"{result.model}{variant}", "Band: 95 % interval. Dashed: neutral."],
        anchor="start",
    )
