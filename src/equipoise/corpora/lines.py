"""Lines of a file in constant memory: what cannot be a line is a problem, and the next line goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from equipoise.corpora.documents import Position

LONGEST = 16 * 2**20
"""Bytes of the longest line, and of the longest document, that is read."""

TOO_LONG = f"longer than {LONGEST // 2**20} MB"
NOT_UTF8 = "bytes that are not UTF-8"
BINARY = "a binary file"
UTF16 = "a UTF-16 file: save it as UTF-8"
SNIFFED = 8192
SKIPPED_AT_ONCE = 2**20


class Line(NamedTuple):
    """A line without its end, or why it could not be read, and where the next one begins."""

    text: str
    number: int
    after: int
    problem: str = ""


def file_problem(path: Path) -> str:
    """Why a file is no text at all, judged by its first bytes; empty if it seems to be."""
    try:
        with path.open("rb") as file:
            head = file.read(SNIFFED)
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return UTF16
    return BINARY if b"\0" in head else ""


def read_lines(path: Path, start: Position) -> Iterator[Line]:
    """The lines from a position on."""
    with path.open("rb") as file:
        file.seek(start.offset)
        number, offset = start.line, start.offset
        while raw := file.readline(LONGEST):
            number += 1
            offset += len(raw)
            if len(raw) == LONGEST and not raw.endswith(b"\n"):
                offset += _skip_line(file)
                yield Line("", number, offset, TOO_LONG)
            else:
                yield _decoded(raw, number, offset)


def _skip_line(file: BinaryIO) -> int:
    skipped = 0
    while raw := file.readline(SKIPPED_AT_ONCE):
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
        return Line("", number, after, "a zero byte")
    return Line(text, number, after)
