"""word2vec's binary files: a line of counts, then for each word its letters, a space and its numbers."""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from equipoise.errors import UserError
from equipoise.files import open_binary, replacing
from equipoise.models.static.table import WordVectors

Buffer = bytes | mmap.mmap
LET_GO = 20_000
"""Words after which the part of the file that was read is given back, so that it is not held twice."""


def read_binary(path: Path) -> WordVectors:
    """The vectors of a word2vec binary file."""
    with _opened(path) as buffer:
        count, width, at = _counts(buffer, path)
        size = 4 * width
        words: list[str] = []
        matrix = np.empty((count, width), dtype=np.float32)
        for row in range(count):
            end = buffer.find(b" ", at)
            if end < 0 or end + 1 + size > len(buffer):
                raise UserError(
                    f"{path} ends after {row:,} of {count:,} words: it was cut short.",
                    "Copy or download the file again.",
                )
            words.append(buffer[at:end].lstrip(b"\n").decode("utf-8", errors="replace"))
            matrix[row] = np.frombuffer(buffer, dtype="<f4", count=width, offset=end + 1)
            at = end + 1 + size
            if row % LET_GO == 0:
                _let_go(buffer, at)
    return WordVectors(words, matrix)


def _let_go(buffer: Buffer, at: int) -> None:
    if isinstance(buffer, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        whole_pages = at // mmap.PAGESIZE * mmap.PAGESIZE
        if whole_pages:
            buffer.madvise(mmap.MADV_DONTNEED, 0, whole_pages)


@contextmanager
def _opened(path: Path) -> Iterator[Buffer]:
    """The file's bytes, without a copy of them unless they are packed."""
    if path.stat().st_size == 0:
        raise UserError(f"{path} is empty.", "Copy or download the file again.")
    if path.suffix == ".gz":
        with open_binary(path) as packed:
            yield packed.read()
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        yield mapped


def _counts(buffer: Buffer, path: Path) -> tuple[int, int, int]:
    """How many words, how many numbers each, and where they begin; refused before memory is taken."""
    end = buffer.find(b"\n")
    try:
        count, width = (int(field) for field in buffer[: max(end, 0)].split())
    except ValueError as error:
        raise UserError(
            f"{path} does not begin with the counts of a word2vec binary file.",
            "Name a text file .vec or .txt.",
        ) from error
    least = end + 1 + count * (4 * width + 2)
    if count < 1 or width < 1 or least > len(buffer):
        raise UserError(
            f"{path} promises {count:,} words of {width} numbers, at least {least:,} bytes, and has "
            f"{len(buffer):,}: it was cut short.",
            "Copy or download the file again.",
        )
    return count, width, end + 1


def write_binary(vectors: WordVectors, path: Path) -> None:
    """Write vectors as a word2vec binary file, beside first and then in its place."""
    with replacing(path) as file:
        file.write(f"{len(vectors.words)} {vectors.matrix.shape[1]}\n".encode())
        for word, vector in zip(vectors.words, vectors.matrix, strict=True):
            file.write(word.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")
