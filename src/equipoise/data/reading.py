"""Reading tables and lists: what is wrong with a file is said with its name and line."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from equipoise.data.csv_text import UnclosedMark, csv_rows
from equipoise.errors import UserError
from equipoise.files import sha256

TABLES = Path(__file__).parent / "tables"
"""The tables written for this project."""

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
    for row in table.to_dict("records"):
        key = tuple(str(row[name]).strip() for name in columns)
        if key in seen:
            name = ", ".join(filter(None, key))
            raise UserError(
                f"{file}, line {row[LINE]}: {name!r} stands already in line {seen[key]}.",
                "Leave one of them out, or name them differently.",
            )
        seen[key] = row[LINE]


def read_percentage(cell: str, where: str) -> float:
    """A share in per cent, NaN for an empty cell; anything else is refused."""
    try:
        share = float(cell.strip() or "nan")
    except ValueError:
        share = -1.0
    if share < 0 or share > 100:
        raise UserError(
            f"{where}: {cell!r} is no percentage.", "Give a number from 0 to 100, or leave the cell empty."
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
                f"Write the names of columns in small letters. {expected}",
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
    paths = (path for path in sorted(TABLES.glob("*.csv")) if not path.name.startswith("published-"))
    texts = (path.read_text(encoding="utf-8").lower() for path in paths)
    return frozenset(token for text in texts for token in re.findall(r"[^\W\d_]+|[^\w\s]", text))
