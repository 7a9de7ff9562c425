"""How many sentence pairs are enough: the mean distance from neutral in samples of growing size.

This is the size study of the thesis behind the sentence-based evaluation (its Fig. 6: 20 to 100 pairs of
a category, five samples of each size), in two designs. `published` draws without replacement, as the thesis
does: samples of nearly the whole set share most of their pairs, so that their spread shrinks to nothing at
the full size whatever the pairs are worth. `bootstrap` draws with replacement from the same pairs: its
spread is how far a score of that many pairs would move with other pairs of the same kind. Read that one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.errors import UserError, check_seed
from equipoise.measuring import measure
from equipoise.models.protocol import LanguageModel
from equipoise.results import Result
from equipoise.results.records import fixed
from equipoise.results.result import rows_of
from equipoise.studies.steps import Plan

SIZES = (20, 40, 60, 80, 100)
DRAWS, BOOTSTRAP_DRAWS = 5, 200
PUBLISHED, BOOTSTRAP = "published", "bootstrap"
ALL = "all"
PUBLISHED_NAMES = {"sbe": "asld"}
"""What an instrument's own paper calls the mean distance from neutral."""


@dataclass(frozen=True)
class SampleSizeStudy:
    """Every draw, and by design, category and size the mean, the spread and the extremes of the draws."""

    instrument: str
    model: str
    quantity: str
    unit: str
    samples: pd.DataFrame
    table: pd.DataFrame

    def plan(self) -> Plan:
        """What stands above the study on a page."""
        title = f"Sample size: {self.quantity} of {self.model} ({self.unit})"
        settings = {"instrument": self.instrument, "model": self.model}
        return Plan("sample-size", title, settings, ())

    def sentences(self) -> list[str]:
        """How far the whole score moves at each size, and how the two designs are read."""
        whole = self.table[(self.table["design"] == BOOTSTRAP) & (self.table["category"] == ALL)]
        moved = ", ".join(f"{row['size']}: {fixed(row['sd'], 3)}" for row in whole.to_dict("records"))
        return [
            f"Standard deviation of {self.quantity} over {BOOTSTRAP_DRAWS} draws, by items of each category: "
            f"{moved}.",
            f"{PUBLISHED}: drawn without replacement, as in the thesis; near the full size samples share "
            f"their pairs and cannot differ. {BOOTSTRAP}: drawn with replacement; how far other pairs would "
            "move it.",
        ]


def sample_size(
    source: Result | LanguageModel,
    sizes: Sequence[int] = SIZES,
    *,
    draws: int = DRAWS,
    seed: int = 0,
) -> SampleSizeStudy:
    """Draw samples of each size from every category in both designs, and summarise them.

    A model is measured with the sentence-based evaluation first; `all` joins the samples of the categories.
    """
    _check_counts(sizes, draws)
    check_seed(seed)
    result = source if isinstance(source, Result) else measure(source, "sbe")
    distances = item_distances(result)
    dropped = distances[distances["distance"].isna()].groupby("category").size()
    answered = distances.dropna(subset="distance")
    _check_enough(answered, max(sizes), result.instrument)
    samples = _samples(answered, sizes, draws, np.random.default_rng(seed))
    table = (
        samples.groupby(["design", "category", "size"], sort=False)["value"]
        .agg(mean="mean", sd="std", lowest="min", highest="max", draws="size")
        .reset_index()
    )
    counts = answered.groupby("category").size()
    for name, of_category in (("n_available", counts), ("n_dropped", dropped)):
        totals = of_category.to_dict() | {ALL: int(of_category.sum())}
        table[name] = table["category"].map(totals).fillna(0).astype(int)
    quantity = PUBLISHED_NAMES.get(result.instrument, "mean distance from neutral")
    return SampleSizeStudy(
        result.instrument, result.model, quantity, result.quantities[0].unit, samples, table
    )


def item_distances(result: Result) -> pd.DataFrame:
    """The compared items with `distance` (of the score from neutral) and `category`."""
    quantity = result.quantities[0]
    rows = rows_of(result.items, quantity)
    if "category" not in rows or rows.empty:
        raise UserError(
            f"{result.instrument} has no items with a category to study.",
            "Name an instrument whose items have one, such as sbe.",
        )
    distance = (rows[quantity.column] - quantity.neutral).abs()
    table = pd.DataFrame({"item": rows["item"], "category": rows["category"], "distance": distance})
    return table.reset_index(drop=True)


def _samples(
    answered: pd.DataFrame, sizes: Sequence[int], draws: int, rng: np.random.Generator
) -> pd.DataFrame:
    values = {
        str(name): rows["distance"].to_numpy() for name, rows in answered.groupby("category", sort=False)
    }
    rows: list[tuple[str, str, int, int, float]] = []
    for design, count in ((PUBLISHED, draws), (BOOTSTRAP, BOOTSTRAP_DRAWS)):
        for size in sizes:
            for draw in range(1, count + 1):
                picked = {
                    name: rng.choice(pool, size=size, replace=design == BOOTSTRAP)
                    for name, pool in values.items()
                }
                picked[ALL] = np.concatenate(list(picked.values()))
                rows.extend((design, name, size, draw, float(drawn.mean())) for name, drawn in picked.items())
    table = pd.DataFrame(rows, columns=["design", "category", "size", "draw", "value"])
    order = {name: place for place, name in enumerate([PUBLISHED, BOOTSTRAP, *values, ALL])}
    return table.sort_values(
        ["design", "category"], key=lambda one: one.map(order), kind="stable", ignore_index=True
    )


def _check_counts(sizes: Sequence[int], draws: int) -> None:
    if not sizes or min(sizes) < 1:
        raise UserError(
            f"The sample sizes are {', '.join(map(str, sizes)) or 'missing'}.",
            "Give whole numbers above zero, such as 20,40,60.",
        )
    if draws < 2:
        raise UserError(f"{draws} draws of each size have no spread.", "Ask for at least two.")


def _check_enough(answered: pd.DataFrame, largest: int, instrument: str) -> None:
    counts = answered.groupby("category", sort=False).size()
    if counts.empty:
        raise UserError(f"{instrument}: no item was answered.", "Give a result with answered items.")
    if counts.min() < largest:
        raise UserError(
            f"{instrument}: the category {counts.idxmin()!r} has {counts.min()} answered items; {largest} "
            "cannot be drawn.",
            f"Give sizes up to {counts.min()}.",
        )
