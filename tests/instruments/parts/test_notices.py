"""What is said of dropped items: all are counted, and the usual reasons are named."""

import pandas as pd

from equipoise.preparing import dropped_notice


def test_items_beyond_the_named_reasons_are_counted() -> None:
    reasons = ["long"] * 4 + ["odd"] * 3 + ["rare"] * 2 + ["late"] + [""] * 10
    (said,) = dropped_notice(pd.DataFrame({"dropped": reasons}))
    assert said == "10 of 20 items were dropped: long (4); odd (3); rare (2)"


def test_nothing_is_said_of_nothing() -> None:
    assert dropped_notice(pd.DataFrame({"dropped": ["", ""]})) == []
