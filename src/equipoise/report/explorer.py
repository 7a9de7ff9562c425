"""The items behind a page, column by column, as small as they can be said."""

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.report.figures.distribution import driving_rows
from equipoise.report.measurements import Measurement
from equipoise.results import Result
from equipoise.results.records import shown

LONGEST_TEXT = 4000
"""Characters of a text that a page shows; the rest is in the result's items."""

MOST_LEVELS = 200
TOKENS = "token_scores_"
"""Columns that begin so hold a pair's tokens with what each adds to its side."""


def explorer_data(measured: Sequence[Measurement]) -> str:
    """Every item of every measurement: JSON, compressed, in letters that need no escape."""
    content = [_measurement(one) for one in measured]
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    packed = gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)
    return base64.b64encode(packed).decode("ascii")


def _measurement(measured: Measurement) -> dict[str, Any]:
    """The items of all models under each other where they differ, side by side where they are the same."""
    first = measured.first
    texts, groups = _texts(first), _groups(first)
    tables = [_indexed(result) for result in measured.results.values()]
    items = _union(tables)
    tokens = [f"{TOKENS}{name}" for name in texts if f"{TOKENS}{name}" in items]
    return {
        "name": measured.name,
        "title": measured.title,
        "models": list(measured.results),
        "items": items.index.tolist(),
        "texts": {name: _cut(items[name]) for name in texts},
        "groups": {name: _coded(items[name]) for name in groups},
        "told": {
            name: [_told(table, items.index, name) for table in tables]
            for name in _shown(first)
            if all(name in table for table in tables)
        },
        "shares": _shares(tables, items, first.poles),
        "scores": [_numbers(table["score"].reindex(items.index)) for table in tables],
        "driving": _flags(measured, items.index),
        "dropped": _coded(items["dropped"]),
        "tokens": {
            name.removeprefix(TOKENS): _tokens(table, items.index, name)
            for table in tables[:1]
            for name in tokens
        },
    }


def _shares(tables: Sequence[pd.DataFrame], items: pd.DataFrame, poles: str) -> dict[str, Any]:
    """P of each pole at the blank, by model, and the word that each pole has in each form."""
    columns = [
        str(name)
        for name in items
        if str(name).startswith("p_")
        and pd.api.types.is_float_dtype(items[name])
        and all(name in table for table in tables)
    ]
    if len(columns) < 2:
        return {}
    forms = items["form"].fillna("").astype(str) if "form" in items else pd.Series("", index=items.index)
    words = {form: words_at(poles, form) for form in forms.unique()}
    names = [column.removeprefix("p_") for column in columns]
    codes, levels = pd.factorize(forms)
    return {
        "poles": names,
        "words": [[words[form].get(name, name) for name in names] for form in levels],
        "forms": codes.tolist(),
        "numbers": [[_numbers(table[column].reindex(items.index)) for column in columns] for table in tables],
    }


def words_at(poles: str, form: str) -> dict[str, str]:
    """The first word of each pole in a form; nothing where a user's file is gone."""
    try:
        return {pole: words[0] for pole, words in load_poles(poles).at(form).items() if words}
    except UserError:
        return {}


def _indexed(result: Result) -> pd.DataFrame:
    return result.items.assign(item=result.items["item"].astype(str)).set_index("item")


def _union(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The items of the first model, then those that only others have."""
    whole = tables[0]
    for table in tables[1:]:
        more = table.loc[~table.index.isin(whole.index)]
        if len(more):
            whole = pd.concat([whole, more])
    return whole


def _texts(result: Result) -> list[str]:
    return [name for name in result.roles.text if name in result.items]


def _groups(result: Result) -> list[str]:
    """The columns to filter by: those of the roles, parts and forms, if they have a few levels."""
    wanted = dict.fromkeys((*result.roles.groups, "category", "part", "variation", "flags"))
    there = [name for name in wanted if name in result.items and name not in _texts(result)]
    return [name for name in there if 1 < result.items[name].nunique() <= MOST_LEVELS]


def _shown(result: Result) -> list[str]:
    """The further columns that an instrument wants to be seen of each item."""
    starts = tuple(name for name in result.roles.shown if name.endswith("_"))
    columns = [str(name) for name in result.items if name in result.roles.shown]
    columns = [name for name in columns if not name.startswith("p_")]
    return columns + [str(name) for name in result.items if starts and str(name).startswith(starts)]


def _told(table: pd.DataFrame, index: pd.Index, name: str) -> list[str]:
    """A column as text, a number with three digits."""
    column = table[name].reindex(index)
    if pd.api.types.is_numeric_dtype(column):
        return ["-" if number != number else shown(float(number)) for number in column]
    return column.fillna("").astype(str).tolist()


def _cut(texts: pd.Series) -> list[str]:
    return [
        text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}… ({len(text):,} characters)"
        for text in texts.fillna("").astype(str)
    ]


def _coded(column: pd.Series) -> dict[str, Any]:
    """Levels once, and for every item the number of its level."""
    codes, levels = pd.factorize(column.fillna("").astype(str))
    return {"levels": levels.tolist(), "codes": codes.tolist()}


def _numbers(column: pd.Series) -> list[float | None]:
    """Scores with five digits, which is more than anybody reads."""
    known = column.to_numpy(dtype=float)
    return [float(f"{number:.5g}") if np.isfinite(number) else None for number in known]


def _flags(measured: Measurement, index: pd.Index) -> list[int]:
    driving = {str(item) for result in measured.results.values() for item in driving_rows(result)["item"]}
    return [int(item in driving) for item in index]


def _tokens(table: pd.DataFrame, index: pd.Index, name: str) -> list[Any]:
    """The tokens of the first model: places in the text and what each adds, with three decimals."""
    cells = table[name].reindex(index).fillna("").astype(str)
    try:
        return [
            [[int(a), int(b), None if c is None else round(float(c), 3)] for a, b, c in json.loads(cell)]
            if cell
            else 0
            for cell in cells
        ]
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise UserError(
            f"The items hold tokens in the column {name!r} that cannot be read: {error}.", "Measure it again."
        ) from error
