"""Estimates: one number each, with what it is of, its interval, and which way is good."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

import pandas as pd

COLUMNS = (
    *("key", "by", "level", "label", "value", "low", "high", "n", "dropped"),
    *("neutral", "better", "unit", "headline", "void"),
)
"""What every estimate carries as a row of a table; `better` says which way is good: see `BETTER`."""

BETTER = {
    "neutral": "nearer to the neutral value",
    "lower": "lower",
    "higher": "higher",
    "none": "neither way: for orientation",
}

CROSSED = " x "
"""What joins the names of an estimate that is by two things at once; composed, never taken apart."""

NOT_MEANINGFUL, TOO_FEW, NONE = "not meaningful", "too few to tell", "-"
"""In the place of an interval that says nothing, that could not be made, or that counts do not have."""

_KINDS = {"value": float, "low": float, "high": float, "neutral": float, "headline": bool}


@dataclass(frozen=True)
class Estimate:
    """One number with its interval, what it is by and at which level, and which way is good.

    `groups` maps what the estimate is by to the level it is at, such as `{"category": "medical"}`; it is
    empty for an estimate over every item. A `headline` is one of the few numbers to read first; `void` says
    why it means nothing where its own conditions fail.
    """

    key: str
    value: float
    low: float
    high: float
    n: int
    dropped: int = 0
    groups: Mapping[str, str] = field(default_factory=dict)
    label: str = ""
    neutral: float = 0.0
    better: str = "neutral"
    unit: str = ""
    headline: bool = False
    void: str = ""

    @property
    def by(self) -> str:
        """What the estimate is by; nothing over every item."""
        return by_of(self.groups)

    @property
    def level(self) -> str:
        """At which level of it."""
        return level_of(self.groups)


class Summary(NamedTuple):
    """What an instrument says of its scored items: numbers, what a reader must know first, and sentences."""

    estimates: list[Estimate]
    remarks: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()


def by_of(groups: Mapping[str, str]) -> str:
    """The names of the groups in one order, whatever order they were given in."""
    return CROSSED.join(sorted(groups))


def level_of(groups: Mapping[str, str]) -> str:
    """The levels of the groups in the order of their names."""
    return CROSSED.join(str(groups[name]) for name in sorted(groups))


_PLACES = {
    ("gender", ""): "{} persons",
    ("group", ""): "{} professions",
    ("items", "confident"): "confident answers only",
    ("type", "1"): "type 1, where meaning tells who is meant",
    ("type", "2"): "type 2, where grammar tells who is meant",
}
"""Levels in words, by the group and the level; an empty level stands for every other one."""


def place_in_words(by: str, level: str, *, named: bool = True) -> str:
    """What an estimate is of, as people read it: its levels, each with what it is a level of if `named`."""
    names, levels = by.split(CROSSED), level.split(CROSSED)
    if len(names) != len(levels):  # a level of the user's holds the mark that joins levels
        return f"{by} {level}" if named else level
    words = [
        _PLACES.get((name, one)) or _PLACES.get((name, ""), f"{name} {{}}" if named else "{}")
        for name, one in zip(names, levels, strict=True)
    ]
    return ", ".join(word.replace("{}", one) for word, one in zip(words, levels, strict=True))


def estimates_table(estimates: Iterable[Estimate]) -> pd.DataFrame:
    """Estimates as a table, a row each."""
    rows = [[_cell(estimate, column) for column in COLUMNS] for estimate in estimates]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(_KINDS)


def _cell(estimate: Estimate, column: str) -> object:
    value = getattr(estimate, column)
    return (value or estimate.key.replace("-", " ")) if column == "label" else value


def instead_of_interval(row: Mapping[Any, Any]) -> str:
    """Why a row of a table of estimates is to be shown without its interval; empty where it is not."""
    if row["void"]:
        return NOT_MEANINGFUL
    if not isnan(row["low"]):
        return ""
    return NONE if isnan(row["neutral"]) else TOO_FEW


_ENDS = {"low": "95 % low", "high": "95 % high"}


def heading(column: str) -> str:
    """The heading of a column; the ends of an interval say which interval it is."""
    *before, last = column.replace("_", " ").split(" ")
    if last not in _ENDS:
        return " ".join([*before, last])
    of = " ".join(before).removesuffix(",")
    return f"{of}, {_ENDS[last]}" if of else _ENDS[last]
