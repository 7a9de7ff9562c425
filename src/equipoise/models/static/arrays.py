"""Vectors in an npy file, with their words in another: one a line, or the first column of a parquet file."""

from pathlib import Path

import numpy as np

from equipoise.errors import UserError
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
            "Install it with: pip install 'equipoise[parquet]'.",
        ) from error
    words: list[str] = pyarrow.parquet.read_table(file).column(0).to_pylist()
    return words
