"""Reading tables and lists: what is wrong with a file is said with its name and line."""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from equipoise.errors import UserError

TABLES = Path(__file__).parent / "tables"
"""The tables written for this project."""

LINE = "line"
"""The column that says on which line of its file a row began."""


def read_text(path: Path) -> str:
    """The text of a UTF-8 file that is not empty."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path} is not UTF-8 text (byte {error.start}).", "Save it as UTF-8 and try again."
        ) from error
    except OSError as error:
        raise UserError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Give the path of a readable file.",
        ) from error
    if not text.strip():
        raise UserError(f"{path} is empty.", "Give a file with something in it.")
    return text


def read_lines(path: Path) -> list[str]:
    """The lines of a text file that are not blank."""
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def read_table(path: Path, required: Iterable[str] = (), *, quoted: bool = True) -> pd.DataFrame:
    """A CSV or TSV file as text columns, with the line each row began on."""
    delimiter = "\t" if path.suffix in (".tsv", ".tab") else ","
    text = io.StringIO(read_text(path))
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    reader = csv.reader(text, delimiter=delimiter, quoting=quoting)  # type: ignore[arg-type]
    header = [name.strip() for name in next(reader)]
    missing = [name for name in required if name not in header]
    if missing:
        raise UserError(
            f"{path} has no column {', '.join(map(repr, missing))}; it has {', '.join(header)}.",
            f"Expected columns: {', '.join(required)}.",
        )
    rows, lines, begun = [], [], reader.line_num + 1
    for fields in reader:
        if any(field.strip() for field in fields):
            _check_width(fields, header, path, begun)
            rows.append(fields)
            lines.append(begun)
        begun = reader.line_num + 1
    if not rows:
        raise UserError(f"{path} has a header but no rows.", "Add at least one row.")
    return pd.DataFrame(rows, columns=header, dtype=str).assign(**{LINE: lines})


def _check_width(fields: Sequence[str], header: Sequence[str], path: Path, line: int) -> None:
    if len(fields) != len(header):
        raise UserError(
            f"{path}, line {line}: {len(fields)} fields where the header has {len(header)}.",
            "Quote fields that contain the separator.",
        )


def own_table(name: str) -> pd.DataFrame:
    """A table that ships with the package."""
    return read_table(TABLES / name)


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


@cache
def own_words() -> frozenset[str]:
    """Every word and mark of the shipped tables, in lower case."""
    texts = (path.read_text(encoding="utf-8").lower() for path in sorted(TABLES.glob("*.csv")))
    return frozenset(token for text in texts for token in re.findall(r"[^\W\d_]+|[^\w\s]", text))
