"""Results: saved and read back equal, floats exactly."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import UserError
from equipoise.measuring import audit, measure
from equipoise.models import load_model
from equipoise.models.table import TableModel
from equipoise.results import Estimate, Result, column_kinds, estimates_table, load_result, load_results


def example(values: list[float]) -> Result:
    items = pd.DataFrame(
        {
            "item": [f"i{number}" for number in range(len(values))],
            "text": ['He said "no, thanks".'] * len(values),
            "score": values,
            "count": range(len(values)),
            "sure": [True] * len(values),
            "dropped": ["" if np.isfinite(value) else "not asked" for value in values],
        }
    )
    estimates = estimates_table([Estimate("mean", "all", 0.1 + 0.2, float("nan"), 1e-300, n=3)])
    provenance = {"instrument": {"name": "x"}, "model": {}, "columns": column_kinds(items)}
    return Result("x", items, estimates, provenance)


@settings(max_examples=40)
@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=8))
def test_a_result_comes_back_equal(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    result = example(values)
    loaded = load_result(result.save(tmp_path_factory.mktemp("r")))
    pd.testing.assert_frame_equal(loaded.items, result.items, check_exact=True)
    pd.testing.assert_frame_equal(loaded.estimates, result.estimates, check_exact=True)
    assert loaded.provenance == result.provenance


def test_the_three_files_and_valid_json(tmp_path: Path) -> None:
    folder = example([1.0, float("nan")]).save(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == [
        "estimates.json",
        "items.csv",
        "provenance.json",
    ]
    (row,) = json.loads((folder / "estimates.json").read_text())
    assert row["low"] is None
    assert row["value"] == 0.1 + 0.2


def test_a_folder_that_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is missing"):
        load_result(tmp_path)
    with pytest.raises(UserError, match="holds no result"):
        load_results(tmp_path)
    with pytest.raises(UserError, match="no folder"):
        load_results(tmp_path / "nowhere")


def test_a_result_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("in the way")
    with pytest.raises(UserError, match="cannot be written"):
        example([1.0]).save(tmp_path)


def test_a_measured_result_comes_back_equal(tmp_path: Path) -> None:
    result = measure(load_model("random", cache=False), "tbe")
    loaded = load_results(result.save(tmp_path).parent)[0]
    pd.testing.assert_frame_equal(loaded.items, result.items, check_exact=True)
    pd.testing.assert_frame_equal(loaded.estimates, result.estimates, check_exact=True)
    assert loaded.provenance == result.provenance


def test_provenance_says_what_was_measured() -> None:
    model = load_model("random", cache=False)
    provenance = measure(model, "tbe").provenance
    assert provenance["model"]["fingerprint"] == model.fingerprint
    assert set(provenance["data"]["files"]) >= {"templates.csv", "professions.csv"}
    assert all(len(digest) == 64 for digest in provenance["data"]["files"].values())
    assert {"python", "torch", "transformers"} <= set(provenance["versions"])


def test_every_estimate_carries_its_interval_and_direction() -> None:
    table = measure(load_model("random", cache=False), "tbe").estimates
    from equipoise.results import BETTER

    assert set(table["better"]) <= set(BETTER)
    assert (table["unit"] != "").all()
    known = table.dropna(subset=["low", "high"])
    assert (known["low"] <= known["high"]).all()
    assert len(known) > 0.9 * len(table)


def test_an_instrument_refuses_a_model_that_cannot_answer() -> None:
    from equipoise.models.static import StaticModel

    model = StaticModel({"he": np.ones(2, np.float32)}, name="vectors")
    with pytest.raises(UserError, match="tbe cannot measure 'vectors'"):
        measure(model, "tbe")


def test_audit_asks_each_distinct_row_once() -> None:
    model = load_model("random", cache=False)
    audit(model, ["tbe"])
    rows = model.engine.rows_run  # type: ignore[attr-defined]
    audit(model, ["tbe", "tbe"])
    assert model.engine.rows_run == rows  # type: ignore[attr-defined]


def test_an_estimate_that_does_not_exist() -> None:
    model = TableModel(words={"he": 0.5, "she": 0.2, "they": 0.1, "him": 0.5, "her": 0.2, "them": 0.1,
                              "his": 0.5, "their": 0.1})  # fmt: skip
    result = measure(model, "tbe")
    assert result.value("appd") == pytest.approx(0.3)
    with pytest.raises(UserError, match="no estimate 'appdd'"):
        result.value("appdd")
