"""Charts: Altair figures, saved as a page that needs no network, as SVG and as PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UserError

if TYPE_CHECKING:
    import altair as alt

    from equipoise.report.elements import Figure
    from equipoise.studies.sample_size import SampleSizeStudy

# Okabe and Ito's colours, which people with any common colour blindness can tell apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442")
ALL_COLOUR = "#444444"
PNG_SCALE = 2.0
SUFFIXES = ("html", "svg", "png")
"""What a chart is written as."""

DESIGNS = {
    "published": "Published design: without replacement",
    "bootstrap": "Bootstrap: with replacement",
}
"""The designs of the sample-size study, as the chart names them."""


def sample_size_chart(study: "SampleSizeStudy") -> "alt.HConcatChart":
    """Mean over the draws by sample size and category, with the range of the draws, for both designs."""
    import altair as alt

    designs = [name for name in DESIGNS if name in set(study.table["design"])]
    charts = [_one_design(study, design) for design in designs]
    return alt.hconcat(*charts).properties(title=_sample_size_title(study))


def _one_design(study: "SampleSizeStudy", design: str) -> "alt.LayerChart":
    import altair as alt

    table = study.table[study.table["design"] == design]
    samples = study.samples[study.samples["design"] == design]
    names = list(study.table["category"].unique())
    palette = [*(COLOURS * len(names))[: len(names) - 1], ALL_COLOUR]
    lowest, highest = study.samples["value"].min(), study.samples["value"].max()
    room = 0.08 * (highest - lowest)
    scale = alt.Scale(domain=[max(0.0, lowest - room), highest + room], nice=True)
    colours = alt.Scale(domain=names, range=palette)
    plain = alt.Color("category:N", sort=names, scale=colours, legend=None)
    across = alt.X("size:O", title="Items drawn from each category", axis=alt.Axis(labelAngle=0))
    aside = alt.XOffset("category:N", sort=names)
    ranges = (
        alt.Chart(table)
        .mark_rule(strokeWidth=2, opacity=0.55)
        .encode(x=across, y=alt.Y("lowest:Q", scale=scale), y2="highest:Q", color=plain, xOffset=aside)
    )
    ticks = (
        alt.Chart(samples)
        .mark_tick(thickness=1.5, width=8, orient="horizontal")
        .encode(x=across, y=alt.Y("value:Q", scale=scale), color=plain, xOffset=aside)
    )
    means = (
        alt.Chart(table)
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=across,
            y=alt.Y("mean:Q", title=_axis_title(study.quantity, study.unit), scale=scale),
            color=alt.Color("category:N", sort=names, scale=colours, title=None),
            shape=alt.Shape("category:N", sort=names, scale=alt.Scale(domain=names), title=None),
            xOffset=aside,
            tooltip=["category", "size", "mean", "sd", "lowest", "highest", "draws"],
        )
    )
    # Scales of their own let the legend show the points, with their shapes, and nothing else.
    layers = (ranges + ticks + means).resolve_scale(color="independent", shape="independent")
    draws = int(table["draws"].iloc[0])
    return layers.properties(width=380, height=300, title=f"{DESIGNS[design]} ({draws} samples of a size)")


def _axis_title(quantity: str, unit: str) -> str:
    name = quantity.upper() if len(quantity) <= 4 else quantity.capitalize()
    return f"{name} ({unit})" if unit else name


def _sample_size_title(study: "SampleSizeStudy") -> "alt.TitleParams":
    import altair as alt

    return alt.TitleParams(
        f"{_axis_title(study.quantity, '')} of samples, by their size",
        subtitle=[
            Path(study.model).name,
            "Points: mean of the samples. Ticks: each sample. Bars: from the lowest to the highest.",
        ],
        anchor="start",
    )


def save_drawn(figures: "Sequence[Figure]", folder: Path) -> list[Path]:
    """Write figures of a page as files of a study, each under its own name; give the paths."""
    import altair as alt

    from equipoise.report.files import LOOK

    return [
        path
        for figure in figures
        for path in save_chart(
            alt.LayerChart.from_dict(
                {**figure.spec, "title": {"text": figure.title, "anchor": "start"}, "config": LOOK}
            ),
            folder,
            figure.name,
        )
    ]


def save_chart(
    chart: "alt.LayerChart | alt.HConcatChart | alt.VConcatChart | alt.FacetChart", folder: Path, name: str
) -> list[Path]:
    """Write the chart as HTML with everything in it, SVG and PNG; give the paths."""
    targets = [folder / f"{name}.{suffix}" for suffix in SUFFIXES]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        targets[0].write_text(chart.to_html(inline=True), encoding="utf-8")
        chart.save(str(targets[1]))
        chart.save(str(targets[2]), scale_factor=PNG_SCALE)
    except OSError as error:
        raise UserError(
            f"The figure cannot be written to {folder}: {error.strerror or error}.",
            "Give a folder that you may write to with --out.",
        ) from error
    return targets
