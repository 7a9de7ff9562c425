"""Pairs mined from a user's text: what stands for the stereotype there is the text as it was written."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from equipoise.corpora.mining import MINED
from equipoise.data.sets.pairs import OWN
from equipoise.results import Estimate, Quantity

_LABELS = {"mean-sld": "mean SLD", "prefers-stereotype": "prefers the text as written"}
_AS_WRITTEN = ("towards the text as written", "towards the exchanged text")
"""What is said of the quantities instead; their keys stay, so that results can be compared."""


def are_mined(pairs: pd.DataFrame) -> bool:
    """Whether all pairs come from `corpus --pairs`."""
    categories = pairs["category"].str.partition("-")[0]
    return bool((categories == MINED.removeprefix(OWN)).all())


def said_of_texts(quantity: Quantity) -> Quantity:
    """A quantity in words that fit mined pairs."""
    name = quantity.name.replace("the stereotype", "the text as written")
    return replace(quantity, name=name, sides=_AS_WRITTEN) if quantity.sides else quantity


def labelled_as_texts(estimates: Sequence[Estimate], *, unless: str) -> list[Estimate]:
    """The estimates with labels that fit mined pairs; those by the column `unless` are of others."""
    return [
        replace(one, label=_LABELS[one.key]) if one.key in _LABELS and unless not in one.groups else one
        for one in estimates
    ]
