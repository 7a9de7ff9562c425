"""Freed memory goes back to the system, but not after every batch."""

import pytest

from equipoise.models.engine import local


def test_memory_is_given_back_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    returns: list[int] = []
    monkeypatch.setattr(local, "_trim", lambda: returns.append)
    ours = local.Allocator()
    for _ in range(5):
        ours.give_back()
    assert returns == [0]
    ours.returned -= local.PAUSE
    ours.give_back()
    assert returns == [0, 0]
