"""What is written comes back; what is damaged, of another version or another model is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from equipoise.errors import UserError
from equipoise.files import sha256
from equipoise.models.loading import load_model
from equipoise.models.loading.packed import (
    CONFIG_FILE,
    DESCRIPTION_FILE,
    TENSOR_FILE,
    PackedModel,
    is_packed,
    load_packed,
)
from recipes.packing.coding import pack_matrix
from recipes.packing.writing import write_packed

INTEGERS = torch.tensor([[3, -2, 300], [0, 1, -127]], dtype=torch.int16)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / CONFIG_FILE).write_text('{"model_type": "bert"}', encoding="utf-8")
    matrix = pack_matrix(
        INTEGERS, row_step=torch.tensor([0.5, 0.25]), column_step=torch.tensor([1.0, 2.0, 4.0])
    )
    plain = {"bias": torch.tensor([0.5, -1.5])}
    write_packed(tmp_path, PackedModel("bert", {"words": matrix}, plain, {"output": "words"}))
    return tmp_path


def _change_description(folder: Path, **changes: Any) -> None:
    path = folder / DESCRIPTION_FILE
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def test_weights_come_back_as_integers_times_steps(folder: Path) -> None:
    state = load_packed(folder)
    expected = torch.tensor([[1.5, -2.0, 600.0], [0.0, 0.5, -127.0]])
    assert torch.equal(state["words"], expected)
    assert torch.equal(state["bias"], torch.tensor([0.5, -1.5]))
    assert state["output"] is state["words"]
    assert {value.dtype for value in state.values()} == {torch.float32}


def test_a_folder_is_packed_when_it_says_so(folder: Path, tmp_path: Path) -> None:
    assert is_packed(folder)
    (folder / DESCRIPTION_FILE).unlink()
    assert not is_packed(folder)
    with pytest.raises(UserError, match=f"holds no {DESCRIPTION_FILE}"):
        load_packed(folder)


@pytest.mark.parametrize("cut", [1, 50, 400])
def test_a_truncated_file_is_refused(folder: Path, cut: int) -> None:
    data = (folder / TENSOR_FILE).read_bytes()
    (folder / TENSOR_FILE).write_bytes(data[:-cut])
    with pytest.raises(UserError, match="damaged or was altered"):
        load_packed(folder)


def test_one_altered_bit_is_refused(folder: Path) -> None:
    data = bytearray((folder / TENSOR_FILE).read_bytes())
    data[-3] ^= 1
    (folder / TENSOR_FILE).write_bytes(data)
    with pytest.raises(UserError, match="damaged or was altered"):
        load_packed(folder)


def test_a_file_cut_before_it_was_hashed_is_refused(folder: Path) -> None:
    data = (folder / TENSOR_FILE).read_bytes()
    (folder / TENSOR_FILE).write_bytes(data[:-20])
    _change_description(folder, tensor_sha256=sha256(folder / TENSOR_FILE))
    with pytest.raises(UserError, match=r"does not hold what packed\.json says"):
        load_packed(folder)


def test_another_version_is_refused(folder: Path) -> None:
    _change_description(folder, format_version=2)
    with pytest.raises(UserError, match="format version 2; this package reads 1"):
        load_packed(folder)


def test_another_architecture_is_refused(folder: Path) -> None:
    (folder / CONFIG_FILE).write_text('{"model_type": "roberta"}', encoding="utf-8")
    with pytest.raises(UserError, match=r"for the architecture bert, .* says roberta"):
        load_packed(folder)


def test_another_configuration_is_refused(folder: Path) -> None:
    text = '{"model_type": "bert", "hidden_size": 5}'
    (folder / CONFIG_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match="not the configuration the weights were packed with"):
        load_packed(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schemes": {"words": "rows", "lost": "half"}}, "lost:half"),
        ({"schemes": {"words": "ternary"}}, "unknown scheme 'ternary'"),
        ({"tied": {"output": "nowhere"}}, "nowhere"),
    ],
)
def test_a_list_that_does_not_match_the_file_is_refused(
    folder: Path, changes: dict[str, Any], message: str
) -> None:
    _change_description(folder, **changes)
    with pytest.raises(UserError, match=message):
        load_packed(folder)


@pytest.mark.parametrize("name", [TENSOR_FILE, CONFIG_FILE])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UserError, match=name):
        load_packed(folder)


@pytest.mark.parametrize("text", ["{", "[]", '"packed"'])
def test_an_unreadable_description_is_refused(folder: Path, text: str) -> None:
    (folder / DESCRIPTION_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(UserError):
        load_packed(folder)


def _missing(plain: dict[str, torch.Tensor]) -> None:
    del plain["bert.encoder.layer.1.output.dense.bias"]


def _left_over(plain: dict[str, torch.Tensor]) -> None:
    plain["bert.encoder.layer.2.output.dense.bias"] = torch.zeros(64)


def _of_another_shape(plain: dict[str, torch.Tensor]) -> None:
    plain["bert.encoder.layer.1.output.dense.bias"] = torch.zeros(65)


@pytest.mark.parametrize("harm", [_missing, _left_over, _of_another_shape])
def test_weights_that_do_not_fit_the_network_are_refused(
    pack_as_it_is: Callable[..., Path], harm: Callable[[dict[str, torch.Tensor]], None]
) -> None:
    """The file is whole and its hash right, but it holds another network."""
    assert load_model(pack_as_it_is(), cache=False).kind == "masked"
    with pytest.raises(UserError, match=r"do not fit its configuration: .*output\.dense\.bias"):
        load_model(pack_as_it_is(harm), cache=False)


@pytest.mark.parametrize("schemes", [None, ["half"], {"words": 3}, {"colour": "half"}])
def test_a_description_that_is_wrong_is_refused(folder: Path, schemes: Any) -> None:
    _change_description(folder, schemes=schemes)
    with pytest.raises(UserError, match=DESCRIPTION_FILE):
        load_packed(folder)


def test_a_configuration_that_is_no_object_is_refused(folder: Path) -> None:
    (folder / CONFIG_FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(UserError, match=CONFIG_FILE):
        load_packed(folder)
