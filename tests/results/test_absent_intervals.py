"""What stands in the place of an interval that is not there."""

import pytest

from equipoise.results.estimate import instead_of_interval
from equipoise.results.records import told

UNKNOWN = float("nan")


@pytest.mark.parametrize(
    ("low", "neutral", "void", "shown"),
    [
        (0.1, 0.0, "", ""),
        (0.1, 0.0, "ability is 40", "not meaningful"),
        (UNKNOWN, 0.0, "", "too few to tell"),
        (UNKNOWN, UNKNOWN, "", "-"),  # a count or a test has none, however many items there are
    ],
)
def test_why_an_interval_is_not_shown(low: float, neutral: float, void: str, shown: str) -> None:
    assert instead_of_interval({"low": low, "neutral": neutral, "void": void}) == shown


def test_a_sentence_says_that_there_are_too_few() -> None:
    assert told(0.5, 0.25, -0.0) == "0.50 [0.25, 0.00]"
    assert told(0.5, UNKNOWN, UNKNOWN) == "0.50 (too few to tell)"
    assert told(UNKNOWN, UNKNOWN, UNKNOWN) == "too few to tell"
