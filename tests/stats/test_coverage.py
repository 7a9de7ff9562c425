"""A small part of the coverage benchmark: a range is left only by more than chance allows."""

from math import sqrt

import pytest

from benchmarks.coverage import Cell, cells, simulated

DRAWS = 400
CASES = {
    ("mean", "3 equal clusters, icc 0.1"),
    ("mean", "5 equal clusters, icc 0.5"),
    ("mean", "5 unequal clusters, icc 0.1"),
    ("mean", "5 skewed clusters, icc 0.0"),
    ("mean", "10 skewed clusters, icc 0.5"),
    ("mean", "30 unequal clusters, icc 0.5"),
    ("crossed mean", "8 x 12, sd 0.0 and 0.0"),
    ("crossed mean", "8 x 12, sd 1.0 and 1.0"),
    ("crossed mean", "10 x 10, sd 0.0 and 1.0, gaps"),
    ("share", "0.5 in 10 unequal clusters, icc 0.4"),
    ("share", "0.2 in 30 equal clusters, icc 0.1"),
    ("share", "0.2 in 30 skewed clusters, icc 0.4"),
    ("share", "0.05 in 10 unequal clusters, icc 0.4"),
    ("share", "0.05 in 30 unequal clusters, icc 0.4"),
    ("crossed share", "0.50 in 8 x 12, sd 1.0 and 1.0"),
    ("difference of means", "6 skewed clusters, sides within"),
    ("difference of means", "10 unequal clusters, sides within"),
    ("difference claimed, none there", "10 equal clusters, icc 0.5"),
    ("difference claimed, none there", "10 unequal clusters, icc 0.5"),
    ("difference claimed, one there", "10 equal clusters, shift 0.48"),
    ("difference claimed, one there", "30 equal clusters, shift 0.48"),
}
CHOSEN = [cell for cell in cells() if (cell.what, cell.case) in CASES]


def test_every_chosen_case_is_one_of_the_benchmark():
    assert len(CHOSEN) == len(CASES)


@pytest.mark.parametrize("cell", CHOSEN, ids=lambda cell: f"{cell.what}: {cell.case}")
def test_it_comes_true_as_often_as_it_should(cell: Cell):
    row = simulated(cell, draws=DRAWS, seed=1)
    chance = [2.6 * sqrt(end * (1 - end) / DRAWS) for end in (cell.at_least, cell.at_most)]
    assert cell.at_least - chance[0] <= row.share <= cell.at_most + chance[1]
