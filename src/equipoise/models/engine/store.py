"""The answer store: what a model said of a row, kept on disk, found again by content.

SQLite in WAL mode: a batch is one transaction, so a killed run loses at most the batch it was in, and several
processes can share one file. A value carries a checksum, so damage is noticed instead of measured.
"""

import shutil
import sqlite3
import struct
import tempfile
import threading
import time
import weakref
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from equipoise.data.folders import CACHE_VARIABLE, cache_folder
from equipoise.errors import UserError
from equipoise.models.engine.rows import RowAnswer

FORMAT = 1
PATIENCE = 60.0
"""Seconds to wait for another process to let go of the store."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, fingerprint TEXT UNIQUE, name TEXT);
CREATE TABLE IF NOT EXISTS answers (
    model INTEGER NOT NULL, row BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (model, row)
) WITHOUT ROWID;
"""


def cache_file() -> Path:
    """The store's file; its name carries the format, so that another format never reads it."""
    return cache_folder() / f"answers-{FORMAT}.sqlite"


class AnswerStore:
    """Answers of one model, by row; `path=None` keeps them for this run only."""

    def __init__(self, path: Path | None, *, fingerprint: str, name: str) -> None:
        self.path = path or _scratch_file(self)
        self._lock = threading.Lock()
        with self._using():
            self._connection = _connect(self.path)
            self._close = weakref.finalize(self, self._connection.close)
            with self._connection:
                self._connection.execute(
                    "INSERT OR IGNORE INTO models (fingerprint, name) VALUES (?, ?)",
                    (fingerprint, name),
                )
            (self._model,) = self._connection.execute(
                "SELECT id FROM models WHERE fingerprint = ?", (fingerprint,)
            ).fetchone()

    def read(self, keys: Sequence[bytes]) -> dict[bytes, RowAnswer]:
        """What is stored of the rows with these keys; it need not cover what is asked of them now."""
        found: dict[bytes, RowAnswer] = {}
        for start in range(0, len(keys), 500):
            for key, blob in self._select(keys[start : start + 500]):
                found[key] = self._unpack(blob)
        return found

    def write(self, answers: Iterable[tuple[bytes, RowAnswer]]) -> None:
        """Keep answers in one transaction."""
        values = [(self._model, key, pack(answer)) for key, answer in answers]
        with self._using(), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", values)

    def close(self) -> None:
        """Let go of the file."""
        self._close()

    def _select(self, keys: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
        marks = ",".join("?" * len(keys))
        query = f"SELECT row, value FROM answers WHERE model = ? AND row IN ({marks})"
        with self._using():
            return self._connection.execute(query, (self._model, *keys)).fetchall()

    def _unpack(self, blob: bytes) -> RowAnswer:
        with self._using():
            return unpack(blob)

    @contextmanager
    def _using(self) -> Iterator[None]:
        """One thread at a time, and what goes wrong in words."""
        with self._lock, explained(self.path):
            yield


def _scratch_file(owner: object) -> Path:
    """A file in a folder that goes when its owner does."""
    folder = tempfile.mkdtemp(prefix="equipoise-")
    weakref.finalize(owner, shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "answers.sqlite"


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite or the disk says into what a person can do about it."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise UserError(
            f"The answer store {path} cannot be used: {error}.",
            f"Free the disk or its permissions, name another folder in {CACHE_VARIABLE}, "
            "or run with --no-cache. Answers already stored are kept.",
        ) from error
    except sqlite3.DatabaseError as error:
        raise UserError(
            f"The answer store {path} is damaged: {error}.",
            "Remove it with `equipoise cache clear`, or run with --no-cache.",
        ) from error
    except OSError as error:
        raise UserError(
            f"The answer store {path} cannot be opened: {error.strerror or error}.",
            f"Name another folder in {CACHE_VARIABLE}, or run with --no-cache.",
        ) from error


def _connect(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    deadline = time.monotonic() + PATIENCE
    while not _set_up(connection, deadline):
        time.sleep(0.01)
    return connection


def _set_up(connection: sqlite3.Connection, deadline: float) -> bool:
    """Whether the file is ready; of two processes that make it at once, SQLite turns one away unheard."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.executescript(_SCHEMA)
    except sqlite3.OperationalError as error:
        if "locked" in str(error) and time.monotonic() < deadline:
            return False
        raise
    return True


def pack(answer: RowAnswer) -> bytes:
    """An answer as bytes, behind a checksum."""
    asks = list(answer.logprobs)
    tops = [(position, *pair) for position, pairs in answer.tops.items() for pair in pairs]
    vector = () if answer.vector is None else answer.vector
    parts = [
        np.asarray(asks, dtype="<i4").tobytes(),
        np.asarray([answer.logprobs[ask] for ask in asks], dtype="<f8").tobytes(),
        np.asarray([top[:2] for top in tops], dtype="<i4").tobytes(),
        np.asarray([top[2] for top in tops], dtype="<f8").tobytes(),
        np.asarray(answer.weights, dtype="<f8").tobytes(),
        np.asarray(vector, dtype="<f4").tobytes(),
    ]
    sizes = struct.pack("<4I", len(asks), len(tops), len(answer.weights), len(vector))
    body = sizes + b"".join(parts)
    return struct.pack("<I", zlib.crc32(body)) + body


def unpack(blob: bytes) -> RowAnswer:
    """The answer that `pack` wrote; a damaged one raises `sqlite3.DatabaseError`."""
    if len(blob) < 20 or struct.unpack_from("<I", blob)[0] != zlib.crc32(blob[4:]):
        raise sqlite3.DatabaseError("a stored answer fails its checksum")
    asks, tops, weights, width = struct.unpack_from("<4I", blob, 4)
    reader = _Reader(blob, 20)
    places = reader.take("<i4", 2 * asks).reshape(-1, 2).tolist()
    logprobs = reader.take("<f8", asks).tolist()
    answer = RowAnswer({(p, t): v for (p, t), v in zip(places, logprobs, strict=True)})
    top_places = reader.take("<i4", 2 * tops).reshape(-1, 2).tolist()
    for (position, token), value in zip(top_places, reader.take("<f8", tops).tolist(), strict=True):
        answer.tops.setdefault(position, []).append((token, value))
    answer.weights = reader.take("<f8", weights).tolist()
    vector = reader.take("<f4", width)
    answer.vector = vector if width else None
    return answer


class _Reader:
    """Takes arrays off a blob one after the other."""

    def __init__(self, blob: bytes, start: int) -> None:
        self.blob, self.at = blob, start

    def take(self, kind: str, count: int) -> Any:
        """The next `count` numbers."""
        values = np.frombuffer(self.blob, dtype=kind, count=count, offset=self.at)
        self.at += values.nbytes
        return values


@dataclass(frozen=True)
class StoredModel:
    """How much of one model the store holds."""

    name: str
    fingerprint: str
    answers: int
    bytes: int


def stored_models(path: Path) -> list[StoredModel]:
    """What the store holds, by model."""
    if not path.exists():
        return []
    query = (
        "SELECT name, fingerprint, COUNT(row), COALESCE(SUM(LENGTH(value) + 16), 0) FROM models "
        "LEFT JOIN answers ON models.id = answers.model GROUP BY models.id ORDER BY 4 DESC"
    )
    with explained(path):
        connection = _connect(path)
        try:
            return [StoredModel(*row) for row in connection.execute(query)]
        finally:
            connection.close()


def clear_store(path: Path) -> int:
    """Delete the store's files and say how many bytes that freed."""
    files = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]
    freed = 0
    with explained(path):
        for file in files:
            if file.exists():
                freed += file.stat().st_size
                file.unlink()
    return freed
