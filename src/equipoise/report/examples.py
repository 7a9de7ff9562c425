"""Examples: the strongest item on each side of an answer, and what its number rests on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.results import Quantity, Result
from equipoise.results.reading import Measured, amount, side_of
from equipoise.results.result import rows_of

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
    note: str = ""


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
    if source.contrast and source.contrast.are_sides:
        levels = rows.loc[distance.index, source.contrast.column]
        first, second = (distance[levels == one] for one in (source.contrast.first, source.contrast.second))
        picked = [(0, first.index[-1])] if len(first) else []
        picked += [(1, second.index[0])] if len(second) else []
    else:
        picked = [(0, distance.index[-1])] if len(distance) and distance.iloc[-1] > 0 else []
        picked += [(1, distance.index[0])] if len(distance) and distance.iloc[0] < 0 else []
    return tuple(
        Example(
            str(rows.at[place, "item"]),
            tuple(str(rows.at[place, name]) for name in texts),
            float(values[place]),
            source.sides[which] if source.sides else "",
            _probabilities(rows.loc[place].to_dict(), result),
            _note(rows.loc[place].to_dict(), result),
        )
        for which, place in picked
    )


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= LONGEST and bool(_PLAIN.fullmatch(text))


def _probabilities(row: Mapping[Any, Any], result: Result) -> tuple[tuple[str, float], ...]:
    """P of each pole at the blank, by its word: he, she and they where the poles are pronouns."""
    names = [name for name in row if str(name).startswith("p_") and isinstance(row[name], float)]
    words = _words(result.poles, str(row.get("form", "")))
    words |= {name: text for name in ("declared",) if isinstance(text := row.get(name), str)}
    return tuple(
        (words.get(pole, pole), float(row[name]))
        for name in names
        if (pole := str(name).removeprefix("p_")) and not isnan(row[name])
    )


def _note(row: Mapping[Any, Any], result: Result) -> str:
    """Who is meant where a sentence names two occupations, or what was declared, and what is expected."""
    if {"declared", "chosen"} <= set(row):
        return f"Declared: {row['declared']}. Likeliest: {row['chosen']}."
    if row.get("part") != "occupations" or not {"referent", "stereotype"} <= set(row):
        return ""
    word = _words(result.poles, str(row.get("form", ""))).get(row["stereotype"], row["stereotype"])
    return f"Meant: the {row['referent']}, of either gender. The stereotype expects {word}."


def _words(poles: str, form: str) -> dict[str, str]:
    """The first word of each pole in a form; nothing where a user's file is gone."""
    try:
        return {pole: words[0] for pole, words in load_poles(poles).at(form).items() if words}
    except UserError:
        return {}


def basis_of(row: Mapping[Any, Any], quantity: Quantity, result: Result) -> str:
    """What a number rests on: 72 sentences, 20 pairs, 55 occupations."""
    things = {0: "words", 1: "sentences"}.get(len(result.roles.text), "pairs")
    things = {"": things, "profession": "occupations"}.get(quantity.over, f"{quantity.over}s")
    level = f" of {row['by']} {row['level']}" if row["by"] else ""
    return f"{int(row['n']):,} {things}{level}"


def occupations_of(result: Result, quantity: Quantity, measured: Measured) -> tuple[str, str]:
    """How many occupations lean to the side of the whole, in a word and as a sentence."""
    table = result.estimates
    values = table.loc[(table["key"] == quantity.key) & (table["by"] == "profession"), "value"].dropna()
    if not len(values) or len(quantity.sides) < 2 or measured.value == measured.neutral:
        return "", ""
    above, below = int((values > measured.neutral).sum()), int((values < measured.neutral).sum())
    sides = [(above, quantity.sides[0]), (below, quantity.sides[1])]
    (same, side), (other, opposite) = sides if measured.value > measured.neutral else sides[::-1]
    share = same / len(values)
    many = "nearly all " if share >= 0.95 else "most " if share > 0.5 else "some "
    return many, f"{same} of {len(values)} occupations lean {side}, {other} {opposite}."


def classes_of(result: Result, quantity: Quantity) -> tuple[str, str]:
    """No word, and the shares that a contrast compares as a sentence, with the side if both lean to one."""
    contrast, table = quantity.contrast, result.estimates
    same = (one for one in result.declared if one.column == quantity.column and one.scale == "half")
    plain = next(same, None)
    if contrast is None or plain is None or quantity.statistic:
        return "", ""
    levels = (contrast.first, contrast.second)
    rows = table[(table["key"] == plain.key) & (table["by"] == contrast.column)].set_index("level")
    if not set(levels) <= set(rows.index):
        return "", ""
    first, second = (Measured.of(rows.loc[level], plain) for level in levels)
    shares = [
        f"{amount(one.value, plain)} {level}" for one, level in zip((first, second), levels, strict=True)
    ]
    side, other = side_of(first, plain), side_of(second, plain)
    both = f"; both lean {side}" if side and side == other else ""
    return "", f"{plain.plain_name}: {' against '.join(shares)}{both}."
