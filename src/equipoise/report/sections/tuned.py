"""What training taught: arms of tuned models by category, corpus, sentences tuned on and copies."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.arms import COLUMNS, arm_figures
from equipoise.report.figures.dots import crossed_figure
from equipoise.report.figures.style import chart, model_colour, upright_interval, values
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.report.tables import by_category, wide_table
from equipoise.results.numbers import fixed

# corpus_bias
CORPUS_BIAS_TABLE = "corpus-bias"


def corpus_bias_tables(study: Study) -> list[Table]:
    """A row for each category and one for all, a column for each arm."""
    return [
        wide_table(f"corpus bias {key}", title, rows, down="category", across="arm")
        for key, title, rows in _corpus_bias_numbers(study)
    ]


def corpus_bias_figures(study: Study) -> list[Figure]:
    """The same as dots with their intervals."""
    return [
        crossed_figure(
            f"corpus bias {key}", title, rows, down="category", across="arm", axis=_corpus_bias_axis(rows)
        )
        for key, title, rows in _corpus_bias_numbers(study)
    ]


def _corpus_bias_numbers(study: Study) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Key, title and rows by category of every number."""
    table = study.tables.get(CORPUS_BIAS_TABLE)
    if table is None or not set(COLUMNS) <= set(table.columns):
        return
    for key, rows in table[table["mean"].notna()].groupby("key", sort=False):
        over = "seeds" if rows.get("seeds", pd.Series([1])).max() > 1 else "items"
        title = f"{rows['label'].iloc[0]} by category and arm (95 % intervals over {over})"
        yield str(key), title, by_category(rows, str(key))


def _corpus_bias_axis(rows: pd.DataFrame) -> str:
    unit = str(rows["unit"].iloc[0])
    return f"{rows['label'].iloc[0]} ({unit})" if unit else str(rows["label"].iloc[0])


# corpus_classifiers
CORPUS_CLASSIFIERS_TABLE = "corpus-classifiers"
CORPUS_CLASSIFIERS_TITLE = "Direct bias of the word vectors by corpus (0 is good; 95 % intervals)"


def corpus_classifiers_tables(study: Study) -> list[Table]:
    """A row for each corpus, a column for each number."""
    table = _corpus_classifiers_table(study)
    if table is None:
        return []
    rows = table.assign(value=table["mean"], corpus=table["arm"], number=table["label"])
    return [
        wide_table(
            "corpus classifiers direct bias",
            CORPUS_CLASSIFIERS_TITLE,
            rows,
            down="corpus",
            across="number",
            places=3,
        )
    ]


def corpus_classifiers_figures(study: Study) -> list[Figure]:
    """Each number as dots with their intervals."""
    return arm_figures(study.name, _corpus_classifiers_table(study))


def _corpus_classifiers_table(study: Study) -> "pd.DataFrame | None":
    table = study.tables.get(CORPUS_CLASSIFIERS_TABLE)
    return table if table is not None and set(COLUMNS) <= set(table.columns) else None


# learning_curve
LEARNING_CURVE_TABLE = "learning-curve"
LEARNING_CURVE_COLUMNS = ("size", "key", "label", "by", "level", "mean", "low", "high", "unit")
LEARNING_CURVE_INTERVALS = "95 % intervals over repeats; at 0 sentences, the model as it was, over items"


def learning_curve_tables(study: Study) -> list[Table]:
    """A row for each category and one for all, a column for each number of sentences."""
    return [
        wide_table(
            f"learning curve {key}",
            f"{rows['label'].iloc[0]} by category and sentences tuned on ({LEARNING_CURVE_INTERVALS})",
            rows,
            down="category",
            across="size",
        )
        for key, rows in _learning_curve_numbers(study).items()
    ]


def learning_curve_figures(study: Study) -> list[Figure]:
    """A curve for each number, a line for each category, with its intervals."""
    return [_learning_curve_figure(key, rows) for key, rows in _learning_curve_numbers(study).items()]


def _learning_curve_numbers(study: Study) -> dict[str, pd.DataFrame]:
    table = study.tables.get(LEARNING_CURVE_TABLE)
    if table is None or not set(LEARNING_CURVE_COLUMNS) <= set(table.columns):
        return {}
    known = table[table["mean"].notna()]
    return {str(key): by_category(known, str(key)) for key in dict.fromkeys(known["key"])}


def _learning_curve_figure(key: str, table: pd.DataFrame) -> Figure:
    label, unit = str(table["label"].iloc[0]), str(table["unit"].iloc[0])
    rows = [_learning_curve_row(row) for row in table.to_dict("records")]
    levels = list(dict.fromkeys(str(row["model"]) for row in rows))
    across = {"field": "size", "type": "quantitative", "title": "sentences that the model was tuned on"}
    upward = {
        "type": "quantitative",
        "title": f"{label} ({unit})" if unit else label,
        "scale": {"zero": False},
    }
    colour = model_colour(levels)
    at = {"x": across, "y": upward | {"field": "mean"}, "color": colour}
    layers: list[dict[str, Any]] = [
        {"mark": {"type": "line", "strokeWidth": 2}, "encoding": at},
        {"mark": {"type": "point", "filled": True, "size": 50}, "encoding": at},
        upright_interval(across, upward, colour),
    ]
    title = f"{label} by the sentences tuned on (bars: {LEARNING_CURVE_INTERVALS})"
    told = "; ".join(f"{row['model']}, {row['size']}: {fixed(row['mean'], 3)}" for row in rows)
    name = slug(f"learning curve {key}")
    return Figure(name, title, f"{title}. {told}.", chart(layers, height=260, data=values(rows)))


def _learning_curve_row(row: "dict[Any, Any]") -> dict[str, Any]:
    ends = {name: float(row[name]) for name in ("mean", "low", "high")}
    return {"model": row["category"], "size": int(row["size"]), **ends}


# reminders
REMINDERS_WORDS = "words"
REMINDERS_COLUMNS = ("word", "column", "mean", "low", "high")
REMINDERS_TITLE = "APPD of each word by copies of its sentences (below 0: female; far from 0 is good)"


def reminders_tables(study: Study) -> list[Table]:
    """Table 5: a row for each word, a column for the model as it was and for each number of copies."""
    return [
        wide_table("reminders words", REMINDERS_TITLE, table, down="word", across="column")
        for table in _reminders_words(study)
    ]


def reminders_figures(study: Study) -> list[Figure]:
    """The same as dots with their intervals; then every number by arm."""
    drawn = [
        crossed_figure("reminders words", REMINDERS_TITLE, table, down="word", across="column", axis="APPD")
        for table in _reminders_words(study)
    ]
    return [*drawn, *arm_figures(study.name, study.tables.get("reminders"))]


def _reminders_words(study: Study) -> list[pd.DataFrame]:
    """The study's table of words, where it has one with a number in it."""
    table = study.tables.get(REMINDERS_WORDS)
    if table is None or not set(REMINDERS_COLUMNS) <= set(table.columns) or table["mean"].isna().all():
        return []
    return [table.assign(value=table["mean"])]


# resolution
def resolution_figures(study: Study) -> list[Figure]:
    """Every number by arm, and by what it is split by."""
    return arm_figures(study.name, study.tables.get("resolution"))


FIGURES = {
    "corpus-bias": corpus_bias_figures,
    "corpus-classifiers": corpus_classifiers_figures,
    "learning-curve": learning_curve_figures,
    "reminders": reminders_figures,
    "resolution": resolution_figures,
}
TABLES = {
    "corpus-bias": corpus_bias_tables,
    "corpus-classifiers": corpus_classifiers_tables,
    "learning-curve": learning_curve_tables,
    "reminders": reminders_tables,
}
