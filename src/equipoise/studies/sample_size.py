"""How many sentence pairs are enough: the mean distance from neutral in samples of growing size.

This is the size study of the thesis behind the sentence-based evaluation (its Fig. 6: 20 to 100 pairs of
a category, five samples of each size). The thesis shows the mean of the five; here their spread is shown as
well, because the mean of five samples hides how far a single one can be off. Samples of nearly the whole
set can hardly differ, since they share most of their pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.errors import UserError
from equipoise.instruments.base import ALL
from equipoise.measuring import measure
from equipoise.models.base import LanguageModel
from equipoise.results import Result
from equipoise.studies.scores import item_distances, quantity_of

SIZES = (20, 40, 60, 80, 100)
DRAWS = 5


@dataclass(frozen=True)
class SampleSizeStudy:
    """Every draw, and by category and size the mean, the spread and the extremes of the draws."""

    instrument: str
    model: str
    quantity: str
    unit: str
    samples: pd.DataFrame
    table: pd.DataFrame


def sample_size(
    source: Result | LanguageModel,
    sizes: Sequence[int] = SIZES,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> SampleSizeStudy:
    """Draw samples of each size from every category, without replacement, and summarise them.

    A model is measured with the sentence-based evaluation first; `all` joins the samples of the categories.
    """
    result = source if isinstance(source, Result) else measure(source, "sbe")
    _check_counts(sizes, draws)
    distances = item_distances(result)
    dropped = distances[distances["distance"].isna()].groupby("category").size()
    answered = distances.dropna(subset="distance")
    _check_enough(answered, max(sizes), result.instrument)
    samples = _drawn(answered, sizes, draws, np.random.default_rng(seed))
    table = (
        samples.groupby(["category", "size"], sort=False)["value"]
        .agg(mean="mean", sd="std", lowest="min", highest="max", draws="size")
        .reset_index()
    )
    counts = answered.groupby("category").size()
    for name, found in (("n_available", counts), ("n_dropped", dropped)):
        totals = found.to_dict() | {ALL: int(found.sum())}
        table[name] = table["category"].map(totals).fillna(0).astype(int)
    quantity, unit = quantity_of(result.instrument), result.provenance["comparable"]["unit"]
    return SampleSizeStudy(result.instrument, result.model, quantity, unit, samples, table)


def _drawn(
    answered: pd.DataFrame, sizes: Sequence[int], draws: int, rng: np.random.Generator
) -> pd.DataFrame:
    values = {name: rows["distance"].to_numpy() for name, rows in answered.groupby("category", sort=False)}
    rows: list[tuple[str, int, int, float]] = []
    for size in sizes:
        for draw in range(1, draws + 1):
            picked = {name: rng.choice(one, size=size, replace=False) for name, one in values.items()}
            picked[ALL] = np.concatenate(list(picked.values()))
            rows.extend((name, size, draw, float(one.mean())) for name, one in picked.items())
    table = pd.DataFrame(rows, columns=["category", "size", "draw", "value"])
    order = {name: place for place, name in enumerate([*values, ALL])}
    return table.sort_values("category", key=lambda one: one.map(order), kind="stable", ignore_index=True)


def _check_counts(sizes: Sequence[int], draws: int) -> None:
    if not sizes or min(sizes) < 1:
        raise UserError(
            f"The sample sizes are {', '.join(map(str, sizes)) or 'missing'}.",
            "Give whole numbers above zero, such as 20,40,60.",
        )
    if draws < 2:
        raise UserError(f"{draws} draws of each size have no spread.", "Ask for at least two.")


def _check_enough(answered: pd.DataFrame, largest: int, instrument: str) -> None:
    for name, count in answered.groupby("category", sort=False).size().items():
        if count < largest:
            raise UserError(
                f"{instrument}: the category {name!r} has {count} answered items; {largest} cannot be drawn.",
                f"Give sizes up to {count}.",
            )
