"""The size of professions' leanings, by which models are ranked: means of either sign would cancel out."""

from dataclasses import replace

import pandas as pd

from equipoise.instruments.parts.estimates import Spec, size_estimate
from equipoise.results import Estimate, Quantity


def size_of_professions(of: Quantity) -> Quantity:
    """The mean over professions of the absolute value of each one's mean, as `of` names it."""
    return replace(of, better="lower", factors=("profession",), over="profession", kind="size", ranks=True)


def profession_size_estimate(spec: Spec, rows: pd.DataFrame) -> Estimate:
    """The same number of one model's items, each profession one point."""
    named = rows[rows["profession"] != ""]
    means = named.groupby("profession", as_index=False, sort=False)["score"].mean()
    return size_estimate(spec, means["score"], means, ("profession",))
