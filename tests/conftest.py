"""Every test keeps its answers in a folder of its own and uses no network."""

import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# A busy machine is slow, not wrong.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EQUIPOISE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("EQUIPOISE_DATA", raising=False)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def refuse(one: socket.socket, address: Any) -> None:
        if one.family != getattr(socket, "AF_UNIX", None):  # processes of this machine talk to each other
            raise OSError("tests use no network")
        connect(one, address)

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="session")
def bert_folder() -> Path:
    """The real BERT-base-uncased beside the checkout."""
    folder = SHARED / "models" / "bert-base-uncased"
    if not folder.is_dir():
        pytest.skip("needs ../shared/models/bert-base-uncased")
    return folder


@pytest.fixture(scope="session")
def bert(bert_folder: Path) -> Any:
    """The real BERT-base-uncased, loaded once."""
    from equipoise.models.loading import load_model

    return load_model(bert_folder, cache=False)


@pytest.fixture
def shared_data() -> Callable[[str], Path]:
    """The path of a published file beside the checkout, or a skip that names it."""

    def find(name: str) -> Path:
        path = SHARED / "data" / name
        if not path.exists():
            pytest.skip(f"needs ../shared/data/{name}")
        return path

    return find
