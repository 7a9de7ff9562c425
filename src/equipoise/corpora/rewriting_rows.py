"""Rows of a text file while they are rewritten: split into records, opened, and closed again.

A record keeps its raw text, so that whatever is not the rewritten column stays byte for byte.
"""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from equipoise.corpora.formats import Line, json_elements, lines_of_rows, raw_problem
from equipoise.corpora.reading import text_problem
from equipoise.data.csv_text import UNCLOSED, delimiter_of, field_like, field_spans, field_value
from equipoise.errors import UserError

BOM = "\ufeff"
TWINS = ("twin", "copy")
"""The columns by which both versions of an augmented text are known."""

LONGEST_PARAGRAPH = 200
"""Lines that may be joined into one document of a plain text."""

_GOES_ON = re.compile(rb"[\w,\-\x80-\xff](?:\s*)$")
_WRAPPED = 40
"""A line this long that ends inside a sentence goes on in the next one."""


_ONE_LINE = re.compile(r"\s*\n\s*")
"""A line end inside an element of a JSON array: within a string it would be escaped."""


class RawRow(NamedTuple):
    """One row as it stands in the file, with the number of its first line, or why it cannot be read."""

    line: int
    raw: str
    problem: str = ""


class BadRow(NamedTuple):
    """A row that could not be read as it was, and what was done with it."""

    line: int
    message: str


class BadRowError(Exception):
    """A row that has no text to rewrite."""


def records(file: BinaryIO, table: "RowEditor", *, line: int = 1) -> Iterator[RawRow]:
    """The records from here on, with bytes that are not UTF-8 escaped."""
    if table.kind == "json":
        for row, (element, problem) in enumerate(json_elements(file), start=1):
            if row >= line:
                yield RawRow(row, f"{_ONE_LINE.sub(' ', element)}\n", problem)
        return
    for texts in _rows_of_csv(file, table.delimiter) if table.kind == "csv" else _rows(file, table.kind):
        yield RawRow(line, "".join(texts))
        line += len(texts)


def _rows_of_csv(file: BinaryIO, delimiter: str) -> Iterator[list[str]]:
    lines = (Line(_decoded(raw), 0, 0) for raw in file)
    for rows in lines_of_rows(lines, delimiter):
        yield [line.text for line in rows]


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _rows(file: BinaryIO, kind: str) -> Iterator[list[str]]:
    held: list[str] = []
    for raw in file:
        held.append(_decoded(raw))
        if kind != "txt" or len(held) >= LONGEST_PARAGRAPH or not _is_wrapped(raw):
            yield held
            held = []
    if held:
        yield held


def _is_wrapped(raw: bytes) -> bool:
    """Whether a sentence of a plain text goes on in the next line."""
    return len(raw) > _WRAPPED and _GOES_ON.search(raw[-8:]) is not None


class RowEditor:
    """How the records of one file are opened and closed: its format and the place of its text.

    `added` are columns that will be written beside those of the file, which must not have them yet.
    """

    def __init__(self, kind: str, column: str, header: str = "", *, added: Sequence[str] = ()) -> None:
        self.kind = kind
        self.added = added
        self.column = column
        self.delimiter = "\t" if kind == "tsv" else delimiter_of(header)
        self.columns = self._parse(header.removeprefix(BOM)) if kind in ("csv", "tsv") else []
        if kind in ("csv", "tsv") and column not in self.columns:
            raise UserError(
                f"There is no column {column!r}; the file has {', '.join(self.columns) or 'no columns'}.",
                "Name the column that holds the text with --text.",
            )

        self._refuse_added(self.columns)

    def is_blank(self, raw: str) -> bool:
        """Whether a record is a blank line between rows."""
        return self.kind != "txt" and not raw.strip()

    def text_of(self, record: RawRow) -> str:
        """The text of a record."""
        raw = record.raw
        if problem := record.problem or raw_problem(raw):
            raise BadRowError(problem)
        text = raw if self.kind == "txt" else self._text(raw)
        if self.kind != "txt" and text.strip() and (problem := text_problem(text)):
            raise BadRowError(problem)
        return text

    def _text(self, raw: str) -> str:
        if self.kind in ("json", "jsonl"):
            return self._json_text(raw)
        row = self._parse(raw)
        if not row:
            raise BadRowError(UNCLOSED)
        if len(row) != len(self.columns):
            raise BadRowError(f"{len(row)} columns where {len(self.columns)} are expected")
        return row[self.columns.index(self.column)]

    def with_text(self, raw: str, old: str, new: str) -> str:
        """The record with another text and everything else as it was."""
        if self.kind == "txt":
            return new
        if old == new:
            return raw
        return self._json_with(raw, new) if self.kind in ("json", "jsonl") else self._row_with(raw, new)

    def with_twin(self, raw: str, twin: str, copy: int) -> str:
        """The record with the id that it shares with its twin, and which of both it is."""
        body = raw.rstrip("\r\n")
        end = raw[len(body) :] or "\n"
        if self.kind in ("json", "jsonl"):
            inside = body.rstrip()[:-1].rstrip()
            comma = "" if inside.endswith("{") else ", "
            return f'{inside}{comma}"twin": "{twin}", "copy": {copy}}}{end}'
        return raw if self.kind == "txt" else f"{body}{self.delimiter}{twin}{self.delimiter}{copy}{end}"

    def _parse(self, raw: str) -> list[str]:
        """The fields of a row; none if a quotation mark is not closed."""
        body = raw.rstrip("\r\n")
        if self.kind == "tsv":
            return body.split("\t")
        spans = field_spans(body, self.delimiter)
        return [field_value(body[start:end], self.delimiter) for start, end in spans]

    def _row_with(self, raw: str, new: str) -> str:
        """Only the text's own field is written anew: others keep their quotation marks."""
        body, place = raw.rstrip("\r\n"), self.columns.index(self.column)
        if self.kind == "tsv":
            row = body.split("\t")
            row[place] = new
            return "\t".join(row) + raw[len(body) :]
        start, end = field_spans(body, self.delimiter)[place]
        return raw[:start] + field_like(raw[start:end], new) + raw[end:]

    def _json_text(self, raw: str) -> str:
        try:
            row = json.loads(raw.removeprefix(BOM))
        except (ValueError, RecursionError) as error:
            raise BadRowError(f"not JSON ({error})") from error
        if not isinstance(row, dict) or not isinstance(row.get(self.column), str):
            raise BadRowError(f"no text in {self.column!r}")
        self._refuse_added(row)
        return str(row[self.column])

    def _refuse_added(self, columns: Collection[str]) -> None:
        taken = [name for name in self.added if name in columns]
        if taken:
            raise UserError(
                f"There is a column {taken[0]!r} already, as in a file that was augmented before.",
                "Give the text as it was before, or rename the column.",
            )

    def _json_with(self, raw: str, new: str) -> str:
        """Only the text's own string literal is replaced: other fields and numbers keep their form."""
        start, end = _span_of_value(raw, self.column)
        plain = raw[start:end].isascii()
        return raw[:start] + json.dumps(new, ensure_ascii=plain) + raw[end:]


_DECODER = json.JSONDecoder()
_BEFORE = re.compile("[\\s,:]*")


def _span_of_value(raw: str, key: str) -> tuple[int, int]:
    """Where the value of a key of a JSON object stands; of a key given twice, the last, as it is read."""
    span, place = (0, 0), _skip(raw, raw.index("{") + 1)
    while raw[place] != "}":
        name, place = _DECODER.raw_decode(raw, place)
        start = _skip(raw, place)
        _, place = _DECODER.raw_decode(raw, start)
        if name == key:
            span = (start, place)
        place = _skip(raw, place)
    return span


def _skip(raw: str, place: int) -> int:
    """Return the next position of a key, a value or the end of the object."""
    return _BEFORE.match(raw, place).end()  # type: ignore[union-attr]
