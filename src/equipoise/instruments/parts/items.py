"""Reading answers item by item: from one item's answers to named numbers, and to a cell of its tokens."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from math import isnan
from typing import Any

import numpy as np
import pandas as pd

from equipoise.models.questions import TokenScores

Row = dict[str, Any]


def asked_rows(items: pd.DataFrame) -> Iterator[Row]:
    """The rows that are asked: those not dropped before."""
    yield from items[items["dropped"] == ""].to_dict("records")


def pieces_remarks(items: pd.DataFrame) -> tuple[str, ...]:
    """That words were spelt in several pieces, whose probabilities are multiplied: longer words are rarer."""
    split = int((items["pieces"] > 1).sum())
    return (f"{split:,} blanks have a word of several pieces (product of their P)",) if split else ()


def with_scores(
    items: pd.DataFrame, read: Callable[[Row], Row], always: Sequence[str] = ("score",)
) -> pd.DataFrame:
    """The items with what `read` makes of each that was asked; one that was dropped before has none of it.

    `read` may itself say why an item is `dropped`, if its answers could not be used. The columns `always` are
    there even if that is so of every item.
    """
    scores = pd.DataFrame([{} if row["dropped"] else read(row) for row in items.to_dict("records")])
    scores = scores.assign(**{name: np.nan for name in always if name not in scores})
    scores.index = items.index
    texts = [name for name in scores if pd.api.types.is_string_dtype(scores[name].dropna())]
    scores[texts] = scores[texts].fillna("")
    reasons = items["dropped"]
    if "dropped" in scores:
        reasons = reasons.where(reasons != "", scores.pop("dropped").fillna(""))
    return pd.concat([items.drop(columns="dropped"), scores], axis=1).assign(dropped=reasons)


COLUMN = "token_scores_"
"""Columns of the items that begin so and end in the name of a text hold its tokens."""


def token_cell(scored: TokenScores, *, counted: Collection[int] | None = None, divisor: float = 1.0) -> str:
    """The tokens as JSON: where each begins and ends in the text, and weight times ln P over the divisor.

    A token that does not count, or could not be asked, adds null; the others add up to the sentence's value.
    """
    tokens = zip(scored.spans, scored.logprobs, scored.weights, strict=True)
    cells = []
    for place, ((start, end), logprob, weight) in enumerate(tokens):
        adds = weight * logprob / divisor
        is_counted = counted is None or place in counted
        cells.append([start, end, None if isnan(adds) or not is_counted else adds])
    return json.dumps(cells)
