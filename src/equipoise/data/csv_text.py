"""The grammar of CSV: rows, where a row ends, single fields, and cells that a spreadsheet would run."""

import csv
import io
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from equipoise.errors import visible

if TYPE_CHECKING:
    import pandas as pd

LONGEST_CELL = 2**31 - 1
"""Characters; the csv module refuses cells of more than 131,072 unless it is told otherwise."""

Row = tuple[int, list[str]]
"""The line on which a row began, and its fields."""


class UnclosedMark(csv.Error):
    """A quotation mark that opens a field and is never closed: its line (from 1) and field (from 0)."""

    def __init__(self, line: int, field: int) -> None:
        super().__init__(f"line {line}, field {field + 1}")
        self.line = line
        self.field = field


def allow_long_cells() -> None:
    """Lift the csv module's limit on the length of a cell, which holds for the whole process."""
    csv.field_size_limit(LONGEST_CELL)


def csv_rows(text: str, delimiter: str, *, quoted: bool = True) -> Iterator[Row]:
    """Every row of a CSV text, the header included; `UnclosedMark` where a quoted field has no end."""
    allow_long_cells()
    lines = io.StringIO(text).readlines()
    unread, line = iter(lines), 0
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    while line < len(lines):
        first = line
        reader = csv.reader(unread, delimiter=delimiter, quoting=quoting, strict=True)  # type: ignore[arg-type]
        try:
            for fields in reader:
                yield line + 1, fields
                line = first + reader.line_num
        except csv.Error:
            after = first + reader.line_num
            yield line + 1, lenient_row("".join(lines[line:after]), delimiter, line + 1)
            line = after


def lenient_row(text: str, delimiter: str, line: int = 1) -> list[str]:
    """The fields of one row, where text may follow a closing mark on its line, as in `"so" he said`.

    `line` is that of the row, for the error. Over several lines such a mark more likely belongs to a later
    field, so that the first one is not closed.
    """
    fields, place = list[str](), 0
    while True:
        field = _field(delimiter).match(text, place)
        inside = field["inside"] if field else None
        if field is None and text[place] != '"':
            raise csv.Error("a line end within a field")
        if field is None or (inside and "\n" in inside and field["rest"]):
            raise UnclosedMark(line + text.count("\n", 0, place), len(fields))
        fields.append(field["plain"] if inside is None else inside.replace('""', '"') + field["rest"])
        if field["end"] != delimiter:
            return fields
        place = field.end()


@cache
def _field(delimiter: str) -> re.Pattern[str]:
    other = rf"[^{delimiter}\r\n]*"
    quoted = rf'"(?P<inside>[^"]*(?:""[^"]*)*)"(?!")(?P<rest>{other})'
    return re.compile(rf'(?:{quoted}|(?!")(?P<plain>{other}))(?P<end>{delimiter}|\r?\n|\Z)')


UNCLOSED = "a quotation mark that is not closed"

Ending = Literal["closed", "open", "broken"]
"""A row at the end of a line: whole, inside quotation marks, or with a mark in the middle of a field."""

_FIELD = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"(?!")([^,]*)|(?!")[^,]*)(,|\Z)')
_INSIDE = re.compile(r'[^"]*(?:""[^"]*)*')
_NEEDS_MARKS = re.compile('[",;\r\n]')


def row_ending(line: str, delimiter: str = ",", *, inside: bool) -> Ending:
    """How a row stands after one more line, which begins inside quotation marks or not."""
    body = line.rstrip("\r\n")
    place = 0
    if inside:
        place = _INSIDE.match(body).end() + 1  # type: ignore[union-attr]
        if place > len(body):
            return "open"
        if place == len(body):
            return "closed"
        if body[place] != delimiter:
            return "broken"
        place += 1
    elif '"' not in body:
        return "closed"
    while field := _raw_field(delimiter).match(body, place):
        if not field[3]:
            return "closed"
        place = field.end()
    return "open"


@cache
def _raw_field(delimiter: str) -> re.Pattern[str]:
    return re.compile(_FIELD.pattern.replace(",", delimiter))


def delimiter_of(header: str) -> str:
    """The mark between the fields of a CSV file, by its header: a comma or a semicolon."""
    return ";" if header.count(";") > header.count(",") else ","


def field_spans(row: str, delimiter: str = ",") -> list[tuple[int, int]]:
    """Where each field of a row begins and ends, with its quotation marks; none if one is not closed."""
    spans, place = [], 0
    while field := _raw_field(delimiter).match(row, place):
        spans.append((place, field.start(3)))
        if not field[3]:
            return spans
        place = field.end()
    return []


def field_value(field: str, delimiter: str = ",") -> str:
    """What a field says, without its quotation marks."""
    if not field.startswith('"'):
        return field
    parts = _raw_field(delimiter).fullmatch(field)
    return parts[1].replace('""', '"') + parts[2] if parts else field


def field_like(old: str, value: str) -> str:
    """A field with another value, in quotation marks if it was, or if it has to be."""
    if not old.startswith('"') and not _NEEDS_MARKS.search(value):
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'


_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?")


def disarmed(cell: Any) -> Any:
    """A cell that no spreadsheet runs: a text that begins like a formula gets an apostrophe before it."""
    if not isinstance(cell, str) or not _FORMULA.match(cell) or _NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def armed(cell: str) -> str:
    """The text that `disarmed` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def spreadsheet_safe(cell: Any) -> Any:
    """A cell of an export: what a spreadsheet would run, or a terminal obey, is disarmed."""
    return visible(disarmed(cell)) if isinstance(cell, str) else cell


def as_csv(table: "pd.DataFrame") -> str:
    """A table as CSV for people and their spreadsheets."""
    texts = table.select_dtypes(exclude="number").columns
    safe = table.assign(**{str(name): table[name].map(spreadsheet_safe) for name in texts})
    written: str = safe.to_csv(index=False, lineterminator="\n")
    return written
