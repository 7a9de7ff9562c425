"""Records of plain text, JSON lines and parquet files; those of CSV have a module of their own."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from equipoise.corpora.documents import Position
from equipoise.corpora.lines import LONGEST, NOT_UTF8, TOO_LONG, Line, read_lines
from equipoise.errors import UserError
from equipoise.text.sentences import sentence_spans

SUFFIXES = {
    ".txt": "text",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
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
    size = path.stat().st_size
    if start.offset >= size:
        return
    after = Position(start.file, size, 1)
    if size > LONGEST:
        yield Record({}, 1, after, TOO_LONG)
        return
    try:
        yield Record({TEXT: path.read_bytes().decode("utf-8-sig")}, 1, after)
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
    """Why a file is no parquet file; empty if it is one."""
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
            "Install it with: pip install 'equipoise[parquet]'",
        ) from error
    return ParquetFile(path)
