"""The answer store: what a model said of a row, kept on disk, found again by content.

SQLite in WAL mode: a batch is one transaction, so a killed run loses at most the batch it was in, and several
processes can share one file. A value carries a checksum, so damage is noticed instead of measured.
"""

import json
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
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from equipoise.errors import UserError
from equipoise.files import CACHE_VARIABLE, cache_folder
from equipoise.models.engine.rows import RowAnswer, VectorSpec
from equipoise.models.options import RunOptions

Answer = TypeVar("Answer")

FORMAT = 2
PATIENCE = 60.0
"""Seconds to wait for another process to let go of the store."""

AT_ONCE = 500
"""Rows looked up by one query."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, fingerprint TEXT UNIQUE, name TEXT);
CREATE TABLE IF NOT EXISTS answers (
    model INTEGER NOT NULL, row BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (model, row)
) WITHOUT ROWID;
"""


def cache_file() -> Path:
    """The store's file; its name carries the format, so that another format never reads it."""
    return cache_folder() / f"answers-{FORMAT}.sqlite"


def store_file(options: RunOptions) -> Path | None:
    """Where answers are kept between runs, if they are."""
    return Path(options.store or cache_file()) if options.cache else None


class Codec(Protocol[Answer]):
    """How one kind of answer is written, joined and checked."""

    def pack(self, answer: Answer) -> bytes:
        """The answer as bytes."""

    def unpack(self, blob: bytes) -> Answer:
        """The answer that `pack` wrote; damage raises `sqlite3.DatabaseError`."""

    def join(self, newer: Answer, older: Answer) -> Answer:
        """Both answers to one question as one."""

    def is_sound(self, answer: Answer) -> bool:
        """Whether the answer may be kept."""


class AnswerStore(Generic[Answer]):
    """Answers of one model by key, bytes to bytes; `path=None` keeps them for this run only."""

    def __init__(self, path: Path | None, codec: Codec[Answer], *, fingerprint: str, name: str) -> None:
        self.path = path or _scratch_file(self)
        self.codec = codec
        self.name = name
        self._lock = threading.Lock()
        with self._using():
            self._connection = connect(self.path)
            self._close = weakref.finalize(self, self._connection.close)
            with self._connection:
                self._connection.execute(
                    "INSERT OR IGNORE INTO models (fingerprint, name) VALUES (?, ?)",
                    (fingerprint, name),
                )
            (self._model,) = self._connection.execute(
                "SELECT id FROM models WHERE fingerprint = ?", (fingerprint,)
            ).fetchone()

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        """What is stored under these keys; it need not cover what is asked now."""
        with self._using():
            return {key: self.codec.unpack(blob) for key, blob in self._stored(keys)}

    def holds(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of the keys under which something is stored."""
        with self._using():
            return {key for key, _ in self._stored(keys)}

    def write(self, answers: Iterable[tuple[bytes, Answer]]) -> None:
        """Keep answers in one transaction, each with what was stored under its key, by whichever process.

        Broken weights answer NaN: that is refused here, where the answers of every network come by.
        """
        new = dict(answers)
        if not all(map(self.codec.is_sound, new.values())):
            raise UserError(
                f"{self.name!r} answers NaN: its weights are broken, or too large for its precision.",
                "Load a checkpoint from before its training diverged, or run it in fp32.",
            )
        with self._using(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")  # what is read below is still so when it is written
            stored = {key: self.codec.unpack(blob) for key, blob in self._stored(list(new))}
            joined = {
                key: self.codec.join(answer, stored[key]) if key in stored else answer
                for key, answer in new.items()
            }
            values = [(self._model, key, self.codec.pack(answer)) for key, answer in joined.items()]
            self._connection.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", values)

    def close(self) -> None:
        """Let go of the file."""
        self._close()

    def _stored(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        for start in range(0, len(keys), AT_ONCE):
            some = keys[start : start + AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT row, value FROM answers WHERE model = ? AND row IN ({marks})"
            yield from self._connection.execute(query, (self._model, *some)).fetchall()

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
            f"Free disk space or its permissions, name another folder in {CACHE_VARIABLE}, "
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


def connect(path: Path) -> sqlite3.Connection:
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


_SIZE = "COALESCE(SUM(LENGTH(value) + 16), 0)"
"""The bytes of some answers: their values and keys."""


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
        f"SELECT name, fingerprint, COUNT(row), {_SIZE} FROM models "
        "JOIN answers ON models.id = answers.model GROUP BY models.id ORDER BY 4 DESC"
    )
    with explained(path):
        connection = connect(path)
        try:
            return [StoredModel(*row) for row in connection.execute(query)]
        finally:
            connection.close()


def clear_store(path: Path) -> int:
    """Delete every stored answer and say how many bytes they took.

    A process that is using the store goes on using it: its model keeps its number, only the answers go.
    A file that is not a database is removed.
    """
    if not path.exists():
        return 0
    with explained(path):
        try:
            return _empty(path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            return _remove(path)


def _empty(path: Path) -> int:
    connection = connect(path)
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            (held,) = connection.execute(f"SELECT {_SIZE} FROM answers").fetchone()
            connection.execute("DELETE FROM answers")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return int(held)
    finally:
        connection.close()


def _remove(path: Path) -> int:
    files = [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]
    held = sum(file.stat().st_size for file in files if file.exists())
    for file in files:
        file.unlink(missing_ok=True)
    return held


Json = dict[str, Any]


class RowCodec:
    """How the answers to rows are written into the store, joined and checked."""

    def pack(self, answer: RowAnswer) -> bytes:
        """An answer as bytes, behind a checksum."""
        asks = list(answer.logprobs)
        tops = [(position, *pair) for position, pairs in answer.tops.items() for pair in pairs]
        parts = [
            np.asarray(asks, dtype="<i4").tobytes(),
            np.asarray([answer.logprobs[ask] for ask in asks], dtype="<f8").tobytes(),
            np.asarray([top[:2] for top in tops], dtype="<i4").tobytes(),
            np.asarray([top[2] for top in tops], dtype="<f8").tobytes(),
            np.asarray(answer.weights, dtype="<f8").tobytes(),
        ]
        for spec, vector in answer.vectors.items():
            parts.append(np.asarray((spec.layer, len(spec.positions), len(vector)), dtype="<i4").tobytes())
            parts.append(np.asarray(spec.positions, dtype="<i4").tobytes())
            parts.append(np.asarray(vector, dtype="<f4").tobytes())
        sizes = struct.pack("<4I", len(asks), len(tops), len(answer.weights), len(answer.vectors))
        body = sizes + b"".join(parts)
        return struct.pack("<I", zlib.crc32(body)) + body

    def unpack(self, blob: bytes) -> RowAnswer:
        """The answer that `pack` wrote; a damaged one raises `sqlite3.DatabaseError`."""
        if len(blob) < 20 or struct.unpack_from("<I", blob)[0] != zlib.crc32(blob[4:]):
            raise sqlite3.DatabaseError("a stored answer fails its checksum")
        asks, tops, weights, vectors = struct.unpack_from("<4I", blob, 4)
        reader = _Reader(blob, 20)
        places = reader.take("<i4", 2 * asks).reshape(-1, 2).tolist()
        logprobs = reader.take("<f8", asks).tolist()
        answer = RowAnswer({(p, t): v for (p, t), v in zip(places, logprobs, strict=True)})
        top_places = reader.take("<i4", 2 * tops).reshape(-1, 2).tolist()
        for (position, token), value in zip(top_places, reader.take("<f8", tops).tolist(), strict=True):
            answer.tops.setdefault(position, []).append((token, value))
        answer.weights = reader.take("<f8", weights).tolist()
        for _ in range(vectors):
            layer, count, width = reader.take("<i4", 3).tolist()
            spec = VectorSpec(layer, tuple(reader.take("<i4", count).tolist()))
            answer.vectors[spec] = reader.take("<f4", width)
        return answer

    def join(self, newer: RowAnswer, older: RowAnswer) -> RowAnswer:
        """The newer answer with what the older one knew besides."""
        return newer.joined(older)

    def is_sound(self, answer: RowAnswer) -> bool:
        """Whether the answer is free of NaN."""
        return answer.is_sound()


class JsonCodec:
    """How other answers are kept: compressed JSON, with zlib's checksum."""

    def pack(self, answer: Json) -> bytes:
        """The answer as bytes."""
        return zlib.compress(json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogatepass"))

    def unpack(self, blob: bytes) -> Json:
        """The answer that `pack` wrote; zlib's own checksum notices damage."""
        try:
            answer: Json = json.loads(zlib.decompress(blob))
        except (zlib.error, ValueError) as error:
            raise sqlite3.DatabaseError("a stored answer fails its checksum") from error
        return answer

    def join(self, newer: Json, older: Json) -> Json:
        """The older answer: nothing is asked twice."""
        return older

    def is_sound(self, answer: Json) -> bool:
        """Whether there is an answer."""
        return bool(answer)


class _Reader:
    """Takes arrays off a blob one after the other."""

    def __init__(self, blob: bytes, start: int) -> None:
        self.blob, self.at = blob, start

    def take(self, kind: str, count: int) -> Any:
        """The next `count` numbers."""
        values = np.frombuffer(self.blob, dtype=kind, count=count, offset=self.at)
        self.at += values.nbytes
        return values
