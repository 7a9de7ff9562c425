"""Whether the hub can be reached, on this machine's own ports, and models fetched earlier without it."""

import socket
import time
from pathlib import Path

import pytest
import tiny
from huggingface_hub import constants

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.loading.checkpoints import hub_is_away


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_port_that_accepts_and_one_that_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(socket.socket, "connect")  # loopback only
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{port}")
        assert not hub_is_away()
    assert hub_is_away()


def test_a_proxy_is_left_to_the_hubs_client(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hub_is_away()
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    assert not hub_is_away()


def test_who_chose_to_be_offline_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert hub_is_away()


def test_a_model_fetched_earlier_loads_without_the_hub(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commit = "0" * 40
    folder = tmp_path / "models--some-team--some-model"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(commit)
    snapshot = folder / "snapshots" / commit
    tiny.network("bert").save_pretrained(snapshot)
    tiny.tokenizer("wordpiece").save_pretrained(snapshot)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail(f"the hub was asked again in {seconds} s"))
    model = load_model("some-team/some-model", cache=False)
    assert model.fingerprint == load_model(snapshot, cache=False).fingerprint
    (snapshot / "config.json").write_text('{"model_type": "no-such-kind"}', encoding="utf-8")
    with pytest.raises(UserError, match="no-such-kind") as caught:
        load_model("some-team/some-model", cache=False)
    assert "no copy was fetched" not in caught.value.message
