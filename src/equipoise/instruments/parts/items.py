"""Reading answers item by item: a small function from one item's answers to named numbers."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

Row = dict[str, Any]


def asked_rows(items: pd.DataFrame) -> Iterator[Row]:
    """The rows that are asked: those not dropped before."""
    yield from items[items["dropped"] == ""].to_dict("records")


def pieces_remarks(items: pd.DataFrame) -> tuple[str, ...]:
    """That words were spelt in several pieces, whose probabilities are multiplied: longer words are rarer."""
    split = int((items["pieces"] > 1).sum())
    return (f"{split:,} blanks have a word of several pieces (product of their P)",) if split else ()


def with_scores(items: pd.DataFrame, read: Callable[[Row], Row]) -> pd.DataFrame:
    """The items with what `read` makes of each that was asked; one that was dropped before has none of it.

    `read` may itself say why an item is `dropped`, if its answers could not be used.
    """
    scores = pd.DataFrame([{} if row["dropped"] else read(row) for row in items.to_dict("records")])
    scores.index = items.index
    texts = [name for name in scores if pd.api.types.is_string_dtype(scores[name].dropna())]
    scores[texts] = scores[texts].fillna("")
    reasons = items["dropped"]
    if "dropped" in scores:
        reasons = reasons.where(reasons != "", scores.pop("dropped").fillna(""))
    return pd.concat([items.drop(columns="dropped"), scores], axis=1).assign(dropped=reasons)
