"""What a notebook shows of a result and of a comparison, and what wrong types are told."""

import numpy as np
import pytest
from made_results import made_result

from equipoise.errors import UserError
from equipoise.results import Estimate, Quantity, Result
from equipoise.results.comparison import compare
from equipoise.results.estimate import estimates_table, heading


def measured(model: str, shift: float) -> Result:
    scores = shift + np.random.default_rng(int(10 * shift)).normal(0, 0.1, 60)
    columns = {"text": [f"t{place}" for place in range(60)], "score": list(scores)}
    result = made_result(columns, Quantity("lean", "lean", 0.05), model=model)
    result.estimates = estimates_table([Estimate("lean", shift, shift - 0.1, shift + 0.1, 60, headline=True)])
    result.provenance["sentences"] = ["Lean < 1."]
    return result


def test_a_result_is_shown_by_its_sentences_and_headlines() -> None:
    result = measured("m", 0.5)
    assert repr(result).splitlines() == [f"<Result of {result.instrument} for m: 60 items>", "  Lean < 1."]
    page = result._repr_html_()
    assert "<li>Lean &lt; 1.</li>" in page
    assert "<td>0.5</td>" in page
    assert "<th>95 % low</th>" in page


def test_a_comparison_is_shown_in_words() -> None:
    comparison = compare(measured("a", 0.5), measured("b", 0.1))
    assert repr(comparison) == str(comparison)
    assert "lower" in repr(comparison)
    assert "<th>95 % high</th>" in comparison._repr_html_()


@pytest.mark.parametrize(
    ("column", "read"),
    [
        ("low", "95 % low"),
        ("removed_high", "removed, 95 % high"),
        ("difference, low", "difference, 95 % low"),
        ("random_lowest", "random lowest"),
        ("seed_sd", "seed sd"),
        ("files, SHA-256", "files, SHA-256"),
    ],
)
def test_the_ends_of_an_interval_are_headed_by_what_it_is(column: str, read: str) -> None:
    assert heading(column) == read


@pytest.mark.parametrize("wrong", ["results/a", [1, 2], ["results/a"]])
def test_compare_says_what_it_takes(wrong: object) -> None:
    with pytest.raises(UserError, match="compare takes results and was given"):
        compare(measured("a", 0.5), wrong)  # type: ignore[arg-type]
