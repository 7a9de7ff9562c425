"""Word vectors in binary files.

word2vec's files have a line of counts, then for each word its letters, a space and its numbers. A matrix in
an npy file has its words in another file: one a line, or the first column of a parquet file.
"""

import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from equipoise.errors import UserError
from equipoise.files import open_binary, replacing
from equipoise.models.questions import Vector
from equipoise.models.static.table import WordVectors

VOCABULARIES = (".txt", ".vocab", ".parquet")
_HINT = "Put the words beside it, one a line in the rows' order, as a file of the same name ending in .txt."


def read_array(path: Path) -> WordVectors:
    """The matrix of an npy file with the words of the file next to it."""
    matrix = _matrix(path)
    file = _vocabulary(path)
    words = _words(file)
    if len(words) != len(matrix):
        raise UserError(
            f"{path} has {len(matrix):,} rows and {file.name} {len(words):,} words.",
            "Give one word for each row, in the same order.",
        )
    return WordVectors(words, matrix)


def _matrix(path: Path) -> Vector:
    """The numbers, in memory: mapped on the file they would change with it after they were fingerprinted."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise UserError(
            f"{path} is not a complete npy file: {error}.", "Write or download it again."
        ) from error
    if array.ndim != 2 or array.dtype.kind != "f":
        raise UserError(
            f"{path} holds an array of {array.dtype} with {array.ndim} dimensions.",
            "Give a table of numbers, a row for each word.",
        )
    return array.astype(np.float32, copy=False)


def _vocabulary(path: Path) -> Path:
    """The file of the same name, or the only one of its kind in the folder."""
    same = [path.with_suffix(ending) for ending in VOCABULARIES if path.with_suffix(ending).is_file()]
    beside = [file for file in sorted(path.parent.iterdir()) if file.suffix in VOCABULARIES]
    if not same and len(beside) != 1:
        names = ", ".join(file.name for file in beside) or "none"
        raise UserError(f"{path} has no words; files that could hold them: {names}.", _HINT)
    return (same or beside)[0]


def _words(file: Path) -> list[str]:
    if file.suffix == ".parquet":
        return _parquet_words(file)
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text.", _HINT) from error
    return lines[:-1] if lines[-1] == "" else lines


def _parquet_words(file: Path) -> list[str]:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise UserError(
            f"{file} is a parquet file, and pyarrow is not installed.",
            "Install it with: pip install pyarrow.",
        ) from error
    words: list[str] = pyarrow.parquet.read_table(file).column(0).to_pylist()
    return words


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
