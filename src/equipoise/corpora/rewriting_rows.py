"""Rows of a text file while they are rewritten: split into records, opened, and closed again.

A record keeps its raw text, so that whatever is not the rewritten column stays byte for byte.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from equipoise.errors import UserError, unknown_name

FORMATS = {".txt": "txt", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
LONGEST_PARAGRAPH = 200
"""Lines that may be joined into one document of a plain text."""

_GOES_ON = re.compile(rb"[\w,\-\x80-\xff](?:\s*)$")
_WRAPPED = 40
"""A line this long that ends inside a sentence goes on in the next one."""


class Record(NamedTuple):
    """One row as it stands in the file, with the number of its first line."""

    line: int
    raw: str


class BadRow(NamedTuple):
    """A row that could not be read as it was, and what was done with it."""

    line: int
    message: str


class BadRowError(Exception):
    """A row that has no text to rewrite."""


def format_of(path: Path) -> str:
    """The format that the ending of a file name says."""
    if path.suffix.lower() in FORMATS:
        return FORMATS[path.suffix.lower()]
    raise unknown_name("format of text files", path.suffix or path.name, [*FORMATS, ".parquet"])


def records(file: BinaryIO, kind: str, *, line: int = 1) -> Iterator[Record]:
    """The records from here on; bytes that are not UTF-8 are carried along unchanged."""
    held: list[bytes] = []
    start = line
    for raw in file:
        held.append(raw)
        line += 1
        if not _is_open(held, kind):
            yield Record(start, b"".join(held).decode("utf-8", "surrogateescape"))
            held, start = [], line
    if held:
        yield Record(start, b"".join(held).decode("utf-8", "surrogateescape"))


def _is_open(held: list[bytes], kind: str) -> bool:
    """Whether the record goes on in the next line: inside quotes, or inside a wrapped sentence."""
    if kind == "csv":
        return sum(raw.count(b'"') for raw in held) % 2 == 1
    if kind != "txt" or len(held) >= LONGEST_PARAGRAPH:
        return False
    return len(held[-1]) > _WRAPPED and _GOES_ON.search(held[-1][-8:]) is not None


class Table:
    """How the records of one file are opened and closed: its format and the place of its text."""

    def __init__(self, kind: str, column: str, header: str = "") -> None:
        self.kind = kind
        self.column = column
        self.delimiter = "\t" if kind == "tsv" else ","
        self.columns = self._parse(header) if kind in ("csv", "tsv") else []
        if kind in ("csv", "tsv") and column not in self.columns:
            raise UserError(
                f"There is no column {column!r}; the file has {', '.join(self.columns) or 'no columns'}.",
                "Name the column that holds the text with --text-column.",
            )

    def text_of(self, raw: str) -> str:
        """The text of a record."""
        if self.kind == "txt":
            return raw
        if self.kind == "jsonl":
            return self._json_text(raw)
        row = self._parse(raw)
        if len(row) != len(self.columns):
            raise BadRowError(f"{len(row)} columns where {len(self.columns)} are expected")
        return row[self.columns.index(self.column)]

    def with_text(self, raw: str, old: str, new: str) -> str:
        """The record with another text and everything else as it was."""
        if self.kind == "txt":
            return new
        if old == new:
            return raw
        return self._json_with(raw, old, new) if self.kind == "jsonl" else self._row_with(raw, new)

    def with_twin(self, raw: str, twin: str, copy: int) -> str:
        """The record with the id that it shares with its twin, and which of both it is."""
        body = raw.rstrip("\r\n")
        end = raw[len(body) :] or "\n"
        if self.kind == "jsonl":
            inside = body.rstrip()[:-1].rstrip()
            comma = "" if inside.endswith("{") else ", "
            return f'{inside}{comma}"twin": "{twin}", "copy": {copy}}}{end}'
        return raw if self.kind == "txt" else f"{body}{self.delimiter}{twin}{self.delimiter}{copy}{end}"

    def _parse(self, raw: str) -> list[str]:
        if self.kind == "tsv":
            return raw.rstrip("\r\n").split("\t")
        text = io.StringIO(raw.lstrip("\ufeff"), newline="")
        return next(csv.reader(text, delimiter=self.delimiter), [])

    def _row_with(self, raw: str, new: str) -> str:
        row = self._parse(raw)
        row[self.columns.index(self.column)] = new
        body = raw.rstrip("\r\n")
        if self.kind == "tsv":
            return "\t".join(row) + raw[len(body) :]
        written = io.StringIO(newline="")
        csv.writer(written, delimiter=self.delimiter, lineterminator="").writerow(row)
        return written.getvalue() + raw[len(body) :]

    def _json_text(self, raw: str) -> str:
        try:
            row = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise BadRowError(f"not JSON ({error})") from error
        if not isinstance(row, dict) or not isinstance(row.get(self.column), str):
            raise BadRowError(f"no text in {self.column!r}")
        return str(row[self.column])

    def _json_with(self, raw: str, old: str, new: str) -> str:
        """Only the text's own string literal is replaced where it is found: numbers keep their form."""
        for plain in (False, True):
            written = json.dumps(old, ensure_ascii=plain)
            if raw.count(written) == 1:
                return raw.replace(written, json.dumps(new, ensure_ascii=plain))
        row = json.loads(raw)
        row[self.column] = new
        body = raw.rstrip("\r\n")
        return json.dumps(row, ensure_ascii=True) + raw[len(body) :]
