"""Published figures: what a paper prints where a study gives a number of its own."""

from functools import cache
from math import nan
from pathlib import PurePath

from equipoise.data.reading import own_table

TABLE = "published-figures.csv"


def published(table: str, row: str, column: str) -> float:
    """The printed figure, or NaN; a model is known by the last part of its name."""
    return _figures().get((table, row, PurePath(column).name), nan)


@cache
def _figures() -> dict[tuple[str, str, str], float]:
    rows = own_table(TABLE).to_dict("records")
    return {(row["table"], row["row"], row["column"]): float(row["value"]) for row in rows}
