"""Rows of CSV and TSV files, by the standard library: a bad row is one problem, and the rest goes on.

Readers that take a file as a whole refuse all of it for one bad row.
"""

import csv
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from equipoise.corpora.csv_fields import UNCLOSED
from equipoise.corpora.documents import Position
from equipoise.corpora.formats import Record
from equipoise.corpora.lines import LONGEST, Line, read_lines
from equipoise.data.csv_text import UnclosedMark, allow_long_cells, lenient_row


def csv_records(path: Path, start: Position, delimiter: str) -> Iterator[Record]:
    """A record for each row; a quotation mark that is never closed costs its own line only."""
    allow_long_cells()
    lines = read_lines(path, Position())
    first = next(lines, None)
    if first is None:
        return
    problem, header = first.problem, list[str]()
    try:
        header = [name.strip() for name in lenient_row(first.text, delimiter)]
    except csv.Error as error:
        problem = _reason(error)
    if problem:
        yield Record({}, 1, Position(start.file, first.after, 1), f"the header: {problem}")
        return
    if start.offset:
        lines = read_lines(path, start)
    yield from _Rows(lines, delimiter=delimiter, header=header, file=start.file)


def _reason(error: csv.Error) -> str:
    return UNCLOSED if isinstance(error, UnclosedMark) else f"not CSV: {error}"


class _Rows:
    """CSV rows over lines that can be pushed back."""

    def __init__(self, lines: Iterator[Line], *, delimiter: str, header: list[str], file: int) -> None:
        self.lines = lines
        self.delimiter = delimiter
        self.header = header
        self.file = file
        self.waiting: deque[Line] = deque()
        self.taken: list[Line] = []
        self.ran_out = False

    def __iter__(self) -> Iterator[Record]:
        while (line := self._next_line()) is not None:
            self.taken = [line]
            record = self._row(line)
            if record is not None:
                yield record

    def _next_line(self) -> Line | None:
        return self.waiting.popleft() if self.waiting else next(self.lines, None)

    def _row(self, line: Line) -> Record | None:
        if line.problem:
            return self._refused(line.problem)
        try:
            fields = self._fields(line)
        except csv.Error as error:
            return self._refused(UNCLOSED if self.ran_out or len(self.taken) > 1 else _reason(error))
        if not any(fields):
            return None if len(self.taken) == 1 else self._refused("an empty row")
        if len(fields) != len(self.header):
            return self._refused("more or fewer fields than the header")
        return Record(dict(zip(self.header, fields, strict=True)), line.number, self._after())

    def _fields(self, line: Line) -> list[str]:
        """The fields of a row; what follows a closing mark is read leniently only within one line."""
        try:
            return next(csv.reader(self._texts(line), delimiter=self.delimiter, strict=True), [])
        except csv.Error:
            if self.ran_out or len(self.taken) > 1:
                raise
            return lenient_row(line.text, self.delimiter)

    def _texts(self, line: Line) -> Iterator[str]:
        """The lines of one row, remembered for a second try; a row ends at a line that cannot be read."""
        self.ran_out = False
        size = len(line.text)
        yield line.text
        while (more := self._next_line()) is not None:
            self.taken.append(more)
            size += len(more.text)
            if more.problem or size > LONGEST:
                break
            yield more.text
        self.ran_out = True

    def _refused(self, reason: str) -> Record:
        """The first line is a problem; the others are tried again as rows of their own."""
        first = self.taken[0]
        self.waiting.extendleft(reversed(self.taken[1:]))
        self.taken = [first]
        return Record({}, first.number, self._after(), reason)

    def _after(self) -> Position:
        return Position(self.file, self.taken[-1].after, self.taken[-1].number)
