"""Records of plain text, JSON lines, CSV and parquet files: a bad row is one problem, the rest is read."""

import codecs
import csv
import json
import lzma
import re
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from equipoise.corpora.documents import Position
from equipoise.data.csv_text import (
    UNCLOSED,
    UnclosedMark,
    allow_long_cells,
    delimiter_of,
    lenient_row,
    row_ending,
)
from equipoise.errors import UserError
from equipoise.files import open_binary, unpacked_name
from equipoise.text.sentences import sentence_spans

LONGEST = 16 * 2**20
"""Bytes of the longest line, and of the longest document, that is read."""

TOO_LONG = f"longer than {LONGEST // 2**20} MB"
NOT_UTF8 = "bytes that are not UTF-8"
BINARY = "a binary file"
UTF16 = "a UTF-16 file: save it as UTF-8"
ZERO_BYTE = "a zero byte"
HALF_A_PAIR = "half a surrogate pair"
SNIFFED = 8192
_UNPACKING = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
_HALF = re.compile("[\ud800-\udfff]")
READ_AT_ONCE = 2**20


class Line(NamedTuple):
    """A line without its line end, or why it could not be read, and where the next one begins."""

    text: str
    number: int
    after: int
    problem: str = ""


def file_problem(path: Path) -> str:
    """Why a file is not text at all, judged by its first bytes; empty if it seems to be."""
    try:
        with open_binary(path) as file:
            head = file.read(SNIFFED)
    except _UNPACKING as error:
        return f"cannot be read: {getattr(error, 'strerror', None) or error}"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return UTF16
    return BINARY if b"\0" in head else ""


def read_lines(path: Path, start: Position) -> Iterator[Line]:
    """The lines from a position on."""
    with open_binary(path) as file:
        file.seek(start.offset)
        number, offset = start.line, start.offset
        while True:
            try:
                raw = file.readline(LONGEST)
            except _UNPACKING as error:
                yield Line("", number + 1, offset + 1, f"the rest cannot be unpacked: {error}")
                return
            if not raw:
                return
            number += 1
            offset += len(raw)
            if len(raw) == LONGEST and not raw.endswith(b"\n"):
                offset += _skip_line(file)
                yield Line("", number, offset, TOO_LONG)
            else:
                yield _decoded(raw, number, offset)


def _skip_line(file: BinaryIO) -> int:
    skipped = 0
    while raw := file.readline(READ_AT_ONCE):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped


def _decoded(raw: bytes, number: int, after: int) -> Line:
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        return Line("", number, after, NOT_UTF8)
    if "\0" in text:
        return Line("", number, after, ZERO_BYTE)
    return Line(text, number, after)


def raw_problem(raw: str) -> str:
    """Why a row, read with its bytes escaped, cannot be used; nothing if it can."""
    if not raw.isascii() and _HALF.search(raw):
        return NOT_UTF8
    return ZERO_BYTE if "\0" in raw else ""


SUFFIXES = {
    ".txt": "txt",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}
PACKED = ".gz, .bz2, .xz or .zip"


def format_of(path: Path) -> str:
    """The format that the ending of a file says, once it is unpacked; nothing for another kind of file."""
    return SUFFIXES.get(unpacked_name(path).suffix.lower(), "")


TEXT = "text"
"""The column a plain text file is said to have."""

Fields = Mapping[str, Any]


class Record(NamedTuple):
    """The fields of one row, or why there are none; its first line, and where the next row begins.

    `part` numbers the sentences of a line, where sentences are documents.
    """

    fields: Fields
    line: int
    after: Position
    problem: str = ""
    part: int = 1


def text_records(path: Path, start: Position, split: str) -> Iterator[Record]:
    """A record for each sentence, each line, each paragraph (between blank lines) or the whole file."""
    if split == "file":
        yield from _whole_file(path, start)
    elif split == "paragraph":
        yield from _paragraphs(path, start)
    elif split == "sentence":
        yield from _sentences(path, start)
    else:
        for line in read_lines(path, start):
            if line.text.strip() or line.problem:
                after = Position(start.file, line.after, line.number)
                yield Record({TEXT: line.text}, line.number, after, line.problem)


def _whole_file(path: Path, start: Position) -> Iterator[Record]:
    if start.offset:
        return
    with open_binary(path) as file:
        try:
            raw = file.read(LONGEST + 1)
        except _UNPACKING as error:
            yield Record({}, 1, Position(start.file, 1, 1), f"cannot be unpacked: {error}")
            return
    after = Position(start.file, max(len(raw), 1), 1)
    if len(raw) > LONGEST:
        yield Record({}, 1, after, TOO_LONG)
        return
    try:
        yield Record({TEXT: raw.decode("utf-8-sig")}, 1, after)
    except UnicodeDecodeError:
        yield Record({}, 1, after, NOT_UTF8)


def _sentences(path: Path, start: Position) -> Iterator[Record]:
    before = start
    for line in read_lines(path, start):
        after = Position(start.file, line.after, line.number)
        spans = sentence_spans(line.text)
        if line.problem:
            yield Record({}, line.number, after, line.problem)
        for part in range(before.part, len(spans)):
            begin, end = spans[part]
            position = before._replace(part=part + 1) if part + 1 < len(spans) else after
            yield Record({TEXT: line.text[begin:end]}, line.number, position, part=part + 1)
        before = after


def _paragraphs(path: Path, start: Position) -> Iterator[Record]:
    gathered: list[Line] = []
    size = 0
    for line in read_lines(path, start):
        size += len(line.text)
        if (line.text.strip() or line.problem) and size <= LONGEST:
            gathered.append(line)
        elif gathered:
            yield _paragraph([*gathered, line], start.file, TOO_LONG if size > LONGEST else "")
            gathered, size = [], 0
    if gathered:
        yield _paragraph(gathered, start.file, "")


def _paragraph(lines: list[Line], file: int, problem: str) -> Record:
    after = Position(file, lines[-1].after, lines[-1].number)
    wrong = next((line for line in lines if line.problem), None)
    if wrong is not None:
        return Record({}, wrong.number, after, wrong.problem)
    return Record({TEXT: "".join(line.text for line in lines)}, lines[0].number, after, problem)


def json_records(path: Path, start: Position) -> Iterator[Record]:
    """A record for each line that holds a JSON object."""
    for line in read_lines(path, start):
        after = Position(start.file, line.after, line.number)
        if line.problem:
            yield Record({}, line.number, after, line.problem)
        elif line.text.strip():
            fields = _json_object(line.text)
            yield Record(fields or {}, line.number, after, "" if fields is not None else "not a JSON object")


def array_records(path: Path, start: Position) -> Iterator[Record]:
    """A record for each object of a JSON array, or for each line where the file holds JSON lines."""
    with open_binary(path) as file:
        for row, (text, problem) in enumerate(json_elements(file), start=1):
            if row > start.offset:
                fields = None if problem else _json_object(text)
                wrong = problem or ("" if fields is not None else "not a JSON object")
                yield Record(fields or {}, row, Position(start.file, row, row), wrong)


def json_elements(file: BinaryIO) -> Iterator[tuple[str, str]]:
    """The text of each element of a JSON array, or of each line that is not blank; or why there is none."""
    held = file.read(READ_AT_ONCE)
    if not held.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        file.seek(0)
        for raw in file:
            if raw.strip():
                line = _decoded(raw, 1, 0)
                yield line.text.strip(), line.problem
        return
    text, decoder = "", codecs.getincrementaldecoder("utf-8-sig")()
    place, opened, more = 0, False, True
    while True:
        try:
            text += decoder.decode(held, final=not held)
        except UnicodeDecodeError:
            yield "", f"{NOT_UTF8}: the rest is not read"
            return
        more = bool(held)
        if not opened:
            place, opened = text.index("[") + 1, True
        while (begin := _BETWEEN.match(text, place).end()) < len(text) and text[begin] != "]":  # type: ignore[union-attr]
            try:
                _, place = _DECODER.raw_decode(text, begin)
            except (ValueError, RecursionError):
                if more and len(text) - begin <= LONGEST:
                    break
                yield "", "not JSON: the rest of the array is not read"
                return
            yield text[begin:place], ""
        else:
            if begin < len(text):
                return
        if not more:
            yield "", "the array has no end"
            return
        text, place = text[place:], 0
        held = file.read(READ_AT_ONCE)


_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,]*")


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def parquet_records(path: Path, start: Position) -> Iterator[Record]:
    """A record for each row of a parquet file, which needs the extra `parquet`."""
    rows = 0
    for batch in _parquet(path).iter_batches(batch_size=1024):
        first, rows = rows + 1, rows + batch.num_rows
        if rows > start.offset:
            for row, fields in enumerate(batch.to_pylist(), start=first):
                if row > start.offset:
                    yield Record(fields, row, Position(start.file, row, row))


def parquet_rows(path: Path) -> int:
    """How many rows a parquet file has."""
    return int(_parquet(path).metadata.num_rows)


def parquet_problem(path: Path) -> str:
    """Why a file is not a parquet file; empty if it is one."""
    try:
        _parquet(path)
    except (OSError, ValueError):
        return "not a parquet file"
    return ""


def _parquet(path: Path) -> Any:
    try:
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise UserError(
            f"{path} is a parquet file, which needs the package pyarrow.",
            "Install it with: pip install pyarrow",
        ) from error
    return ParquetFile(path)


def csv_records(path: Path, start: Position, delimiter: str) -> Iterator[Record]:
    """A record for each row; a quotation mark that is never closed costs its own line only."""
    allow_long_cells()
    lines = read_lines(path, Position())
    first = next(lines, None)
    if first is None:
        return
    delimiter = delimiter if delimiter != "," else delimiter_of(first.text)
    problem, header = first.problem, list[str]()
    try:
        header = [name.strip() for name in lenient_row(first.text, delimiter)]
    except csv.Error as error:
        problem = _reason(error)
    if problem:
        yield Record({}, 1, Position(start.file, first.after, 1), f"the header: {problem}")
        return
    waiting: deque[Line] = deque()
    for rows in lines_of_rows(read_lines(path, start) if start.offset else lines, delimiter, waiting):
        fields, problem = _fields(rows, delimiter)
        if not problem and not any(fields) and len(rows) == 1:
            continue
        if not problem and len(fields) != len(header):
            problem = "more or fewer fields than the header"
            # Perhaps a mark that was never closed swallowed good rows: they are tried again on their own.
            waiting.extendleft(reversed(rows[1:]))
            del rows[1:]
        after = Position(start.file, rows[-1].after, rows[-1].number)
        read = {} if problem else dict(zip(header, fields, strict=True))
        yield Record(read, rows[0].number, after, problem)


def _fields(rows: list[Line], delimiter: str) -> tuple[list[str], str]:
    """The fields of a row, or why they cannot be read."""
    if rows[0].problem:
        return [], rows[0].problem
    text = "".join(line.text for line in rows)
    if len(rows) == 1 and '"' not in text:
        return text.rstrip("\r\n").split(delimiter), ""
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True), []), ""
    except csv.Error:
        try:
            return lenient_row(text, delimiter), ""
        except csv.Error as error:
            return [], _reason(error)


def _reason(error: csv.Error) -> str:
    return UNCLOSED if isinstance(error, UnclosedMark) else f"not CSV: {error}"


def lines_of_rows(
    lines: Iterator[Line], delimiter: str = ",", waiting: deque[Line] | None = None
) -> Iterator[list[Line]]:
    """The lines of each CSV row; of a row that never ends only the first, and the others are tried again.

    A caller that refuses a row may put lines of it into `waiting`, from where they are read next.
    """
    waiting = deque() if waiting is None else waiting
    while (line := _next_line(waiting, lines)) is not None:
        rows, size = [line], len(line.text)
        ending = "closed" if line.problem else row_ending(line.text, delimiter, inside=False)
        while ending == "open" and size <= LONGEST and (more := _next_line(waiting, lines)) is not None:
            rows.append(more)
            size += len(more.text)
            ending = "broken" if more.problem else row_ending(more.text, delimiter, inside=True)
        if ending != "closed":
            waiting.extendleft(reversed(rows[1:]))
        yield rows if ending == "closed" else rows[:1]


def _next_line(waiting: deque[Line], lines: Iterator[Line]) -> Line | None:
    return waiting.popleft() if waiting else next(lines, None)
