"""Published figures: what a paper prints where a study gives a number of its own.

The figures stand as printed, mistakes included. In Table 2 of Stereotype and Skew the last two columns are
exchanged in the four rows of BERT-U and BERT-A, and those of RoBERTa-large do not follow from its F1 scores.
"""

from functools import cache
from math import nan
from pathlib import Path, PurePath

import pandas as pd

from equipoise.data.reading import own_table

TABLE = "published-figures.csv"
EXCHANGED = ("BERT-U", "BERT-UO", "BERT-A", "BERT-AO")
"""Rows of Table 2 of Stereotype and Skew whose stereotype and skew are exchanged in print."""

_ROWS_OF_SKEW = {
    "embedded": "BERT",
    "bert-base-uncased": "BERT",
    "bert-large-uncased": "BERT-large",
    "roberta-base": "RoBERTa",
    "roberta-large": "RoBERTa-large",
    "distilbert-base-uncased": "DistilBERT",
    "albert-base-v1": "ALBERT",
    "albert-large-v1": "ALBERT-large",
    "albert-xlarge-v1": "ALBERT-xlarge",
    "albert-xxlarge-v1": "ALBERT-xxlarge",
    "xlm-roberta-base": "XLM-R",
    "xlm-roberta-large": "XLM-R-large",
}


def published(table: str, row: str, column: str) -> float:
    """The printed figure, or NaN; a model is known by the last part of its name."""
    return _figures().get(table, {}).get(row, {}).get(PurePath(column).name, nan)


def published_rows(table: str) -> dict[str, tuple[float, ...]]:
    """The rows of a printed table with their figures, in the order of its columns."""
    return {row: tuple(cells.values()) for row, cells in _figures()[table].items()}


def with_published(table: pd.DataFrame, name: str, key: str = "asld") -> pd.DataFrame:
    """A table of arms with what the paper prints for a number's categories."""
    is_printed = table["key"].eq(key) & table["by"].isin(("", "category"))
    cells = zip(table["level"], table["arm"], is_printed, strict=True)
    return table.assign(
        published=[published(name, level or "all", arm) if known else nan for level, arm, known in cells]
    )


def row_of_skew(model: str, *, has_prior: bool) -> str:
    """The row of a model in Stereotype and Skew, -O where answers are divided by the prior; or nothing."""
    name = _ROWS_OF_SKEW.get(Path(model).name.lower(), "")
    return f"{name}-O" if name and has_prior else name


def note_on(row: str) -> str:
    """What is wrong with a printed row of Table 2 of Stereotype and Skew; empty for a sound one."""
    if row in EXCHANGED:
        return "stereotype and skew are exchanged in print"
    return "printed means do not follow from the F1 scores" if row == "RoBERTa-large" else ""


@cache
def _figures() -> dict[str, dict[str, dict[str, float]]]:
    """Every figure by table, row and column."""
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for row in own_table(TABLE).to_dict("records"):
        figures.setdefault(row["table"], {}).setdefault(row["row"], {})[row["column"]] = float(row["value"])
    return figures
