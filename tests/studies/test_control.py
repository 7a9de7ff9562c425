"""The control with random weights: several draws, their spread, and what lies outside of it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import audit
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import random_parts, wrap_model
from equipoise.models.neural.language import NeuralModel
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.studies.proof.control import COLUMNS, RandomControl, random_weights_control

DRAWS = 4
VERBS = ("is", "was", "became", "met", "saw")


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Settings]:
    """A few templates, so that several draws are quick."""
    folder: Path = tmp_path_factory.mktemp("templates")
    rows = [f"{verb},work,occupation,subject,[MASK] {verb} a <profession>." for verb in VERBS]
    text = "\n".join(["id,category,kind,form,template", *rows])
    (folder / "templates.csv").write_text(text, encoding="utf-8")
    words = ("nurse", "cook", "baker", "farmer", "engineer")
    text = "\n".join(["profession,category,kind", *(f"{word},work,occupation" for word in words)])
    (folder / "professions.csv").write_text(text, encoding="utf-8")
    return {"tbe": Settings(data=folder)}


def leaning(bias: float) -> NeuralModel:
    """The small random model with one word made likelier everywhere."""
    network, words = random_parts()
    for word in ("he", "him", "his"):
        network.cls.predictions.bias.data[words.convert_tokens_to_ids(word)] += bias
    return wrap_model(network, words, name="leaning", options=RunOptions(cache=False))


@pytest.fixture(scope="module")
def control(settings: dict[str, Settings]) -> RandomControl:
    return random_weights_control(leaning(4.0), ("tbe", "traits"), draws=DRAWS, settings=settings)


def test_every_headline_stands_beside_the_spread_of_the_draws(control: RandomControl) -> None:
    assert list(control.table.columns) == list(COLUMNS)
    expected = [
        (result.instrument, row["label"], row["value"])
        for result in control.results
        for row in result.headlines().to_dict("records")
    ]
    shown = control.table[["instrument", "estimate", "model_value"]].to_numpy().tolist()
    assert [tuple(row) for row in shown] == expected
    (row,) = control.table[control.table["estimate"] == "APPD"].to_dict("records")
    drawn = [result.value("appd") for result in control.controls if result.instrument == "tbe"]
    assert len(set(drawn)) == row["draws"] == DRAWS
    assert row["random_mean"] == pytest.approx(np.mean(drawn))
    assert row["random_sd"] == pytest.approx(np.std(drawn, ddof=1))
    assert (row["random_lowest"], row["random_highest"]) == (min(drawn), max(drawn))


def test_what_chance_does_not_reach_is_outside(control: RandomControl) -> None:
    (row,) = control.table[control.table["estimate"] == "APPD"].to_dict("records")
    assert row["model_value"] > row["random_highest"]
    assert row["outside"]
    inside = control.table[~control.table["outside"].astype(bool)]
    for row in inside.to_dict("records"):
        assert row["random_lowest"] <= row["model_value"] <= row["random_highest"]


def test_what_lies_outside_by_less_than_its_interval_is_not_called_sure(control: RandomControl) -> None:
    row = control.table.iloc[0].to_dict() | {"model_value": 0.5, "outside": True, "draws": 3}
    row |= {"random_lowest": 0.1, "random_highest": 0.2}
    for low, word in ((0.15, "beyond them, but not surely"), (0.3, "beyond all of them")):
        table = pd.DataFrame([row | {"low": low, "high": 0.7}])
        assert word in RandomControl(table, (), ()).sentences()[0]


def test_the_draws_are_different_models_of_the_same_shape(control: RandomControl) -> None:
    prints = {result.fingerprint for result in control.controls}
    assert len(prints) == DRAWS
    assert not prints & {result.fingerprint for result in control.results}
    assert all("random weights" in result.model for result in control.controls)


def test_a_model_of_random_weights_is_not_its_own_control(settings: dict[str, Settings]) -> None:
    study = random_weights_control(load_model("random", cache=False), draws=3, settings=settings)
    prints = {result.fingerprint for result in study.controls}
    assert len(prints) == 3
    assert study.results[0].fingerprint not in prints


def test_a_control_is_measured_as_the_model_is(control: RandomControl, settings: dict[str, Settings]) -> None:
    """The first draw, measured by itself, gives the same items."""
    from equipoise.models.loading.networks import random_control

    (alone,) = audit(random_control(leaning(4.0)), ("tbe",), settings)
    twins = [result for result in control.controls if result.fingerprint == alone.fingerprint]
    pd.testing.assert_frame_equal(twins[0].items, alone.items)


def test_what_has_no_weights_and_too_few_draws_are_refused(settings: dict[str, Settings]) -> None:
    with pytest.raises(UserError, match="no weights to draw at random"):
        random_weights_control(TableModel(words={"he": 0.5}), settings=settings)
    with pytest.raises(UserError, match="2 draws are too few to show a spread"):
        random_weights_control(leaning(1.0), draws=2, settings=settings)
