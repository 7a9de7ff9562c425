"""What a study takes from a result: each item's distance from neutral, by category."""

import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import ALL, Comparable
from equipoise.results import Result

PUBLISHED_NAMES = {"sbe": "asld"}
"""What an instrument's own paper calls the mean distance from neutral."""


def quantity_of(instrument: str) -> str:
    """The name of the mean distance from neutral for an instrument."""
    return PUBLISHED_NAMES.get(instrument, "mean distance from neutral")


def item_distances(result: Result) -> pd.DataFrame:
    """The comparable items with `distance` (of the score from neutral), `category` and `cluster`."""
    how = Comparable(**result.provenance["comparable"])
    rows = result.items
    for column, value in how.where.items():
        rows = rows[rows[column].fillna("").astype(str) == value]
    if "category" not in rows or rows.empty:
        raise UserError(
            f"{result.instrument} has no items with a category to study.",
            "Name an instrument whose items have one, such as sbe.",
        )
    return pd.DataFrame(
        {
            "item": rows["item"],
            "category": rows["category"],
            "cluster": rows[how.clusters] if how.clusters in rows else rows["item"],
            "distance": (rows[how.column] - how.neutral).abs(),
        }
    ).reset_index(drop=True)


def by_group(distances: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The items of each category and, first, all of them."""
    groups = {ALL: distances}
    for name, rows in distances.groupby("category", sort=False):
        groups[f"category:{name}"] = rows
    return groups
