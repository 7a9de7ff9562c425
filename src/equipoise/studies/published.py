"""Published figures: what a paper prints where a study gives a number of its own."""

from functools import cache
from math import nan
from pathlib import PurePath

import pandas as pd

from equipoise.data.reading import own_table

TABLE = "published-figures.csv"


def published(table: str, row: str, column: str) -> float:
    """The printed figure, or NaN; a model is known by the last part of its name."""
    return _figures().get((table, row, PurePath(column).name), nan)


def with_published(table: pd.DataFrame, name: str, key: str = "asld") -> pd.DataFrame:
    """A table of arms with what the paper prints for a number's categories."""
    is_printed = table["key"].eq(key) & table["by"].isin(("", "category"))
    cells = zip(table["level"], table["arm"], is_printed, strict=True)
    return table.assign(
        published=[published(name, level or "all", arm) if known else nan for level, arm, known in cells]
    )


@cache
def _figures() -> dict[tuple[str, str, str], float]:
    rows = own_table(TABLE).to_dict("records")
    return {(row["table"], row["row"], row["column"]): float(row["value"]) for row in rows}
