"""The page on controls and the cards quote what `study controls` gave."""

import pandas as pd
import pytest

from equipoise.instruments import DEFAULT_AUDIT, instrument_card
from recipes.controls_page import CONTROLS, PAGE, limit_in_words, page


def test_the_page_holds_the_kept_tables() -> None:
    assert PAGE.read_text("utf-8") == page()


@pytest.mark.parametrize("name", DEFAULT_AUDIT)
def test_a_card_quotes_the_detection_limit(name: str) -> None:
    limit = limit_in_words(pd.read_csv(CONTROLS), name)
    (said,) = [line for line in instrument_card(name).splitlines() if line.strip().startswith("Detects")]
    assert f"a lean of {limit} in 8 of 10 draws" in said
