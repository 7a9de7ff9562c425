"""What the answer store holds, and clearing it while others may be using it."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from equipoise.models.engine.store import connect, explained

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
    A file that is no database is removed.
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
