"""Sizes by sentence: leans of opposite sign do not cancel out, as they do in means."""

import pandas as pd
import pytest

from equipoise.instruments import load_instrument
from equipoise.results.comparison.differences import value_of


def test_opposite_leans_cancel_in_the_profession_and_not_in_the_sentence() -> None:
    """Every profession is he in one template and she in the other, by as much."""
    rows = [(f"job {job}", f"template {side}", side * 0.4) for job in range(8) for side in (1, -1)]
    items = pd.DataFrame(rows, columns=["profession", "template", "score"])
    items = items.assign(part="occupation", variation="original")
    quantities = {one.key: one for one in load_instrument("tbe").quantities}
    assert value_of(items, quantities["mean-abs-appd"]).value == pytest.approx(0)
    assert value_of(items, quantities["mean-size"]).value == pytest.approx(0.4)


@pytest.mark.parametrize("name", ["tbe", "lpbs", "winogender", "epicene"])
def test_models_are_ranked_by_the_size_of_the_sentence(name: str) -> None:
    (ranking,) = [one for one in load_instrument(name).quantities if one.ranks]
    assert (ranking.key, ranking.kind, ranking.over, ranking.better) == ("mean-size", "size", "", "lower")
