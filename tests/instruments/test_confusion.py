"""The four F1 scores of one confusion matrix, the identity that binds them, and mentions of people."""

import math

import numpy as np
import pytest
from equipoise.instruments.confusion import FourF1, cell_counts, checked, four_f1, resampled_scores
from equipoise.instruments.mentions import mention_spans, with_name
from hypothesis import given
from hypothesis import strategies as st


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
        checked(FourF1(67.0, 52.4, 45.0, 21.5))


def test_a_pole_that_is_never_predicted_scores_0_and_no_sentence_scores_nothing() -> None:
    assert vars(four_f1((5, 5, 0, 0))) == pytest.approx(
        {"first_pro": 100 * 2 / 3, "first_anti": 100 * 2 / 3, "second_pro": 0, "second_anti": 0}
    )
    assert math.isnan(four_f1((0, 0, 0, 0)).first_pro)


def test_a_draw_is_weighted_back_to_the_balance_of_the_labels() -> None:
    # Rows: two clusters of the first pole, two of the second; 4 sentences each.
    counts = np.array([[3, 0, 1, 0], [1, 0, 3, 0], [0, 2, 0, 2], [0, 4, 0, 0]], dtype=float)
    scores = resampled_scores(counts)
    assert scores(np.arange(4)) == four_f1((4, 6, 4, 2))
    # Three clusters of the first pole and one of the second: 12 sentences count as 8, 4 as 8.
    drawn = vars(scores(np.array([0, 0, 1, 2])))
    assert drawn == pytest.approx(vars(four_f1((7 * 8 / 12, 2 * 8 / 4, 5 * 8 / 12, 2 * 8 / 4))))
    assert math.isnan(scores(np.array([0, 1, 0, 1])).first_pro)


def test_names_take_the_place_of_the_first_mention_and_its_articles() -> None:
    text = "The cook asked the the chief about a good cook."
    assert with_name(with_name(text, "cook", "Bob"), "chief", "Alice") == "Bob asked Alice about a good cook."
    assert with_name("The nurse's bag and the nurses", "nurse", "Alice") == "Alice's bag and the nurses"
    assert mention_spans("A cooked meal for the Cook", "cook") == ((22, 26),)
