"""What the answer store holds, and clearing it while others may be using it."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from equipoise.models.engine.store import connect, explained


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
        "JOIN answers ON models.id = answers.model GROUP BY models.id ORDER BY 4 DESC"
    )
    with explained(path):
        connection = connect(path)
        try:
            return [StoredModel(*row) for row in connection.execute(query)]
        finally:
            connection.close()


def clear_store(path: Path) -> int:
    """Delete every stored answer and say how many bytes that freed.

    A process that is using the store goes on using it: its model keeps its number, only the answers go.
    A file that is no database is removed.
    """
    if not path.exists():
        return 0
    before = _size(path)
    with explained(path):
        try:
            _empty(path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            for file in _files(path):
                file.unlink(missing_ok=True)
    return max(0, before - _size(path))


def _empty(path: Path) -> None:
    connection = connect(path)
    try:
        with connection:
            connection.execute("DELETE FROM answers")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()


def _files(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in ("", "-wal", "-shm")]


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in _files(path) if file.exists())
