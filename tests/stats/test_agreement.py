"""Agreement of annotators."""

from itertools import combinations
from math import isnan

import numpy as np
import pytest

from equipoise.errors import UserError
from equipoise.stats.agreement import fleiss_kappa, majority_vote

# Ten items, fourteen raters, five labels: the worked example that most texts on Fleiss' kappa use.
COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip


def test_the_worked_example_gives_its_kappa():
    rows = [[label for label, n in enumerate(row) for _ in range(n)] for row in COUNTS]
    assert fleiss_kappa(rows) == pytest.approx(0.210, abs=5e-4)


def test_kappa_is_agreement_beyond_chance_counted_pair_by_pair():
    rng = np.random.default_rng(0)
    rows = rng.choice(["low", "neutral", "high"], size=(30, 4), p=[0.2, 0.5, 0.3]).tolist()
    agreed = np.mean([a == b for row in rows for a, b in combinations(row, 2)])
    shares = [np.mean(np.array(rows) == label) for label in ("low", "neutral", "high")]
    chance = sum(share**2 for share in shares)
    assert fleiss_kappa(rows) == pytest.approx((agreed - chance) / (1 - chance))


def test_full_agreement_is_one_and_a_single_label_is_undefined():
    assert fleiss_kappa([["a", "a"], ["b", "b"]]) == pytest.approx(1.0)
    assert isnan(fleiss_kappa([["a", "a"], ["a", "a"]]))


def test_kappa_is_defined_where_one_label_is_nearly_always_used():
    """One of 40 items has another label, on which both agree: chance is .95, kappa still 1."""
    assert fleiss_kappa([["a", "a"]] * 39 + [["b", "b"]]) == pytest.approx(1.0)


def test_kappa_refuses_uneven_rows_and_says_how_uneven():
    with pytest.raises(UserError, match="2 to 3 labels"):
        fleiss_kappa([["a", "b", "a"], ["a", None, "b"]])
    with pytest.raises(UserError):
        fleiss_kappa([])


def test_majority_vote_drops_ties_and_missing_votes():
    rows = [
        ["a", "b", "a"],
        ["a", "b"],
        ["a", "a", "b", "b", "c"],
        ["c", "a", "c", "b"],
        [None, float("nan"), "b"],
        [],
    ]
    assert majority_vote(rows) == ["a", None, None, "c", "b", None]
