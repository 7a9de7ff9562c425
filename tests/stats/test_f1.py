"""The four F1 scores of one confusion matrix or of many, and the identity that binds them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.stats.f1 import FourF1, cell_counts, checked, four_f1, rebalanced
from equipoise.stats.resampling import resampled_sums


def plain_f1(truth: list[bool], guesses: list[bool]) -> float:
    """F1 x 100 by precision and recall."""
    hits = sum(one and other for one, other in zip(truth, guesses, strict=True))
    if not hits:
        return 0.0
    precision, recall = hits / sum(guesses), hits / sum(truth)
    return 200 * precision * recall / (precision + recall)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_f1_scores_equal_precision_and_recall_and_obey_the_identity(pairs: list[tuple[bool, bool]]) -> None:
    truth, guesses = [one for one, _ in pairs], [other for _, other in pairs]
    found = four_f1(cell_counts(truth, guesses).sum(axis=0))
    not_truth, not_guesses = [not one for one in truth], [not one for one in guesses]
    expected = FourF1(
        plain_f1(truth, guesses),
        plain_f1(not_truth, guesses),
        plain_f1(not_truth, not_guesses),
        plain_f1(truth, not_guesses),
    )
    assert vars(found) == pytest.approx(vars(expected))
    assert checked(found) is found
    right = sum(one == other for one, other in pairs)
    assert math.isnan(found.identity) == (right in (0, len(pairs)))


def test_scores_that_contradict_each_other_are_not_accepted() -> None:
    with pytest.raises(AssertionError, match="do not come from one confusion matrix"):
        checked(FourF1(*map(np.float64, (67.0, 52.4, 45.0, 21.5))))


def test_a_pole_that_is_never_predicted_scores_0_and_no_sentence_scores_nothing() -> None:
    assert vars(four_f1((5, 5, 0, 0))) == pytest.approx(
        {"first_pro": 100 * 2 / 3, "first_anti": 100 * 2 / 3, "second_pro": 0, "second_anti": 0}
    )
    assert math.isnan(four_f1((0, 0, 0, 0)).first_pro)


def test_a_draw_is_weighted_back_to_the_balance_of_the_labels() -> None:
    # Rows: two clusters of the first pole, two of the second; 4 sentences each.
    counts = np.array([[3, 0, 1, 0], [1, 0, 3, 0], [0, 2, 0, 2], [0, 4, 0, 0]], dtype=float)
    whole = counts.sum(axis=0)
    # All; three clusters of the first pole and one of the second (12 sentences count as 8, 4 as 8); one only.
    drawn = np.array([counts[[0, 1, 2, 3]], counts[[0, 0, 1, 2]], counts[[0, 1, 0, 1]]]).sum(axis=1)
    scores = four_f1(rebalanced(drawn, whole))
    assert scores.first_pro[0] == four_f1((4, 6, 4, 2)).first_pro
    expected = four_f1((7 * 8 / 12, 2 * 8 / 4, 5 * 8 / 12, 2 * 8 / 4))
    assert {name: both[1] for name, both in vars(scores).items()} == pytest.approx(vars(expected))
    assert math.isnan(scores.first_pro[2])


def test_many_matrices_at_once_are_each_scored_alone() -> None:
    rng = np.random.default_rng(0)
    cells = cell_counts(rng.random(60) < 0.5, rng.random(60) < 0.6)
    cells[:30] = cell_counts([True] * 30, [True] * 30)
    draws = resampled_sums(cells, range(60), draws=50, seed=1)
    together = checked(four_f1(draws.sums))
    names = ["first_pro", "skew", "stereotype", "absolute_skew", "absolute_stereotype", "lower", "identity"]
    for name in names:
        alone = [float(getattr(four_f1(row), name)) for row in draws.sums]
        assert getattr(together, name).tolist() == pytest.approx(alone, nan_ok=True)
    interval = draws.interval(together.skew)
    assert interval.low < four_f1(cells.sum(axis=0)).skew < interval.high


def test_skew_and_stereotype_by_hand() -> None:
    scores = FourF1(*(np.float64(score) for score in (80.0, 60.0, 50.0, 70.0)))
    assert (scores.skew_pro, scores.skew_anti, scores.skew, scores.absolute_skew) == (30, -10, 10, 20)
    assert (scores.stereotype_first, scores.stereotype_second) == (20, -20)
    assert (scores.stereotype, scores.absolute_stereotype, scores.lower) == (0, 20, 50)
