"""Pairs mined from a user's text: what stands for the stereotype there is the text as it was written."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from equipoise.corpora.mining import MINED
from equipoise.data.sets.pairs import OWN
from equipoise.results import Estimate


class Words(NamedTuple):
    """What an estimate is called, and what it means on either side of neutral."""

    label: str
    above: str
    below: str


_WORDS = {
    "mean-sld": Words(
        "mean SLD",
        "on average the text is likelier as it was written",
        "on average the text is likelier with women and men exchanged",
    ),
    "prefers-stereotype": Words(
        "prefers the text as written",
        "most sentences are likelier as they were written",
        "most sentences are likelier with women and men exchanged",
    ),
}
"""What is said of estimates instead; their keys stay, so that results can be compared."""


def are_mined(pairs: pd.DataFrame) -> bool:
    """Whether all pairs come from `corpus --pairs`."""
    categories = pairs["category"].str.partition("-")[0]
    return bool((categories == MINED.removeprefix(OWN)).all())


def said_of_texts(estimates: Sequence[Estimate], *, unless: str) -> list[Estimate]:
    """The estimates in words that fit mined pairs; those by the column `unless` are of others."""
    return [
        replace(one, **_WORDS[one.key]._asdict()) if one.key in _WORDS and unless not in one.groups else one
        for one in estimates
    ]
