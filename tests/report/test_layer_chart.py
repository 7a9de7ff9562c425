"""The curve over layers: every estimate by layer is in it, and nothing else."""

import numpy as np
import pytest

import equipoise as eq
from equipoise.errors import UserError
from equipoise.instruments.base import VectorChoice
from equipoise.report.exports import export
from equipoise.report.figures.layers import layer_figure, layer_table


def test_the_table_and_the_curve_hold_every_layer_of_every_test() -> None:
    result = eq.measure("random", "weat", vectors=VectorChoice(layer="all"))
    table = layer_table(result)
    tests = result.items["test"].unique()
    assert table["of"].unique().tolist() == list(tests)
    layers = sorted(set(table["layer"]))
    assert len(table) == len(tests) * len(layers)
    for row in table.sample(5, random_state=1).itertuples():
        assert row.value == result.value("effect-size", test=row.of, layer=str(row.layer))
    values = layer_figure(result).spec["data"]["values"]
    np.testing.assert_allclose([value["value"] for value in values], table["value"], rtol=1e-5)
    assert export([result], "layers").startswith("<svg")


def test_a_result_without_layers_has_no_curve() -> None:
    result = eq.measure("random", "weat")
    with pytest.raises(UserError, match="no estimates by layer"):
        layer_figure(result)
    with pytest.raises(UserError, match="2 results were given"):
        export([result, result], "layers")
