"""Wrappers on disk: a recipe comes back as the same model, and never around other weights."""

import json
from pathlib import Path
from typing import Any

import pytest
import tiny

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.questions import Fill
from equipoise.models.table import TableModel
from equipoise.models.wrappers import WRAPPERS, wrapper_class
from equipoise.models.wrappers.base import WrappedModel
from equipoise.models.wrappers.saving import FILE, load_wrapper, save_wrapper

ASKED = Fill("[MASK] is a doctor.", ("he", "she"))
ROW = [0.1 * place for place in range(32)]
NEEDED = {"layer-map": {"layer": 1, "outward": [ROW], "inward": [ROW], "shift": ROW}}
"""Options without which a wrapper cannot be made."""


def saved_network(folder: Path, seed: int = 7) -> Path:
    tiny.network("bert", seed).save_pretrained(folder)
    tiny.tokenizer("wordpiece").save_pretrained(folder)
    return folder


@pytest.fixture
def inner(tmp_path: Path) -> Any:
    return load_model(saved_network(tmp_path / "inner"))


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_comes_back_as_it_was(name: str, inner: Any, tmp_path: Path) -> None:
    model = wrapper_class(name)(inner, **NEEDED.get(name, {}))  # type: ignore[arg-type]
    folder = tmp_path / "wrapper"
    folder.mkdir()
    save_wrapper(model, folder)
    again = load_model(folder)
    assert again.fingerprint == model.fingerprint != inner.fingerprint
    assert again.name == str(folder)
    assert again.answer([ASKED])[0].logprobs == pytest.approx(model.answer([ASKED])[0].logprobs)
    assert not list(folder.glob("*.part"))


def test_other_weights_inside_are_refused(inner: Any, tmp_path: Path) -> None:
    save_wrapper(wrapper_class("counterfactual-averaging")(inner), tmp_path)  # type: ignore[call-arg]
    saved_network(tmp_path / "inner", seed=8)
    with pytest.raises(UserError, match="whose weights have changed since"):
        load_model(tmp_path)


BROKEN = (
    "{}",
    "no json",
    "[" * 5000,
    '{"wrapper": "x", "options": {}, "inner": {"name": "y"}}',
    '{"wrapper": "x", "options": {}, "inner": {"name": 5, "fingerprint": "y"}}',
    '{"wrapper": "x", "options": [["a", 1]], "inner": {"name": "random", "fingerprint": "y"}}',
)


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_recipe_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(UserError, match="not a whole recipe"):
        load_model(tmp_path)


def test_an_unknown_wrapper_is_refused(inner: Any, tmp_path: Path) -> None:
    save_wrapper(wrapper_class("self-debias")(inner), tmp_path)  # type: ignore[call-arg]
    record = json.loads((tmp_path / FILE).read_text()) | {"wrapper": "self-debais"}
    (tmp_path / FILE).write_text(json.dumps(record))
    with pytest.raises(UserError, match="self-debais"):
        load_wrapper(tmp_path, inner.options)


def test_a_wrapper_without_a_name_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not among the wrappers"):
        save_wrapper(WrappedModel(TableModel(), {}), tmp_path)


def test_an_option_that_a_wrapper_does_not_have_is_refused(inner: Any, tmp_path: Path) -> None:
    save_wrapper(wrapper_class("counterfactual-averaging")(inner), tmp_path)  # type: ignore[call-arg]
    record = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(record | {"options": {"colour": "red"}}))
    with pytest.raises(UserError, match=r"not a whole recipe.*colour"):
        load_model(tmp_path)
