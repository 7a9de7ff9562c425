"""What training taught: arms of tuned models by category, corpus, sentences tuned on and copies."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from equipoise.report.figures.arms import COLUMNS, arm_figures
from equipoise.report.figures.dots import crossed_figure, declared, sided_axis
from equipoise.report.figures.style import chart, mark, model_colour, quantitative, upright_interval, values
from equipoise.report.files import Figure, Table
from equipoise.report.measurements import slug
from equipoise.report.sections import Study
from equipoise.report.tables import by_category, wide_table
from equipoise.results import Quantity
from equipoise.results.reading import sentence_start
from equipoise.results.records import fixed, shown


def corpus_bias_tables(study: Study) -> list[Table]:
    """A row for each category and one for all, a column for each arm."""
    return [
        wide_table(
            f"corpus bias {key}",
            f"{rows['label'].iloc[0]} by category and arm (95 % intervals over {_over(rows)})",
            rows,
            down="category",
            across="arm",
        )
        for key, rows in _by_key(study.table("corpus-bias", COLUMNS))
    ]


def corpus_bias_figures(study: Study) -> list[Figure]:
    """The same as dots with their intervals."""
    return [
        crossed_figure(
            f"corpus bias {key}",
            f"{_named(rows)} by category and arm",
            rows,
            down="category",
            across="arm",
            axis=_axis(rows),
        )
        for key, rows in _by_key(study.table("corpus-bias", COLUMNS))
    ]


def _by_key(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of every number by category, all items last."""
    if table.empty:
        return
    for key, rows in table[table["mean"].notna()].groupby("key", sort=False):
        yield str(key), by_category(rows, str(key))


def _over(rows: pd.DataFrame) -> str:
    return "seeds" if rows.get("seeds", pd.Series([1])).max() > 1 else "items"


def _quantity(rows: pd.DataFrame) -> Quantity | None:
    first = rows.iloc[0]
    return declared(first.get("instrument", ""), first["key"])


def _named(rows: pd.DataFrame) -> str:
    quantity = _quantity(rows)
    return sentence_start(quantity.plain_name if quantity else str(rows["label"].iloc[0]))


def _axis(rows: pd.DataFrame) -> str:
    return sided_axis(_quantity(rows), str(rows["label"].iloc[0]), str(rows["unit"].iloc[0]))


def corpus_classifiers_tables(study: Study) -> list[Table]:
    """A row for each corpus, a column for each number."""
    table = study.table("corpus-classifiers", COLUMNS)
    if table.empty:
        return []
    title = "Direct bias of the word vectors by corpus (0 is good; 95 % intervals)"
    rows = table.assign(value=table["mean"], corpus=table["arm"], number=table["label"])
    return [
        wide_table("corpus classifiers direct bias", title, rows, down="corpus", across="number", places=3)
    ]


SIZES = ("size", "key", "label", "by", "level", "mean", "low", "high", "unit")
REPEATS = "95 % intervals over repeats; at 0 sentences, the model as it was, over items"


def learning_curve_tables(study: Study) -> list[Table]:
    """A row for each category and one for all, a column for each number of sentences."""
    return [
        wide_table(
            f"learning curve {key}",
            f"{rows['label'].iloc[0]} by category and sentences tuned on ({REPEATS})",
            rows,
            down="category",
            across="size",
        )
        for key, rows in _by_key(study.table("learning-curve", SIZES))
    ]


def learning_curve_figures(study: Study) -> list[Figure]:
    """A curve for each number, a line for each category, with its intervals."""
    across = "sentences that the model was tuned on"
    return [
        _curve(f"learning curve {key}", rows, across=("size", across), intervals=REPEATS)
        for key, rows in _by_key(study.table("learning-curve", SIZES))
    ]


def _curve(name: str, table: pd.DataFrame, *, across: tuple[str, str], intervals: str) -> Figure:
    """A line for each category over a column of whole numbers, `across` by its name and its words."""
    column, words = across
    last = table.iloc[-1]
    rows = [
        {"model": row["category"], "at": int(row[column])}
        | {end: float(row[end]) for end in ("mean", "low", "high")}
        for row in table.to_dict("records")
    ]
    levels = list(dict.fromkeys(str(row["model"]) for row in rows))
    x = quantitative("at", title=words)
    y = quantitative(title=_axis(table), scale={"zero": False})
    colour = model_colour(levels)
    at = {"x": x, "y": y | {"field": "mean"}, "color": colour}
    layers: list[dict[str, Any]] = [
        mark("line", {"strokeWidth": 2}, **at),
        mark("point", {"filled": True, "size": 50}, **at),
        upright_interval(x, y, colour),
    ]
    whole = [row for row in rows if row["model"] == str(last["category"])]
    start, end = whole[0], whole[-1]
    ends = ", ".join(f"{shown(row['mean'])} at {row['at']:,}" for row in (start, end))
    title = f"{_named(table)}: {ends} {words.split()[0]} (bars: {intervals})"
    told = "; ".join(f"{row['model']}, {row['at']}: {fixed(row['mean'], 3)}" for row in rows)
    return Figure(slug(name), title, f"{title}. {told}.", chart(layers, height=260, data=values(rows)))


def checkpoints_figures(study: Study) -> list[Figure]:
    """A curve over the steps of the training for each headline, a line for each category."""
    table = study.table("checkpoints", ("step", "instrument", *SIZES[1:]))
    if table.empty:
        return []
    known = table[table["mean"].notna()]
    return [
        _curve(
            f"checkpoints {instrument} {key}",
            by_category(rows, str(key)),
            across=("step", "steps of the training"),
            intervals="95 % intervals over items",
        )
        for (instrument, key), rows in known.groupby(["instrument", "key"], sort=False)
    ]


def reminders_tables(study: Study) -> list[Table]:
    """Table 5: a row for each word, a column for the model as it was and for each number of copies."""
    title = "APPD of each word by copies of its sentences (below 0: female; far from 0 is good)"
    return [
        wide_table("reminders words", title, table, down="word", across="column")
        for table in _reminders_words(study)
    ]


def reminders_figures(study: Study) -> list[Figure]:
    """The same as dots with their intervals; then every number by arm."""
    title, axis = "What should stay gendered, by copies of its sentences", "← women · pronoun gap · men →"
    drawn = [
        crossed_figure("reminders words", title, table, down="word", across="column", axis=axis)
        for table in _reminders_words(study)
    ]
    return [*drawn, *arm_figures(study.name, study.table("reminders", COLUMNS))]


def _reminders_words(study: Study) -> list[pd.DataFrame]:
    """The study's table of words, where it has one with a number in it."""
    table = study.table("words", ("word", "column", "mean", "low", "high"))
    return [] if table.empty or table["mean"].isna().all() else [table.assign(value=table["mean"])]


def _arms(name: str) -> Callable[[Study], list[Figure]]:
    """Charts of every number by arm, and by what it is split by."""
    return lambda study: arm_figures(study.name, study.table(name, COLUMNS))


FIGURES = {
    "checkpoints": checkpoints_figures,
    "corpus-bias": corpus_bias_figures,
    "corpus-classifiers": _arms("corpus-classifiers"),
    "learning-curve": learning_curve_figures,
    "reminders": reminders_figures,
    "resolution": _arms("resolution"),
}
TABLES = {
    "corpus-bias": corpus_bias_tables,
    "corpus-classifiers": corpus_classifiers_tables,
    "learning-curve": learning_curve_tables,
    "reminders": reminders_tables,
}
