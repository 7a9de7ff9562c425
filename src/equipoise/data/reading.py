"""Reading tables and lists: what is wrong with a file is said with its name and line."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.csv_text import UnclosedMark, csv_rows
from equipoise.errors import UserError, unknown_name
from equipoise.files import sha256

TABLES = Path(__file__).parent / "tables"
"""The tables written for this project."""

LANGUAGES = Path(__file__).parents[1] / "text" / "languages"
"""A folder for each language: its words, and the tables of the instruments that ask it."""

LANGUAGE_FILES = ("frames.csv", "nouns.csv", "fields.csv", "poles.csv")
"""The tables of a language whose words are asked."""

LINE = "line"
"""The column that says on which line of its file a row began."""

_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods")


class GivenTable:
    """A table in memory, read like a file: its rows are counted as if a header stood in line 1."""

    def __init__(self, frame: pd.DataFrame, name: str = "the given table") -> None:
        self.frame = frame
        self.name = name

    def __str__(self) -> str:
        return self.name


File = Path | GivenTable
"""What a reader of tables takes: a path, or a table in memory."""


def read_text(path: Path) -> str:
    """The text of a UTF-8 file that is not empty."""
    if path.suffix.lower() in _SPREADSHEETS:
        raise UserError(f"{path} is a spreadsheet, not text.", "Save it as CSV (UTF-8) and give that file.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 text (byte {error.start}).", "Save it as UTF-8 and try again."
        ) from error
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Give the path of a readable file.",
        ) from error
    if not text.strip():
        raise UserError(f"{path} is empty.", "Give a file with something in it.")
    return text


def read_lines(path: Path) -> list[str]:
    """The lines of a text file that are not blank."""
    return list(numbered_lines(path).values())


def numbered_lines(path: Path) -> dict[int, str]:
    """The lines of a text file that are not blank, by their number in the file."""
    lines = enumerate(read_text(path).splitlines(), start=1)
    return {number: line.strip() for number, line in lines if line.strip()}


def read_table(file: File, required: Iterable[str] = (), *, quoted: bool = True) -> pd.DataFrame:
    """A CSV or TSV file, or a table in memory, as text columns with the line each row began on."""
    if isinstance(file, GivenTable):
        return _from_memory(file, tuple(required))
    header: list[str] = []
    rows, begun = [], []
    try:
        for line, fields in csv_rows(read_text(file), delimiter_of(file), quoted=quoted):
            if not header:
                header = _named([name.strip() for name in fields])
                _check_header(header, tuple(required), file)
            elif any(field.strip() for field in fields):
                _check_width(fields, header, file, line)
                rows.append(fields)
                begun.append(line)
    except UnclosedMark as mark:
        raise _unclosed(mark, header, file) from mark
    if not rows:
        raise UserError(f"{file} has a header but no rows.", "Add at least one row.")
    return pd.DataFrame(rows, columns=header, dtype=str).assign(**{LINE: begun})


def delimiter_of(path: Path) -> str:
    """What separates the fields of a table, by the ending of its name."""
    return "\t" if path.suffix in (".tsv", ".tab") else ","


def _named(header: list[str]) -> list[str]:
    """The names of columns; of several without a name, each after the first is called by its place."""
    first = header.index("") if "" in header else 0
    return [name or ("" if place == first else f"column {place + 1}") for place, name in enumerate(header)]


def _unclosed(mark: UnclosedMark, header: Sequence[str], file: File) -> UserError:
    column = f'column "{header[mark.field]}"' if mark.field < len(header) else f"field {mark.field + 1}"
    return UserError(
        f"{file}, line {mark.line}: the quotation mark in {column} is never closed.",
        "Add the closing mark, or double it if it belongs to the text.",
    )


@dataclass(frozen=True, kw_only=True)
class Shape:
    """What a reader asks of a table: its columns, then of every row in the order of these fields."""

    required: Sequence[str]
    optional: Sequence[str] = ()
    """Columns that are added, empty, where a file lacks them."""
    named: bool = False
    """Whether a row without an `id` is called by its line."""
    filled: Sequence[str] = ()
    """Columns in which no cell is empty."""
    one_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What may stand in a column."""
    once: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By column the marks that a cell holds exactly once, each with the place where it is written."""
    unique: Sequence[str] = ()
    """Columns that together name a row."""


def read_rows(file: File, shape: Shape) -> pd.DataFrame:
    """A table whose rows are as the shape says; the first that is not is refused with its line."""
    table = with_columns(read_table(file, shape.required), shape.optional)
    table = name_rows(table) if shape.named else table
    check_rows(table, file, shape)
    return table


def check_rows(table: pd.DataFrame, file: File, shape: Shape) -> None:
    """Refuse the first row that is not as the shape says."""
    for row in table.to_dict("records"):
        for column in shape.filled:
            if not row[column].strip():
                raise row_error(file, row, f"no {column}", f"Fill in the column {column}.")
        for column, known in shape.one_of.items():
            if row[column] not in known:
                hint = unknown_name(column, row[column], known).hint
                raise row_error(file, row, f"the {column} {row[column]!r} does not exist", hint)
        for column, marks in shape.once.items():
            for mark, place in marks.items():
                count = row[column].count(mark)
                if count != 1:
                    problem = f"{count} times {mark} in {row[column]!r} where one is expected"
                    raise row_error(file, row, problem, f"Write {mark} once, {place}.")
    refuse_repeats(table, shape.unique, file)


def refuse_rows(
    table: pd.DataFrame, file: File, problem_of: Callable[[dict[str, Any]], str], hint: str
) -> None:
    """Refuse the first row of which there is a problem to tell."""
    for row in table.to_dict("records"):
        if problem := problem_of(row):
            raise row_error(file, row, problem, hint)


def lacking(text: str, marks: Iterable[str]) -> str:
    """Which marks a text does not hold, as a problem to tell; nothing where it holds all."""
    missing = [mark for mark in marks if mark not in text]
    return f"there is no {', no '.join(missing)}" if missing else ""


def row_error(file: File, row: Mapping[str, Any], problem: str, hint: str) -> UserError:
    """What is wrong with a row, after its file and line."""
    return UserError(f"{file}, line {row[LINE]}: {problem}.", hint)


def with_columns(table: pd.DataFrame, optional: Iterable[str]) -> pd.DataFrame:
    """The table with the optional columns that it lacks, empty."""
    return table.assign(**{name: "" for name in optional if name not in table})


def name_rows(table: pd.DataFrame, column: str = "id") -> pd.DataFrame:
    """The table with its line as the name of every row that has none; a name that stands twice is refused."""
    named = with_columns(table, (column,))
    unnamed = named[column].str.strip().eq("")
    return named.assign(**{column: named[column].where(~unnamed, "line " + named[LINE].astype(str))})


def refuse_repeats(table: pd.DataFrame, columns: Iterable[str], file: File) -> None:
    """Two rows of one name would be one item: the second is refused with its line."""
    seen: dict[tuple[str, ...], int] = {}
    for row in table.to_dict("records") if columns else ():
        key = tuple(str(row[name]).strip() for name in columns)
        if key in seen:
            problem = f"{', '.join(filter(None, key))!r} stands already in line {seen[key]}"
            raise row_error(file, row, problem, "Leave one of them out, or name them differently.")
        seen[key] = row[LINE]


def read_percentage(cell: str, where: str) -> float:
    """A share in per cent, NaN for an empty cell; anything else is refused."""
    try:
        share = float(cell.strip() or "nan")
    except ValueError:
        share = -1.0
    if share < 0 or share > 100:
        raise UserError(
            f"{where}: {cell!r} is not a percentage.", "Give a number from 0 to 100, or leave the cell empty."
        )
    return share


def _from_memory(given: GivenTable, required: Sequence[str]) -> pd.DataFrame:
    header = [str(name).strip() for name in given.frame.columns]
    _check_header(header, required, given)
    if given.frame.empty:
        raise UserError(f"{given} has no rows.", "Add at least one row.")
    cells = given.frame.astype(object).where(given.frame.notna(), "").map(str)
    cells.columns = pd.Index(header)
    return cells.reset_index(drop=True).assign(**{LINE: range(2, len(cells) + 2)})


def _check_header(header: Sequence[str], required: Sequence[str], file: File) -> None:
    repeated = [name for name, count in Counter(header).items() if name and count > 1]
    if repeated:
        raise UserError(
            f"{file} has the column {repeated[0]!r} more than once.", "Rename or remove one of them."
        )
    missing = [name for name in required if name not in header]
    if not missing:
        return
    expected = f"Expected columns: {', '.join(required)}."
    for mark, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(header) == 1 and mark in header[0]:
            raise UserError(
                f"{file} seems to be separated by {name}, so it has one column: {header[0]!r}.",
                f"Save it with commas, or with tabs as .tsv. {expected}",
            )
    lowered = {name.lower(): name for name in header}
    for name in missing:
        if name.lower() in lowered:
            raise UserError(
                f"{file} has the column {lowered[name.lower()]!r} where {name!r} is expected.",
                f"Write the names of columns in lower case. {expected}",
            )
    raise UserError(
        f"{file} has no column {', '.join(map(repr, missing))}; it has {', '.join(header)}.", expected
    )


def _check_width(fields: Sequence[str], header: Sequence[str], path: Path, line: int) -> None:
    if len(fields) != len(header):
        raise UserError(
            f"{path}, line {line}: {len(fields)} fields where the header has {len(header)}.",
            "Quote fields that contain the separator.",
        )


def own_table(name: str) -> pd.DataFrame:
    """A table that ships with the package."""
    return read_table(TABLES / name)


def file_sha256(file: File) -> str:
    """The SHA-256 of a file's bytes, or of a table in memory written as CSV."""
    if isinstance(file, GivenTable):
        return hashlib.sha256(file.frame.to_csv(index=False).encode()).hexdigest()
    return sha256(file)


@cache
def own_words() -> frozenset[str]:
    """Every word and mark of the shipped tables but those of published figures, in lower case."""
    ours = (path for path in TABLES.glob("*.csv") if not path.name.startswith("published-"))
    paths = [*ours, *(path for name in LANGUAGE_FILES for path in LANGUAGES.glob(f"*/{name}"))]
    texts = (path.read_text(encoding="utf-8").lower() for path in paths)
    return frozenset(token for text in texts for token in re.findall(r"[^\W\d_]+|[^\w\s]", text))
