"""Scores item by item: what was dropped has none, and a reader may drop an item itself."""

import math

import pandas as pd

from equipoise.instruments.parts.items import Row, asked_rows, with_scores

ITEMS = pd.DataFrame(
    {"item": ["a", "b", "c"], "text": ["1", "2", "3"], "dropped": ["", "no slot", ""]}, index=[4, 7, 9]
)


def test_only_what_is_not_dropped_is_asked() -> None:
    assert [row["item"] for row in asked_rows(ITEMS)] == ["a", "c"]


def test_a_dropped_item_is_not_read_and_keeps_its_reason() -> None:
    read: list[str] = []

    def score(row: Row) -> Row:
        read.append(row["item"])
        return {"score": float(row["text"]), "kind": "seen"}

    scored = with_scores(ITEMS, score)
    assert read == ["a", "c"]
    assert scored.index.tolist() == [4, 7, 9]
    assert scored.columns.tolist() == ["item", "text", "score", "kind", "dropped"]
    assert scored["score"].iloc[[0, 2]].tolist() == [1.0, 3.0]
    assert math.isnan(scored["score"].iloc[1])
    assert scored["dropped"].tolist() == ["", "no slot", ""]


def test_a_reader_may_say_why_an_item_is_dropped() -> None:
    scored = with_scores(
        ITEMS, lambda row: {"score": 0.5, "dropped": "unknown word" if row["item"] == "c" else ""}
    )
    assert scored["dropped"].tolist() == ["", "no slot", "unknown word"]


def test_the_given_items_are_not_changed() -> None:
    before = ITEMS.copy()
    with_scores(ITEMS, lambda _: {"score": 0.0})
    pd.testing.assert_frame_equal(ITEMS, before)
