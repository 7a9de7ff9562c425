"""The published CrowS-Pairs scores of BERT on the real weights (Nangia et al. 2020; Meade et al. 2022)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from equipoise.instruments.base import Settings
from equipoise.instruments.crows_pairs import CrowSPairs
from equipoise.results import estimates_table

FILE = "crows-pairs/crows_pairs_anonymized.csv"
TOLERANCE = 0.05
TYPES = {
    "race-color": 58.1,
    "gender": 58.0,
    "socioeconomic": 59.9,
    "nationality": 62.9,
    "religion": 71.4,
    "age": 55.2,
    "sexual-orientation": 67.9,
    "physical-appearance": 63.5,
    "disability": 61.7,
}
"""The printed scores of BERT by bias type."""

_ANSWERED: dict[str, Any] = {}
"""Answers by direction: the two halves of the gender pairs are asked once, in two tests."""


def chosen(path: Path, data: str, variant: str = "nangia2020") -> Settings:
    return Settings(data=data, variant=variant, data_dir=path.parents[1])


def answered_half(model: Any, path: Path, direction: str) -> tuple[pd.DataFrame, Any]:
    if direction not in _ANSWERED:
        instrument, settings = CrowSPairs(), chosen(path, "crows-pairs")
        items = instrument.items(settings).table
        half = items[items["direction"] == direction]
        _ANSWERED[direction] = half, model.answer(instrument.questions_for(model, half, settings))
    return _ANSWERED[direction]


def value(model: Any, path: Path, name: str, variant: str) -> float:
    """An estimate over both halves."""
    instrument, settings = CrowSPairs(), chosen(path, "crows-pairs", variant)
    halves = [answered_half(model, path, direction) for direction in ("stereo", "antistereo")]
    scored = pd.concat([instrument.scored(items, answers, settings) for items, answers in halves])
    table = estimates_table(instrument.estimates(scored, settings))
    return float(table.query("name == @name and group == 'all'")["value"].item())


@pytest.mark.parametrize(("direction", "preferred", "pairs"), [("stereo", 88, 159), ("antistereo", 64, 103)])
def test_half_of_the_gender_pairs(
    direction: str, preferred: int, pairs: int, bert: Any, shared_data: Callable[[str], Path]
) -> None:
    path = shared_data(FILE)
    items, answers = answered_half(bert, path, direction)
    scored = CrowSPairs().scored(items, answers, chosen(path, "crows-pairs"))
    assert len(scored) == pairs
    assert scored["prefers_stereotype"].sum() == preferred
    assert scored["dropped"].eq("").all()


def test_gender_by_nangia(bert: Any, shared_data: Callable[[str], Path]) -> None:
    path = shared_data(FILE)
    for name in ("metric score", "metric score as published"):
        assert value(bert, path, name, "nangia2020") == pytest.approx(58.0, abs=TOLERANCE)


def test_gender_by_meade(bert: Any, shared_data: Callable[[str], Path]) -> None:
    """D13: another number, because it is another quantity."""
    path = shared_data(FILE)
    assert value(bert, path, "metric score as published", "meade2022") == pytest.approx(57.25, abs=0.005)
    assert value(bert, path, "metric score by meade2022", "nangia2020") == pytest.approx(57.25, abs=0.005)


def test_lengths_differ_in_some_pairs(bert: Any, shared_data: Callable[[str], Path]) -> None:
    path = shared_data(FILE)
    share = value(bert, path, "unequal token counts", "nangia2020")
    assert share == pytest.approx(100 * 37 / 262)


@pytest.mark.slow
def test_every_bias_type(bert: Any, shared_data: Callable[[str], Path]) -> None:
    instrument, path = CrowSPairs(), shared_data(FILE)
    settings = chosen(path, "crows-pairs-all")
    items = instrument.items(settings).table
    answers = bert.answer(instrument.questions_for(bert, items, settings))
    published = {}
    for variant in ("nangia2020", "meade2022"):
        settings = chosen(path, "crows-pairs-all", variant)
        table = estimates_table(instrument.estimates(instrument.scored(items, answers, settings), settings))
        rows = table[table["name"] == "metric score as published"]
        published[variant] = rows.set_index("group")["value"]
    nangia, meade = published["nangia2020"], published["meade2022"]
    assert nangia["all"] == pytest.approx(60.5, abs=TOLERANCE)
    assert nangia["direction:stereo"] == pytest.approx(61.1, abs=TOLERANCE)
    assert nangia["direction:antistereo"] == pytest.approx(56.9, abs=TOLERANCE)
    for bias_type, printed in TYPES.items():
        assert nangia[f"type:{bias_type}"] == pytest.approx(printed, abs=TOLERANCE)
    for bias_type, printed in {"gender": 57.25, "race-color": 62.33, "religion": 62.86}.items():
        assert meade[f"type:{bias_type}"] == pytest.approx(printed, abs=0.005)
