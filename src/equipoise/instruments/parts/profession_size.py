"""The size of professions' leanings, by which models are ranked: means of either sign would cancel out."""

from collections.abc import Mapping

import pandas as pd

from equipoise.instruments.parts.estimates import Spec, size_estimate
from equipoise.results import Estimate, Quantity


def size_of_professions(
    key: str, label: str, margin: float, *, unit: str, where: Mapping[str, str]
) -> Quantity:
    """The mean over professions of the absolute value of each one's mean."""
    return Quantity(
        key,
        label,
        margin,
        unit=unit,
        better="lower",
        factors=("profession",),
        where=where,
        over="profession",
        kind="size",
        ranks=True,
    )


def profession_size_estimate(spec: Spec, rows: pd.DataFrame) -> Estimate:
    """The same number of one model's items, each profession one point."""
    named = rows[rows["profession"] != ""]
    means = named.groupby("profession", as_index=False, sort=False)["score"].mean()
    return size_estimate(spec, means["score"], means, ("profession",))
