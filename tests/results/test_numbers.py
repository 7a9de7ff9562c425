"""Numbers as people read them: none that rounds to zero has a minus sign, in words, tables or exports."""

import re

import pytest
from made_results import made_result

from equipoise.report.exports import latex, markdown
from equipoise.report.files import Table, as_latex
from equipoise.results import Estimate, Quantity
from equipoise.results.comparison import compare
from equipoise.results.estimate import estimates_table
from equipoise.results.records import fixed, shown, three_decimals

MINUS_NOTHING = re.compile(r"-0(\.0*)?(?![\d.e])")
"""A minus sign before nothing but zeros."""


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [
        (-0.0004, 3, "0.000"),
        (-0.0, 2, "0.00"),
        (-0.4, 0, "0"),
        (-0.0006, 3, "-0.001"),
        (-12.346, 2, "-12.35"),
        (0.0004, 3, "0.000"),
    ],
)
def test_so_many_decimals(number: float, places: int, text: str) -> None:
    assert fixed(number, places) == text


@pytest.mark.parametrize(
    ("number", "text"), [(-0.0004, "0.000"), (0.0004, "0.000"), (0.5, "+0.500"), (-0.5, "-0.500")]
)
def test_with_its_sign(number: float, text: str) -> None:
    assert fixed(number, 3, sign=True) == text


@pytest.mark.parametrize(
    ("number", "text"), [(-0.0, "0.000"), (0.0004, "+4.0e-04"), (-0.0004, "-4.0e-04"), (0.005, "+0.005")]
)
def test_a_small_number_keeps_its_digits(number: float, text: str) -> None:
    assert three_decimals(number, sign=True) == text
    assert shown(number) == text.removeprefix("+")


def test_what_is_not_there_stays_so() -> None:
    assert fixed(float("nan"), 3) == three_decimals(float("nan")) == "nan"


def test_a_comparison_of_two_models_that_hardly_differ() -> None:
    """A difference of -0.00002 is said with its digits, as the table above the sentence has it."""
    quantity = Quantity("mean", "mean", 0.1, better="lower")
    scores = [0.1 * place for place in range(20)]
    tiny = [score - 0.00002 for score in scores]
    first, second = (
        made_result({"score": values, "text": [str(place) for place in range(20)]}, quantity, model=name)
        for name, values in (("a", scores), ("b", tiny))
    )
    (said,) = compare([first], [second]).sentences()
    assert "difference -2.0e-05" in said
    assert not MINUS_NOTHING.search(said)


def test_exports_round_the_same_way() -> None:
    result = made_result({"score": [0.0]})
    result.estimates = estimates_table([Estimate("mean", -0.0001, -0.0004, 0.5, n=3, headline=True)])
    table = Table("t", "t", ["number"], [[-0.0001]])
    for text in (latex.render([result]), markdown.render([result]), as_latex(table)):
        assert "0.000" in text
        assert not MINUS_NOTHING.search(text)
