"""The items that drive a result: those furthest from 0 first."""

import pandas as pd

from equipoise.results.comparison.differences import rows_of
from equipoise.results.result import Result


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
