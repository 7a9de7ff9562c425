"""Items: the rows that a quantity rests on, and those that drive a result."""

import pandas as pd

from equipoise.errors import UserError
from equipoise.results.quantity import Quantity
from equipoise.results.result import Result


def rows_of(items: pd.DataFrame, quantity: Quantity, suffixes: tuple[str, ...] = ("",)) -> pd.DataFrame:
    """The rows that a quantity rests on; of paired items those that pass its filter on every side."""
    rows = items
    for column, value in quantity.where.items():
        for name in [column] if column in items else [f"{column}{suffix}" for suffix in suffixes]:
            if name not in rows:
                raise UserError(
                    f"The items have no column {column!r}, by which {quantity.label!r} is taken.",
                    "Measure again with this version.",
                )
            rows = rows[rows[name].fillna("").astype(str) == value]
    return rows


def top_items(result: Result, count: int = 10) -> pd.DataFrame:
    """The `count` items with the largest scores in either direction, with their texts and groups.

    They are taken from the items that the result's first quantity rests on: no changed forms, no guard.
    """
    items = result.items
    if result.quantities:
        items = rows_of(items, result.quantities[0])
    known = items[items["score"].notna()]
    order = known["score"].abs().sort_values(ascending=False, kind="stable").index[:count]
    roles = result.roles
    columns = dict.fromkeys(("score", "item", *roles.groups, *roles.text))
    return known.loc[order, [name for name in columns if name in known]].reset_index(drop=True)
