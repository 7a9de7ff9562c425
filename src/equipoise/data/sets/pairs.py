"""Sentence pairs from a file: a stereotype and its counterpart, checked line by line."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from equipoise.data.lint import CODES, Finding, lint_lengths, lint_pairs, lint_spelling, shown_names
from equipoise.data.reading import (
    LINE,
    TABLES,
    File,
    name_rows,
    read_table,
    refuse_repeats,
    row_error,
    with_columns,
)
from equipoise.data.sets import ItemSet
from equipoise.data.sets.frames import language_of
from equipoise.data.sources import Source
from equipoise.errors import UserError, unknown_name

CATEGORIES = ("occupation", "benevolent-sexism", "hostile-sexism")
NEUTRAL = "neutral"
"""The category of pairs that differ in no gendered word: what a difference is worth without any bias."""

OWN = "own:"
"""What a category of the user's own begins with, so that a misspelt name is not taken for a new one."""

PAIR = "pair"
"""The part of the pairs under test, beside which the neutral ones stand."""

CROWS = "crows-pairs"
NEUTRAL_FILE = TABLES / "neutral-pairs.csv"
_ALIASES = {"null": NEUTRAL, "occupation-bias": "occupation"}
_COLUMNS = ("category", "stereotype", "counterpart")
_SIDES = ["id", "stereotype", "counterpart"]
_CROWS_COLUMNS = {"bias_type": "category", "sent_more": "stereotype", "sent_less": "counterpart"}


def load_pairs(source: Source, *, with_neutral: bool = True) -> ItemSet:
    """The pairs with neutral ones beside them, which `part` tells apart; `with_neutral` adds ours to them.

    `cluster` is the file's own, such as the document that a pair is from, else the profession.
    """
    path, pairs, notices = _gender_pairs(source) if source.name == CROWS else _all_pairs(source)
    notices += pair_notices(pairs)
    is_neutral = pairs["category"].eq(NEUTRAL)
    if is_neutral.all():
        raise UserError(
            f"{path} holds neutral pairs only.", "Add pairs with a stereotype and its counterpart."
        )
    files: tuple[File, ...] = (path,)
    if not with_neutral:
        pairs = pairs[~is_neutral].reset_index(drop=True)
    elif not is_neutral.any():
        shipped = read_neutral_pairs(NEUTRAL_FILE)
        pairs = pd.concat([pairs, shipped.assign(id="neutral " + shipped["id"])], ignore_index=True)
        files = (path, NEUTRAL_FILE)
        if not source.is_dataset or source.name == CROWS:
            notices += (
                f"added: {len(shipped)} shipped pairs without a gendered difference, a yardstick for ASLD; "
                f"--no-neutral-pairs leaves them out, and pairs of your own with the category {NEUTRAL} "
                "replace them",
            )
    table = pairs.rename(columns={"id": "item"}).assign(
        part=pairs["category"].eq(NEUTRAL).map({True: NEUTRAL, False: PAIR}),
        cluster=_clusters(pairs),
        language=[language_of(source, given) for given in pairs["language"]],
        dropped="",
    )
    return ItemSet(table, files, notices)


def _clusters(pairs: pd.DataFrame) -> pd.Series:
    named = pairs["cluster"].where(pairs["cluster"] != "", pairs["profession"])
    return named.where(named != "", pairs["id"])


def sampled_pairs(source: Source, count: int, seed: int = 0) -> pd.DataFrame:
    """At most so many pairs of each category, the neutral ones included, drawn by the seed."""
    table = load_pairs(source).table.rename(columns={"item": "id"})
    drawn = table.groupby("category", group_keys=False)[table.columns.tolist()].apply(
        lambda rows: rows.sample(min(count, len(rows)), random_state=seed).sort_index()
    )
    is_own = ~drawn["category"].isin((*CATEGORIES, NEUTRAL))
    drawn["category"] = drawn["category"].where(~is_own, OWN + drawn["category"])
    return drawn.sort_index()[["id", *_COLUMNS, "swapped", "profession", "cluster"]].reset_index(drop=True)


def read_pairs(path: File) -> pd.DataFrame:
    """A pair file with category, stereotype and counterpart, or with the columns of CrowS-Pairs."""
    table = read_table(path)
    if set(_CROWS_COLUMNS) <= set(table):
        table = table.rename(columns=_CROWS_COLUMNS)
        table["category"] = OWN + table["category"]
    else:
        table = read_table(path, _COLUMNS)
    table["category"] = [_category(row, path) for row in table.to_dict("records")]
    return _checked(table, path)


def read_neutral_pairs(path: File) -> pd.DataFrame:
    """A file of pairs without a gendered difference: first and second."""
    table = read_table(path, ("first", "second"))
    table = table.rename(columns={"first": "stereotype", "second": "counterpart"})
    return _checked(table.assign(category=NEUTRAL), path)


def pair_notices(table: pd.DataFrame) -> tuple[str, ...]:
    """What the linter says of the pairs, a sentence per kind of finding with their number and names."""
    by_code: dict[str, dict[str, None]] = {}
    for finding in pair_findings(table):
        by_code.setdefault(finding.code, {})[finding.id] = None
    return tuple(
        f"linter, {code} ({CODES[code]}): {len(names)} of {len(table)} pairs, {shown_names(list(names))}"
        for code, names in by_code.items()
    )


def pair_findings(table: pd.DataFrame) -> list[Finding]:
    """What the linter says of pairs that were read from a file."""
    columns = ["id", "stereotype", "counterpart"]
    if table["swapped"].ne("").all():
        columns.append("swapped")
    return _with_lines(lint_pairs(table[columns].reset_index(drop=True)), table)


def length_findings(table: pd.DataFrame, count_tokens: Callable[[str], int]) -> list[Finding]:
    """Return the pairs that a tokenizer splits into different numbers of tokens."""
    return _with_lines(lint_lengths(table[_SIDES].reset_index(drop=True), count_tokens), table)


def spelling_findings(table: pd.DataFrame, unknown_parts: Callable[[str], Sequence[str]]) -> list[Finding]:
    """The pairs that hold something a tokenizer cannot spell."""
    return _with_lines(lint_spelling(table[_SIDES].reset_index(drop=True), unknown_parts), table)


def _all_pairs(source: Source) -> tuple[File, pd.DataFrame, tuple[str, ...]]:
    path = source.file("pairs.csv")
    return path, read_pairs(path), ()


def _gender_pairs(source: Source) -> tuple[File, pd.DataFrame, tuple[str, ...]]:
    """The pairs of CrowS-Pairs about gender."""
    path = source.file("crows_pairs_anonymized.csv")
    everything = read_pairs(path)
    pairs = everything[everything["category"] == "gender"].reset_index(drop=True)
    left = len(everything) - len(pairs)
    return path, pairs, (f"left out: {left} of {len(everything)} pairs, of other bias types than gender",)


def _with_lines(findings: list[Finding], table: pd.DataFrame) -> list[Finding]:
    """Findings with the true line of each row, which the linter can only count."""
    lines = table[LINE].tolist()
    return [finding._replace(line=lines[finding.line - 2]) for finding in findings]


def _checked(table: pd.DataFrame, path: File) -> pd.DataFrame:
    """The columns that are used, once every pair has a name of its own and two different sentences."""
    table = name_rows(with_columns(table, ("swapped", "profession", "cluster", "language")))
    refuse_repeats(table, ("id",), path)
    for finding in pair_findings(table):
        if finding.code in ("empty", "no-difference"):
            raise UserError(
                f"{path}, line {finding.line}: {finding.message}.",
                "Give two sentences that differ in the words under test, or leave the pair out.",
            )
    return table[["id", *_COLUMNS, "swapped", "profession", "cluster", "language", LINE]]


def _category(row: dict[str, Any], path: File) -> str:
    given = str(row["category"]).strip()
    if given.startswith(OWN) and given != OWN:
        return given.removeprefix(OWN)
    name = given.lower().replace(" ", "-").replace("_", "-")
    name = _ALIASES.get(name, name)
    if name not in (*CATEGORIES, NEUTRAL):
        error = unknown_name("category", given, (*CATEGORIES, NEUTRAL))
        problem = error.message[0].lower() + error.message[1:-1]
        raise row_error(path, row, problem, f"{error.hint} Write {OWN}NAME for one of your own.")
    return name
