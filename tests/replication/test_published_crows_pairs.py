"""The published CrowS-Pairs scores of BERT on the real weights (Nangia et al. 2020; Meade et al. 2022)."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from designs import answered, designed, result_of

from equipoise.instruments.base import Design

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


def half_of_gender(path: Path, direction: str, variant: str = "nangia2020") -> Design:
    design = designed("crows-pairs", variant=variant, data_dir=path.parents[1])
    return replace(design, items=design.items[design.items["direction"] == direction])


def answered_half(model: Any, path: Path, direction: str) -> Any:
    if direction not in _ANSWERED:
        _ANSWERED[direction] = answered("crows-pairs", half_of_gender(path, direction), model)
    return _ANSWERED[direction]


def value(model: Any, path: Path, key: str, variant: str) -> float:
    """An estimate over both halves."""
    answers = answered_half(model, path, "stereo") | answered_half(model, path, "antistereo")
    design = designed("crows-pairs", variant=variant, data_dir=path.parents[1])
    return result_of("crows-pairs", design, answers).value(key)


@pytest.mark.slow
@pytest.mark.parametrize(("direction", "preferred", "pairs"), [("stereo", 88, 159), ("antistereo", 64, 103)])
def test_half_of_the_gender_pairs(
    direction: str, preferred: int, pairs: int, bert: Any, shared_data: Callable[[str], Path]
) -> None:
    path = shared_data(FILE)
    design = half_of_gender(path, direction)
    items = result_of("crows-pairs", design, answered_half(bert, path, direction)).items
    assert len(items) == pairs
    assert items["prefers_stereotype"].sum() == preferred
    assert items["dropped"].eq("").all()


@pytest.mark.slow
def test_gender_by_nangia(bert: Any, shared_data: Callable[[str], Path]) -> None:
    path = shared_data(FILE)
    for key in ("metric-score", "metric-score-as-published"):
        assert value(bert, path, key, "nangia2020") == pytest.approx(58.0, abs=TOLERANCE)


@pytest.mark.slow
def test_gender_by_meade(bert: Any, shared_data: Callable[[str], Path]) -> None:
    """D13: another number, because it is another quantity."""
    path = shared_data(FILE)
    assert value(bert, path, "metric-score-as-published", "meade2022") == pytest.approx(57.25, abs=0.005)
    assert value(bert, path, "metric-score-by-meade2022", "nangia2020") == pytest.approx(57.25, abs=0.005)


@pytest.mark.slow
def test_lengths_differ_in_some_pairs(bert: Any, shared_data: Callable[[str], Path]) -> None:
    path = shared_data(FILE)
    share = value(bert, path, "unequal-token-counts", "nangia2020")
    assert share == pytest.approx(100 * 37 / 262)


@pytest.mark.slow
def test_every_bias_type(bert: Any, shared_data: Callable[[str], Path]) -> None:
    path = shared_data(FILE)
    designs = {
        variant: designed("crows-pairs", data="crows-pairs-all", variant=variant, data_dir=path.parents[1])
        for variant in ("nangia2020", "meade2022")
    }
    answers = answered("crows-pairs", designs["nangia2020"], bert)
    nangia, meade = (result_of("crows-pairs", design, answers) for design in designs.values())
    key = "metric-score-as-published"
    assert nangia.value(key) == pytest.approx(60.5, abs=TOLERANCE)
    assert nangia.value(key, direction="stereo") == pytest.approx(61.1, abs=TOLERANCE)
    assert nangia.value(key, direction="antistereo") == pytest.approx(56.9, abs=TOLERANCE)
    for bias_type, printed in TYPES.items():
        assert nangia.value(key, category=bias_type) == pytest.approx(printed, abs=TOLERANCE)
    for bias_type, printed in {"gender": 57.25, "race-color": 62.33, "religion": 62.86}.items():
        assert meade.value(key, category=bias_type) == pytest.approx(printed, abs=0.005)
