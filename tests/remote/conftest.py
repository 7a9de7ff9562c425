"""Servers on this machine only: a fake one in a thread, and llama.cpp's where its wheel is installed."""

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fake_server import FakeServer


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of the rule that no test uses a socket: here they may reach this machine."""
    connect = socket.socket.connect

    def local_only(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and address[0] not in ("127.0.0.1", "::1"):
            raise OSError("tests reach no other machine")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local_only)
    for name in ("EQUIPOISE_API_KEY", "OPENAI_API_KEY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def serve() -> Iterator[Callable[..., FakeServer]]:
    """Start a fake server with what is special about it."""
    started: list[FakeServer] = []

    def start(**special: Any) -> FakeServer:
        started.append(FakeServer(**special))
        return started[-1]

    yield start
    for server in started:
        server.close()
