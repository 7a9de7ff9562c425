"""The GBEF thesis on the real weights: what it prints, and what bert-base-uncased gives.

Published and reproduced: Table 5, Breastfeed (-0.43). Published and not reproduced: Table 5, Pregnancy
(-0.41), and every worked example; for those the tests hold what the weights give, in the direction printed.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from designs import answered, designed, result_of

from equipoise.instruments import instrument_card
from equipoise.models.questions import Score

PPD_TOLERANCE = 0.005
PLL_TOLERANCE = 0.01
THESIS = Path(__file__).resolve().parents[3] / "shared" / "seeds" / "000_56befb4f7d2f0765.txt"


@pytest.fixture(scope="module")
def quoted() -> list[str]:
    """Every sentence that the thesis prints in quotation marks, read where it lies."""
    if not THESIS.exists():
        pytest.skip(f"needs ../shared/seeds/{THESIS.name}")
    text = re.sub(r"<[|].*?[|]>", "", THESIS.read_text(encoding="utf-8"))
    return [" ".join(one.split()) for one in re.findall("“([^”]+)”", text)]


@pytest.fixture(scope="module")
def word_estimates(bert: Any) -> Callable[[Path], dict[str, float]]:
    """APPD of the gender-related word lists as printed; the occupations are left out to save time."""

    def find(data_dir: Path) -> dict[str, float]:
        design = designed("tbe", data="gbef", variant="as-published", data_dir=data_dir)
        items = design.items.query("variation == 'original'")
        items = items[items["category"].isin(["Pregnancy", "Breastfeed", "Testicle"])].reset_index(drop=True)
        design = replace(design, items=items)
        result = result_of("tbe", design, answered("tbe", design, bert))
        return {
            name: result.value("guard-appd", category=name, gender="female")
            for name in ("Pregnancy", "Breastfeed")
        }

    return find


def test_table_5(word_estimates: Any, shared_data: Callable[[str], Path]) -> None:
    found = word_estimates(shared_data("gbef/templates.csv").parents[1])
    assert found["Breastfeed"] == pytest.approx(-0.43, abs=0.01)
    assert found["Breastfeed"] == pytest.approx(-0.423, abs=PPD_TOLERANCE)
    # Printed: -0.41. One of the seven templates leans the other way by 0.13.
    assert found["Pregnancy"] == pytest.approx(-0.536, abs=PPD_TOLERANCE)


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
    ("words", "given", "printed"),
    [
        (("programmer", "his"), -29.24, -32.3),
        (("programmer", "her"), -38.48, -38.6),
        (("doctor", "his", "patient."), -8.48, -13.0),
        (("doctor", "her", "patient."), -14.34, -16.9),
    ],
)
def test_worked_examples_of_pll(
    bert: Any, quoted: list[str], words: tuple[str, ...], given: float, printed: float
) -> None:
    (text,) = {one for one in quoted if one.endswith(".") and set(words) <= {*one.split()}}
    (found,) = bert.answer([Score(text, "original")])
    assert found.total == pytest.approx(given, abs=PLL_TOLERANCE)
    assert abs(found.total - printed) > PLL_TOLERANCE


@pytest.mark.parametrize(("end", "given"), [(".", 4.36), ("", 13.44)])
def test_worked_example_of_sld(bert: Any, quoted: list[str], end: str, given: float) -> None:
    """Printed: 1.1, and without a period, as an example of a difference too small to matter."""
    (his_text,) = {one for one in quoted if "actuary" in one}
    her_text = his_text.replace(" his ", " her ")
    his, her = bert.answer([Score(his_text + end), Score(her_text + end)])
    assert his.total - her.total == pytest.approx(given, abs=PLL_TOLERANCE)


@pytest.mark.parametrize(
    ("name", "values"),
    [("tbe", ("-0.423", "-0.43", "-0.536", "-0.41")), ("sbe", ("-29.24", "-32.3", "4.36", "13.44", "1.1"))],
)
def test_the_cards_say_what_is_printed_and_what_is_found(name: str, values: tuple[str, ...]) -> None:
    assert all(value in instrument_card(name) for value in values)
