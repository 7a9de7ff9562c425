"""Rows of CSV text with the line each began on. A quotation mark that is never closed is an error."""

import csv
import io
import re
from collections.abc import Iterator
from functools import cache

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
