"""A classifier for each corpus: direct bias and separation of the vectors that it leaves."""

import pandas as pd

from equipoise.report.elements import Figure, Table
from equipoise.report.figures.arms import COLUMNS, arm_figures
from equipoise.report.sections import Study
from equipoise.report.wide import wide_table

TABLE = "corpus-classifiers"
TITLE = "Direct bias of the word vectors by corpus (0 is good; 95 % intervals)"


def tables(study: Study) -> list[Table]:
    """A row for each corpus, a column for each number."""
    table = _table(study)
    if table is None:
        return []
    rows = table.assign(value=table["mean"], corpus=table["arm"], number=table["label"])
    return [
        wide_table("corpus classifiers direct bias", TITLE, rows, down="corpus", across="number", places=3)
    ]


def figures(study: Study) -> list[Figure]:
    """Each number as dots with their intervals."""
    return arm_figures(study.name, _table(study))


def _table(study: Study) -> "pd.DataFrame | None":
    table = study.tables.get(TABLE)
    return table if table is not None and set(COLUMNS) <= set(table.columns) else None
