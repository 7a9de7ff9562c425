"""Sizes of leanings, where the mean of either sign would cancel out: by sentence, and by profession."""

from dataclasses import replace

import pandas as pd

from equipoise.instruments.parts.estimates import Spec, size_estimate
from equipoise.results import Estimate, Quantity


def size_of_sentences(of: Quantity, name: str) -> Quantity:
    """The mean absolute value of the sentences, by which models are ranked.

    The size of a profession's mean is no substitute: leans of opposite sign cancel out over its templates,
    so that a change which only moved them apart would pass for a removal (57 % by profession, 2 % by
    sentence, for a refit of BERT's head).
    """
    label = f"mean |{of.label}| of a sentence"
    shown = replace(of, key="mean-size", label=label, name=name, sides=(), headline=True)
    return replace(shown, better="lower", kind="size", ranks=True)


def size_of_professions(of: Quantity) -> Quantity:
    """The mean over professions of the absolute value of each one's mean, as `of` names it."""
    return replace(of, better="lower", factors=("profession",), over="profession", kind="size")


def profession_size_estimate(spec: Spec, rows: pd.DataFrame) -> Estimate:
    """The same number of one model's items, each profession one point."""
    named = rows[rows["profession"] != ""]
    means = named.groupby("profession", as_index=False, sort=False)["score"].mean()
    return size_estimate(spec, means["score"], means, ("profession",))
