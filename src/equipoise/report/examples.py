"""Examples: the strongest item on each side of an answer, the same on every run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.results import Quantity, Result
from equipoise.results.items import rows_of

LONGEST = 160
"""Characters of a text that still fits on a card."""

_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'\"\-\[\]()]+")


@dataclass(frozen=True)
class Example:
    """One item: its texts, its value, on which side it is, and what the model expects at the blank."""

    item: str
    texts: tuple[str, ...]
    value: float
    side: str
    probabilities: tuple[tuple[str, float], ...] = ()


def examples_of(result: Result, quantity: Quantity) -> tuple[Example, ...]:
    """The strongest plain item above neutral and the strongest one below, as far as there are any.

    A share of pairs is shown by the score of a pair, whose neutral value is 0.
    """
    like = (one for one in result.quantities if one.question == quantity.question and one.sides)
    source = quantity if quantity.where or quantity.compared else next(like, quantity)
    is_share = source.scale in ("half", "percent") and "second_share" not in source.column
    column, neutral = ("score", 0.0) if is_share else (source.column, source.neutral)
    try:
        rows = rows_of(result.items, source)
    except UserError:
        return ()
    texts = [name for name in result.roles.text if name in rows]
    if column not in rows or rows[column].dtype.kind not in "fi" or not texts:
        return ()
    values = rows[column]
    known = values.notna() & rows[texts].map(_is_plain).all(axis=1)
    distance = (values[known] - neutral).sort_values(kind="stable")
    picked = [(0, distance.index[-1])] if len(distance) and distance.iloc[-1] > 0 else []
    picked += [(1, distance.index[0])] if len(distance) and distance.iloc[0] < 0 else []
    return tuple(
        Example(
            str(rows.at[place, "item"]),
            tuple(str(rows.at[place, name]) for name in texts),
            float(values[place]),
            source.sides[which] if source.sides else "",
            _probabilities(rows.loc[place].to_dict(), result),
        )
        for which, place in picked
    )


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= LONGEST and bool(_PLAIN.fullmatch(text))


def _probabilities(row: Mapping[Any, Any], result: Result) -> tuple[tuple[str, float], ...]:
    """P of each pole at the blank, by its word: he, she and they where the poles are pronouns."""
    names = [name for name in row if str(name).startswith("p_") and isinstance(row[name], float)]
    words = _words(result.poles, str(row.get("form", "")))
    return tuple(
        (words.get(pole, pole), float(row[name]))
        for name in names
        if (pole := str(name).removeprefix("p_")) and not isnan(row[name])
    )


def _words(poles: str, form: str) -> dict[str, str]:
    """The first word of each pole in a form; nothing where a user's file is gone."""
    try:
        return {pole: words[0] for pole, words in load_poles(poles).at(form).items() if words}
    except UserError:
        return {}
