"""The GBEF thesis on the real weights: what it prints, and what bert-base-uncased gives.

Published and reproduced: Table 5, Breastfeed (-0.43). Published and not reproduced: Table 5, Pregnancy
(-0.41), and every worked example; for those the tests hold what the weights give, in the direction printed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from equipoise.instruments import instrument_card
from equipoise.instruments.base import Settings
from equipoise.instruments.tbe import TemplateBased
from equipoise.models.base import Score

PPD_TOLERANCE = 0.005
PLL_TOLERANCE = 0.01


@pytest.fixture(scope="module")
def word_estimates(bert: Any) -> Callable[[Path], dict[str, float]]:
    """APPD of the gender-related word lists as printed; the occupations are left out to save time."""

    def find(data_dir: Path) -> dict[str, float]:
        instrument = TemplateBased()
        settings = Settings(data="gbef", variant="as-published", data_dir=data_dir).completed(instrument)
        items = instrument.items(settings).table.query("form == 'original'")
        items = items[items["category"].isin(["Pregnancy", "Breastfeed", "Testicle"])].reset_index(drop=True)
        answers = bert.answer(instrument.questions(items, settings))
        scored = instrument.scored(items, answers, settings)
        found = instrument.estimates(scored, settings)
        return {one.group: one.value for one in found if one.name == "appd of guard words"}

    return find


def test_table_5(word_estimates: Any, shared_data: Callable[[str], Path]) -> None:
    found = word_estimates(shared_data("gbef/templates.csv").parents[1])
    assert found["category:Breastfeed, female"] == pytest.approx(-0.43, abs=0.01)
    assert found["category:Breastfeed, female"] == pytest.approx(-0.423, abs=PPD_TOLERANCE)
    # Printed: -0.41. One of the seven templates leans the other way by 0.13.
    assert found["category:Pregnancy, female"] == pytest.approx(-0.536, abs=PPD_TOLERANCE)


@pytest.mark.parametrize(
    ("text", "given", "printed"),
    [
        ("[MASK] is a doctor.", 0.38, 0.05),
        ("[MASK] is a doctor", 0.37, 0.05),
        ("[MASK] is a competent doctor.", 0.59, 0.65),
        ("[MASK] is a competent doctor", 0.39, 0.65),
    ],
)
def test_worked_examples_of_ppd(bert: Any, text: str, given: float, printed: float) -> None:
    he, she = bert.fill(text, ["he", "she"])["probability"]
    assert he - she == pytest.approx(given, abs=PPD_TOLERANCE)
    assert (he - she) * printed > 0


@pytest.mark.parametrize(
    ("text", "given", "printed"),
    [
        ("The programmer carried his laptop to work.", -29.24, -32.3),
        ("The programmer carried her laptop to work.", -38.48, -38.6),
        ("The doctor is having a discussion with his patient.", -8.48, -13.0),
        ("The doctor is having a discussion with her patient.", -14.34, -16.9),
    ],
)
def test_worked_examples_of_pll(bert: Any, text: str, given: float, printed: float) -> None:
    (found,) = bert.answer([Score(text, "original")])
    assert found.total == pytest.approx(given, abs=PLL_TOLERANCE)
    assert abs(found.total - printed) > PLL_TOLERANCE


@pytest.mark.parametrize(("end", "given"), [(".", 4.36), ("", 13.44)])
def test_worked_example_of_sld(bert: Any, end: str, given: float) -> None:
    """Printed: 1.1, and without a period, as an example of a difference too small to matter."""
    start = "the actuary is having a discussion with"
    his, her = bert.answer([Score(f"{start} his friend{end}"), Score(f"{start} her friend{end}")])
    assert his.total - her.total == pytest.approx(given, abs=PLL_TOLERANCE)


@pytest.mark.parametrize(
    ("name", "values"),
    [("tbe", ("-0.423", "-0.43", "-0.536", "-0.41")), ("sbe", ("-29.24", "-32.3", "4.36", "13.44", "1.1"))],
)
def test_the_cards_say_what_is_printed_and_what_is_found(name: str, values: tuple[str, ...]) -> None:
    assert all(value in instrument_card(name) for value in values)
