"""Reminding sentences: APPD of each word by number of copies (Table 5), and the guard and bias beside it."""

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.arms import arm_figures
from equipoise.report.figures.dots import crossed_figure
from equipoise.report.sections import Study
from equipoise.report.wide import wide_table

WORDS = "words"
COLUMNS = ("word", "column", "mean", "low", "high")
TITLE = "APPD of each word by copies of its sentences (below 0: female; far from 0 is good)"


def tables(study: Study) -> list[Table]:
    """Table 5: a row for each word, a column for the model as it was and for each number of copies."""
    return [
        wide_table("reminders words", TITLE, table, down="word", across="column") for table in _words(study)
    ]


def figures(study: Study) -> list[Figure]:
    """The same as dots with their intervals; then every number by arm."""
    drawn = [
        crossed_figure("reminders words", TITLE, table, down="word", across="column", axis="APPD")
        for table in _words(study)
    ]
    return [*drawn, *arm_figures(study.name, study.tables.get("reminders"))]


def _words(study: Study) -> list[pd.DataFrame]:
    """The study's table of words, where it has one with a number in it."""
    table = study.tables.get(WORDS)
    if table is None or not set(COLUMNS) <= set(table.columns) or table["mean"].isna().all():
        return []
    return [table.assign(value=table["mean"])]
