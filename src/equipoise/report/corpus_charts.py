"""Charts of a corpus: words and categories by lean, mentions by group, change over time.

Each function takes a table of a `Survey` and returns an Altair chart.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.report.charts import ALL_COLOUR, COLOURS, SUFFIXES

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from equipoise.corpora.survey import Survey

MOST_WORDS = 15
"""Words shown for each side."""

MOST_GROUPS = 20
MEN, WOMEN = "nearer to men", "nearer to women"
_SIDES = {MEN: COLOURS[0], WOMEN: COLOURS[1]}
_LOG_ODDS = "Log-odds (nats; right: nearer to men, left: nearer to women)"


def survey_files(folder: Path) -> list[Path]:
    """The charts of a survey that a folder holds already."""
    names = ("top-words", "categories", "over-time", "mentions-*")
    return sorted(path for name in names for kind in SUFFIXES for path in folder.glob(f"{name}.{kind}"))


def survey_charts(survey: "Survey") -> "dict[str, alt.LayerChart | alt.FacetChart]":
    """The charts that a survey has enough for, by the name of their file."""
    table, mentions = survey.cooccurrence, survey.mentions
    charts: dict[str, alt.LayerChart | alt.FacetChart] = {}
    if len(_known(table[(table["by"] == "all") & (table["word"] != "")])):
        charts["top-words"] = top_words_chart(table)
    if len(_known(table[(table["by"] == "all") & (table["word"] == "")])):
        charts["categories"] = categories_chart(table)
    groups = [by for by in dict.fromkeys(mentions["by"]) if by not in ("all", "year")]
    for by in groups:
        if len(_known(mentions[(mentions["by"] == by) & (mentions["role"] == "all")])):
            charts[f"mentions-{by}"] = mentions_chart(mentions, by)
    if len(_known(mentions[(mentions["by"] == "year") & (mentions["role"] == "all")])) > 1:
        charts["over-time"] = time_chart(table)
        charts["mentions-over-time"] = mentions_over_time_chart(mentions)
    return charts


def top_words_chart(cooccurrence: "pd.DataFrame") -> "alt.LayerChart":
    """The words that stand nearest to men and to women, those first whose interval is farthest from 0."""
    import altair as alt
    import pandas as pd

    words = _known(cooccurrence[(cooccurrence["by"] == "all") & (cooccurrence["word"] != "")])
    men = words[words["log_odds"] > 0].nlargest(MOST_WORDS, "log_odds_low")
    women = words[words["log_odds"] <= 0].nsmallest(MOST_WORDS, "log_odds_high")
    shown = pd.concat([men.sort_values("log_odds", ascending=False), women.sort_values("log_odds")[::-1]])
    shown = shown.assign(
        label=shown["word"] + " (" + shown["category"] + ")",
        side=[MEN if value > 0 else WOMEN for value in shown["log_odds"]],
    )
    order = list(shown["label"])
    colour = alt.Color(
        "side:N", title=None, scale=alt.Scale(domain=list(_SIDES), range=list(_SIDES.values()))
    )
    base = alt.Chart(shown).encode(y=alt.Y("label:N", sort=order, title=None))
    tooltip = ["word", "category", "male", "female", "documents", "log_odds"]
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        x=alt.X("log_odds:Q", title=_LOG_ODDS), color=colour, tooltip=tooltip
    )
    rules = base.mark_rule().encode(x="log_odds_low:Q", x2="log_odds_high:Q", color=colour)
    return alt.layer(_zero(), rules, points).properties(
        width=420, title=_title("Words that lean most", "Lines: 95 % intervals over documents.")
    )


def categories_chart(cooccurrence: "pd.DataFrame") -> "alt.LayerChart":
    """The log-odds of each category over the whole corpus, with their intervals."""
    import altair as alt

    rows = _known(cooccurrence[(cooccurrence["by"] == "all") & (cooccurrence["word"] == "")])
    base = alt.Chart(rows).encode(y=alt.Y("category:N", sort=list(rows["category"]), title=None))
    points = base.mark_point(filled=True, size=70, opacity=1, color=COLOURS[0]).encode(
        x=alt.X("log_odds:Q", title=_LOG_ODDS), tooltip=["category", "male", "female", "log_odds"]
    )
    rules = base.mark_rule(color=COLOURS[0]).encode(x="log_odds_low:Q", x2="log_odds_high:Q")
    return alt.layer(_zero(), rules, points).properties(
        width=420, title=_title("Near words of a category", "Lines: 95 % intervals over documents.")
    )


def mentions_chart(mentions: "pd.DataFrame", by: str) -> "alt.LayerChart":
    """The share of women among those mentioned in each group, the groups with most mentions."""
    import altair as alt

    rows = _known(mentions[(mentions["by"] == by) & (mentions["role"] == "all")])
    rows = rows.assign(total=rows["women"] + rows["men"]).nlargest(MOST_GROUPS, "total")
    rows = rows.sort_values("share_women")
    base = alt.Chart(rows).encode(y=alt.Y("level:N", sort=list(rows["level"]), title=by))
    across = alt.X("share_women:Q", title="Share of women among mentions", axis=alt.Axis(format="%"))
    points = base.mark_point(filled=True, size=60, opacity=1, color=COLOURS[0]).encode(
        x=across, tooltip=["level", "women", "men", "share_women"]
    )
    rules = base.mark_rule(color=COLOURS[0]).encode(x="low:Q", x2="high:Q")
    return alt.layer(_zero(0.5), rules, points).properties(
        width=420, title=_title(f"Women among those mentioned, by {by}", "Lines: 95 % intervals.")
    )


def time_chart(cooccurrence: "pd.DataFrame") -> "alt.FacetChart":
    """The log-odds of every category by year, a panel each."""
    import altair as alt

    rows = _years(cooccurrence[cooccurrence["word"] == ""])
    base = alt.Chart().encode(x=_year_axis())
    line = base.mark_line(point=True, color=COLOURS[0]).encode(
        y=alt.Y("log_odds:Q", title="Log-odds (up: nearer to men)"),
        tooltip=["category", "year", "log_odds", "male", "female"],
    )
    bars = base.mark_rule(opacity=0.4, color=COLOURS[0]).encode(y="log_odds_low:Q", y2="log_odds_high:Q")
    zero = alt.Chart().mark_rule(color=ALL_COLOUR, strokeDash=[4, 3]).encode(y=alt.datum(0))
    panels = alt.layer(zero, bars, line, data=rows).properties(width=210, height=150)
    return panels.facet(alt.Facet("category:N", title=None), columns=3).properties(
        title=_title("Categories over time", "Bars: 95 % intervals over documents.")
    )


def mentions_over_time_chart(mentions: "pd.DataFrame") -> "alt.LayerChart":
    """The share of women among those mentioned, by year."""
    import altair as alt

    rows = _years(mentions[mentions["role"] == "all"])
    base = alt.Chart(rows).encode(x=_year_axis())
    line = base.mark_line(point=True, color=COLOURS[0]).encode(
        y=alt.Y("share_women:Q", title="Share of women among mentions", axis=alt.Axis(format="%")),
        tooltip=["year", "women", "men", "share_women"],
    )
    band = base.mark_rule(opacity=0.4, color=COLOURS[0]).encode(y="low:Q", y2="high:Q")
    return alt.layer(band, line).properties(
        width=460, height=260, title=_title("Women among those mentioned, by year", "Bars: 95 % intervals.")
    )


def _known(rows: "pd.DataFrame") -> "pd.DataFrame":
    """The rows that have a number."""
    return rows[rows["note"] == ""]


def _years(rows: "pd.DataFrame") -> "pd.DataFrame":
    years = _known(rows[(rows["by"] == "year") & rows["level"].str.fullmatch(r"\d{4}")])
    return years.assign(year=years["level"].astype(int)).sort_values("year")


def _year_axis() -> "alt.X":
    import altair as alt

    return alt.X("year:Q", title="Year", axis=alt.Axis(format="d"), scale=alt.Scale(zero=False))


def _zero(place: float = 0.0) -> "alt.Chart":
    import altair as alt

    line = alt.Chart(alt.InlineData([{"zero": place}]))
    return line.mark_rule(color=ALL_COLOUR, strokeDash=[4, 3]).encode(x="zero:Q")


def _title(text: str, subtitle: str) -> "alt.TitleParams":
    import altair as alt

    return alt.TitleParams(text, subtitle=[subtitle], anchor="start")
