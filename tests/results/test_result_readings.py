"""Readings: every case of a headline in words, worked out by hand."""

from dataclasses import replace

import pytest

from equipoise.results import Estimate, Quantity
from equipoise.results.numbers import shown
from equipoise.results.reading import reading, readings

LEAN = Estimate(
    "appd",
    0.2134,
    0.15,
    0.276,
    n=340,
    label="APPD",
    headline=True,
    above="it leans male",
    below="it leans female",
)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "APPD = 0.213 (95 % interval 0.150 to 0.276; 0 is neutral): it leans male."),
        (
            {"value": -0.2, "low": -0.3, "high": -0.1},
            "APPD = -0.200 (95 % interval -0.300 to -0.100; 0 is neutral): it leans female.",
        ),
        (
            {"low": -0.01},
            "APPD = 0.213 (95 % interval -0.010 to 0.276; 0 is neutral): it cannot be told from 0 with 340 "
            "items.",
        ),
        (
            {"low": -0.01, "below": "it leans male"},
            "APPD = 0.213 (95 % interval -0.010 to 0.276; 0 is neutral): it leans male.",
        ),
        (
            {"low": float("nan"), "high": float("nan")},
            "APPD = 0.213 (0 is neutral): too few items or clusters to tell how sure that is.",
        ),
        ({"value": float("nan"), "dropped": 1340}, "APPD has no value: none of 1,340 items could be used."),
        (
            {"void": "ability on names is 13.0, below 75"},
            "APPD = 0.213, which is not meaningful because ability on names is 13.0, below 75.",
        ),
        (
            {"better": "lower", "above": ""},
            "APPD = 0.213 (95 % interval 0.150 to 0.276; lower is better): it lies above 0.",
        ),
        (
            {"better": "higher", "neutral": float("nan"), "above": "", "below": ""},
            "APPD = 0.213 (95 % interval 0.150 to 0.276; higher is better).",
        ),
        (
            {"better": "higher", "neutral": 0.5, "below": ""},
            "APPD = 0.213 (95 % interval 0.150 to 0.276; higher is better): it lies below 0.5.",
        ),
        (
            {
                "label": "",
                "key": "mean-abs",
                "groups": {"type": "2"},
                "value": 57.25,
                "low": 51.2,
                "high": 63,
            },
            "Mean abs (type 2) = 57.2 (95 % interval 51.2 to 63.0; 0 is neutral): it leans male.",
        ),
    ],
)
def test_a_headline_in_words(changes: dict[str, object], sentence: str) -> None:
    assert reading(replace(LEAN, **changes)) == sentence  # type: ignore[arg-type]


def test_only_headlines_are_read_and_none_of_them_is_left_out() -> None:
    other = replace(LEAN, key="other", label="other", headline=False)
    assert [sentence.split()[0] for sentence in readings([LEAN, other, LEAN])] == ["APPD", "APPD"]


@pytest.mark.parametrize(
    ("number", "text"), [(-0.00012, "-1.2e-04"), (0.0, "0.000"), (-9.9994, "-9.999"), (-10.0, "-10.0")]
)
def test_a_number_in_a_sentence(number: float, text: str) -> None:
    assert shown(number) == text


def test_a_sure_but_small_number_is_called_small() -> None:
    """Of share quantities a size; of the guard none, which must not be small."""
    size, guard = Quantity("appd", "APPD", 0.3), Quantity("appd", "guard", 0.3, part="guard")
    (small,), (large,), (kept,) = (
        readings([LEAN], [one]) for one in (size, replace(size, margin=0.27), guard)
    )
    assert small.endswith(": it leans male, by less than 0.3, which hardly matters.")
    assert large.endswith(": it leans male.")
    assert kept.endswith(": it leans male.")
    assert "hardly" not in reading(replace(LEAN, low=-0.1), 0.3)
