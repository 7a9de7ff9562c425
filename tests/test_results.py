"""Results: what they say of themselves, and what an estimate that is not there is told."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from equipoise.errors import UserError
from equipoise.measuring import audit, measure
from equipoise.models.loading import load_model
from equipoise.models.static import StaticModel
from equipoise.models.table import TableModel
from equipoise.results import Estimate, Result, load_results
from equipoise.results.estimate import BETTER, COLUMNS, estimates_table

WORDS = {"he": 0.5, "she": 0.2, "they": 0.1, "him": 0.5, "her": 0.2, "them": 0.1, "his": 0.5, "their": 0.1}


@pytest.fixture(scope="module")
def control() -> Result:
    """The shipped templates with random weights."""
    return measure(load_model("random", cache=False), "tbe")


def test_a_measured_result_comes_back_equal(control: Result, tmp_path: Path) -> None:
    (loaded,) = load_results(control.save(tmp_path).parent)
    pd.testing.assert_frame_equal(loaded.items, control.items, check_exact=True)
    pd.testing.assert_frame_equal(loaded.estimates, control.estimates, check_exact=True)
    assert loaded.provenance == control.provenance
    assert (loaded.roles, loaded.quantities) == (control.roles, control.quantities)
    assert [quantity.key for quantity in loaded.quantities] == ["appd", "mean-size", "mean-abs-appd", "guard"]


def test_provenance_says_what_was_measured(control: Result) -> None:
    provenance = control.provenance
    assert control.fingerprint == load_model("random", cache=False).fingerprint
    assert set(provenance["data"]["files"]) >= {"templates.csv", "professions.csv"}
    assert all(len(digest) == 64 for digest in provenance["data"]["files"].values())
    assert {"python", "torch", "transformers"} <= set(provenance["versions"])


def test_every_estimate_carries_its_interval_and_direction(control: Result) -> None:
    table = control.estimates
    assert set(table["better"]) <= set(BETTER)
    assert (table["unit"] != "").all()
    known = table.dropna(subset=["low", "high"])
    assert (known["low"] <= known["high"]).all()
    assert len(known) > 0.9 * len(table)
    assert table["key"].str.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*").all()
    assert not table.duplicated(["key", "by", "level"]).any()
    assert (control.headlines()["by"] == "").all()
    assert 1 <= len(control.headlines()) <= 3


def test_an_instrument_refuses_a_model_that_cannot_answer() -> None:
    model = StaticModel({"he": np.ones(2, np.float32)}, name="vectors")
    with pytest.raises(UserError, match="tbe cannot measure 'vectors'"):
        measure(model, "tbe")


def test_audit_asks_each_distinct_row_once() -> None:
    model = load_model("random", cache=False)
    audit(model, ["tbe"])
    rows = model.engine.rows_run  # type: ignore[attr-defined]
    audit(model, ["tbe", "tbe"])
    assert model.engine.rows_run == rows  # type: ignore[attr-defined]


def test_an_estimate_that_does_not_exist_is_told_what_does() -> None:
    result = measure(TableModel(words=WORDS), "tbe")
    assert result.value("appd") == pytest.approx(0.3)
    with pytest.raises(UserError, match="tbe has no estimate 'appdd'") as caught:
        result.value("appdd")
    assert "appd, normalised-difference, log-ratio" in caught.value.hint
    with pytest.raises(UserError, match="no estimate 'appd' for category=medicine") as caught:
        result.value("appd", category="medicine")
    assert caught.value.hint.startswith("Its levels of category: medical, ")
    with pytest.raises(UserError, match="no estimate 'appd' for colour=red") as caught:
        result.value("appd", colour="red")
    assert caught.value.hint == "It is given by: every item, category, profession."
    with pytest.raises(UserError, match="no estimate 'guard-appd' for every item"):
        result.value("guard-appd")


def test_crossed_groups_are_found_in_any_order() -> None:
    """`by` and `level` are composed in one order, whatever order the groups were given in."""
    given = {"gender": "male", "group": "female"}
    one = Estimate("share", 0.25, 0.2, 0.3, n=4, groups=given)
    other = Estimate("share", 0.75, 0.7, 0.8, n=4, groups={"gender": "female", "group": "male"})
    turned = Estimate("share", 0.25, 0.2, 0.3, n=4, groups=dict(reversed(given.items())))
    assert (one.by, one.level) == (turned.by, turned.level) == ("gender x group", "male x female")
    result = Result("x", pd.DataFrame(), estimates_table([one, other]))
    assert result.value("share", gender="male", group="female") == 0.25
    assert result.value("share", group="female", gender="male") == 0.25
    assert result.value("share", group="male", gender="female") == 0.75


def test_an_estimate_without_a_label_is_called_by_its_key() -> None:
    table = estimates_table(
        [Estimate("log-ratio", 1.0, np.nan, np.nan, n=0), Estimate("a", 1, 0, 2, n=1, label="A")]
    )
    assert list(table.columns) == list(COLUMNS)
    assert table["label"].tolist() == ["log ratio", "A"]
    assert estimates_table([]).empty
