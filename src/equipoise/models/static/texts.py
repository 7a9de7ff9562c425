"""Text files of word vectors: a word and its numbers on each line, perhaps behind a line of counts.

The file is read in blocks that end with a line. pandas' parser turns a block into numbers outside Python's
lock, so that two threads work side by side; a block that it cannot make sense of is read again line by line,
which knows words with spaces in them and names the line that is wrong.
"""

import io
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from equipoise.errors import UserError
from equipoise.files import open_binary
from equipoise.models.questions import Vector
from equipoise.models.static.table import WordVectors

BLOCK = 1 << 20
"""Bytes read at once: what is made of them stays near the processor."""

THREADS = 2
_HINT = "Each line is a word and its vector, separated by single spaces."


class _Block(NamedTuple):
    """Whole lines of a file, and the number of the first."""

    text: bytes
    line: int


def read_text_vectors(path: Path) -> WordVectors:
    """The vectors of a GloVe or word2vec text file."""
    with open_binary(path) as file:
        first = file.readline()
        is_header = len(first.split()) == 2
        width = len((file.readline() if is_header else first).split()) - 1
        file.seek(0)
        if is_header:
            file.readline()
        words: list[str] = []
        parts: list[Vector] = []
        with ThreadPoolExecutor(THREADS) as pool:
            for part in _in_order(pool, _blocks(file, 2 if is_header else 1), path, width):
                words += part.words
                parts.append(part.matrix)
    return WordVectors(words, _joined(parts, width))


def _blocks(file: BinaryIO, line: int) -> Iterator[_Block]:
    """The file in blocks of whole lines."""
    rest = b""
    while read := file.read(BLOCK):
        cut = read.rfind(b"\n") + 1
        if cut:
            yield _Block(rest + read[:cut], line)
            line += rest.count(b"\n") + read.count(b"\n", 0, cut)
            rest = b""
        rest += read[cut:]
    if rest:
        yield _Block(rest + b"\n", line)


def _in_order(
    pool: ThreadPoolExecutor, blocks: Iterator[_Block], path: Path, width: int
) -> Iterator[WordVectors]:
    """What each block holds, in the file's order; no more blocks are under way than there are threads."""
    waiting = []
    for block in chain(blocks, [None] * THREADS):
        if block is not None:
            waiting.append(pool.submit(_parsed, block, path, width))
        if waiting and (block is None or len(waiting) > THREADS):
            yield waiting.pop(0).result()
    while waiting:
        yield waiting.pop(0).result()


def _parsed(block: _Block, path: Path, width: int) -> WordVectors:
    """The words and numbers of a block."""
    import pandas as pd

    try:
        words = _first_words(block.text)
        numbers = pd.read_csv(
            io.BytesIO(block.text),
            sep=" ",
            header=None,
            names=range(width + 1),
            usecols=range(1, width + 1),
            index_col=False,
            quoting=3,
            na_filter=False,
            dtype=np.float32,
            skip_blank_lines=False,
            low_memory=False,
            on_bad_lines="error",
        ).to_numpy(dtype=np.float32)
    except ValueError:  # pandas' parser errors are ValueErrors, and so is text that is not UTF-8
        return _line_by_line(block, path, width)
    if numbers.shape != (len(words), width) or not np.isfinite(numbers.sum()):
        return _line_by_line(block, path, width)
    return WordVectors(words, numbers)


def _first_words(text: bytes) -> list[str]:
    """What stands before the first space of every line."""
    ends = (np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == ord("\n")) + 1).tolist()
    starts = [0, *ends[:-1]]
    return [
        text[start : text.find(b" ", start, end)].decode() for start, end in zip(starts, ends, strict=True)
    ]


def _line_by_line(block: _Block, path: Path, width: int) -> WordVectors:
    """The same slowly: a word may hold spaces, and the line that is wrong is named."""
    words, vectors = [], []
    for number, line in enumerate(_lines(block, path), start=block.line):
        if not line.strip():
            continue
        fields = line.rstrip(" \r").split(" ")
        if len(fields) <= width:
            raise UserError(
                f"{path}, line {number}: {len(fields) - 1} numbers where {width} are expected.", _HINT
            )
        words.append(" ".join(fields[:-width]))
        try:
            vectors.append(np.array(fields[-width:], dtype=np.float32))
        except ValueError as error:
            raise UserError(f"{path}, line {number}: {error}.", _HINT) from error
    return WordVectors(words, _joined([np.array(vectors, dtype=np.float32)] if vectors else [], width))


def _lines(block: _Block, path: Path) -> list[str]:
    try:
        return block.text.decode().split("\n")[:-1]
    except UnicodeDecodeError as error:
        line = block.line + block.text.count(b"\n", 0, error.start)
        raise UserError(
            f"{path}, line {line}: this is not UTF-8 text.",
            "Save the vectors as UTF-8 text; word2vec's binary format is read from a file that ends in .bin.",
        ) from error


def _joined(parts: list[Vector], width: int) -> Vector:
    """The parts as one matrix; each is let go once it is copied, so that they are not held twice."""
    matrix = np.empty((sum(map(len, parts)), max(width, 0)), dtype=np.float32)
    end = len(matrix)
    while parts:
        part = parts.pop()
        matrix[end - len(part) : end] = part
        end -= len(part)
    return matrix
