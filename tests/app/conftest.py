"""Connections go to this machine and nowhere else."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from app_client import Client, running_app

connect = socket.socket.connect


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def own_machine_only(self: socket.socket, address: Any) -> None:
        assert address[0] == "127.0.0.1", f"a connection to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", own_machine_only)


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client of an app with small random models."""
    with running_app(tmp_path) as server:
        yield Client(server)
