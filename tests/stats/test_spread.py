"""How far the means of levels lie apart: against plain loops, with gaps and draws."""

import numpy as np
import pytest

from equipoise.stats.ratios import deviation_of_means, level_cells, range_of_means
from equipoise.stats.resampling import bootstrap_of

VALUES = np.array([1.0, 3.0, 10.0, 20.0, 5.0])
LEVELS = ["a", "a", "b", "b", "c"]


def test_by_hand() -> None:
    """The means are 2, 15 and 5."""
    sums = level_cells(VALUES, LEVELS).sum(axis=0)
    assert sums.tolist() == [4, 30, 5, 2, 2, 1]
    assert range_of_means(sums) == 13
    assert deviation_of_means(sums) == pytest.approx(np.std([2, 15, 5], ddof=1))


def test_a_level_without_items_is_unknown() -> None:
    cells = level_cells(VALUES, LEVELS)
    without_c = cells[:4].sum(axis=0)
    assert np.isnan(range_of_means(without_c))
    assert np.isnan(deviation_of_means(without_c))
    assert np.isnan(deviation_of_means(level_cells(VALUES, ["a"] * 5).sum(axis=0)))


def test_all_draws_at_once_are_the_draws_one_by_one() -> None:
    rng = np.random.default_rng(1)
    levels = rng.choice(["a", "b", "c"], size=60).tolist()
    values = rng.normal(size=60)
    cells = level_cells(values, levels)
    draws = rng.integers(60, size=(20, 60))
    together = range_of_means(cells[draws].sum(axis=1))
    for picked, spread in zip(draws, together, strict=True):
        means = [np.mean([values[n] for n in picked if levels[n] == level]) for level in "abc"]
        assert spread == pytest.approx(max(means) - min(means))


def test_an_interval_holds_a_difference_that_is_there() -> None:
    rng = np.random.default_rng(2)
    words = [number // 2 for number in range(200)]
    levels = ["a", "b"] * 100
    values = rng.normal(scale=0.1, size=200) + np.where(np.array(levels) == "a", 0.5, 0.0)
    low, high = bootstrap_of(range_of_means, level_cells(values, levels), words)
    assert 0.4 < low < 0.5 < high < 0.6
