"""Sentence pairs from a file: a stereotype and its counterpart, checked line by line."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.lint import CODES, Finding, lint_lengths, lint_pairs
from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError, unknown_name

CATEGORIES = ("occupation", "benevolent-sexism", "hostile-sexism")
NEUTRAL = "neutral"
"""The category of pairs that differ in no gendered word: what a difference is worth without any bias."""

OWN = "own:"
"""What a category of the user's own begins with, so that a misspelt name is not taken for a new one."""

_ALIASES = {"null": NEUTRAL, "occupation-bias": "occupation"}
_COLUMNS = ("category", "stereotype", "counterpart")
_CROWS_COLUMNS = {"bias_type": "category", "sent_more": "stereotype", "sent_less": "counterpart"}
_SHOWN = 8


def read_pairs(path: Path) -> pd.DataFrame:
    """A pair file with category, stereotype and counterpart, or with the columns of CrowS-Pairs."""
    table = read_table(path)
    if set(_CROWS_COLUMNS) <= set(table):
        table = table.rename(columns=_CROWS_COLUMNS)
        table["category"] = OWN + table["category"]
    else:
        table = read_table(path, _COLUMNS)
    table["category"] = [_category(row, path) for row in table.to_dict("records")]
    return _checked(table, path)


def read_neutral_pairs(path: Path) -> pd.DataFrame:
    """A file of pairs without a gendered difference: first and second."""
    table = read_table(path, ("first", "second"))
    table = table.rename(columns={"first": "stereotype", "second": "counterpart"})
    return _checked(table.assign(category=NEUTRAL), path)


def pair_notices(table: pd.DataFrame) -> tuple[str, ...]:
    """What the linter says of the pairs, a sentence per kind of finding with their number and names."""
    by_code: dict[str, list[str]] = {}
    for finding in pair_findings(table):
        by_code.setdefault(finding.code, []).append(finding.id)
    return tuple(
        f"linter, {code} ({CODES[code]}): {len(set(names))} of {len(table)} pairs, {_listed(names)}"
        for code, names in by_code.items()
    )


def pair_findings(table: pd.DataFrame) -> list[Finding]:
    """What the linter says of pairs that were read from a file."""
    columns = ["id", "stereotype", "counterpart"]
    if table["swapped"].ne("").all():
        columns.append("swapped")
    return _with_lines(lint_pairs(table[columns].reset_index(drop=True)), table)


def length_findings(table: pd.DataFrame, count_tokens: Callable[[str], int]) -> list[Finding]:
    """The pairs that a tokenizer cuts into different numbers of tokens."""
    columns = ["id", "stereotype", "counterpart"]
    return _with_lines(lint_lengths(table[columns].reset_index(drop=True), count_tokens), table)


def _with_lines(found: list[Finding], table: pd.DataFrame) -> list[Finding]:
    """Findings with the true line of each row, which the linter can only count."""
    lines = table[LINE].tolist()
    return [finding._replace(line=lines[finding.line - 2]) for finding in found]


def _checked(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The columns that are used, once every pair has a name of its own and two different sentences."""
    for column in ("id", "swapped", "occupation"):
        if column not in table:
            table[column] = ""
    unnamed = table["id"].str.strip().eq("")
    table.loc[unnamed, "id"] = "line " + table.loc[unnamed, LINE].astype(str)
    _refuse_repeated_names(table, path)
    for finding in pair_findings(table):
        if finding.code in ("empty", "no-difference"):
            raise UserError(
                f"{path}, line {finding.line}: {finding.message}.",
                "Give two sentences that differ in the words under test, or leave the pair out.",
            )
    return table[["id", *_COLUMNS, "swapped", "occupation", LINE]]


def _category(row: dict[str, Any], path: Path) -> str:
    given = str(row["category"]).strip()
    if given.startswith(OWN) and given != OWN:
        return given.removeprefix(OWN)
    name = given.lower().replace(" ", "-").replace("_", "-")
    name = _ALIASES.get(name, name)
    if name not in (*CATEGORIES, NEUTRAL):
        error = unknown_name("category", given, (*CATEGORIES, NEUTRAL))
        raise UserError(
            f"{path}, line {row[LINE]}: {error.message[0].lower()}{error.message[1:]}",
            f"{error.hint} Write {OWN}NAME for one of your own.",
        )
    return name


def _refuse_repeated_names(table: pd.DataFrame, path: Path) -> None:
    repeated = table[table["id"].duplicated()]
    if not repeated.empty:
        row = repeated.iloc[0]
        first = table.loc[table["id"] == row["id"], LINE].iloc[0]
        raise UserError(
            f"{path}, line {row[LINE]}: the pair {row['id']!r} stands already in line {first}.",
            "Give each pair an id of its own, or leave the column out.",
        )


def _listed(names: Iterable[str]) -> str:
    names = list(dict.fromkeys(names))
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
