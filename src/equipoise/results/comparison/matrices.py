"""Differences of what is no mean: scores of a confusion matrix, tested by resampling clusters.

Both models are drawn with the same clusters where their items are paired, so that what an occupation does to
both cancels out. Every draw is weighted back to the balance of labels that the data have.
"""

from collections.abc import Sequence
from math import nan

import numpy as np
import pandas as pd

from equipoise.results.quantity import Quantity
from equipoise.stats.clusters import Floats
from equipoise.stats.equivalence import Verdict, verdict_on_draws
from equipoise.stats.f1 import cell_counts, four_f1, rebalanced
from equipoise.stats.means import Mean
from equipoise.stats.resampling import Resampled, resampled_sums

CELLS = 4
Sides = tuple[Mean, Mean, Verdict]


def matrix_value(rows: pd.DataFrame, quantity: Quantity) -> Mean:
    """The statistic of one model, with its bootstrap interval."""
    drawn, cells = _drawn(rows, [quantity.column], quantity)
    return _level(drawn, cells, 0, quantity)


def paired_matrices(
    rows: pd.DataFrame, columns: Sequence[str], quantity: Quantity, *, margin: float
) -> Sides | None:
    """The statistic of two models on the same items, and its difference; None where no item has both."""
    drawn, cells = _drawn(rows, columns, quantity)
    if not len(cells):
        return None
    first, second = (_level(drawn, cells, place, quantity) for place in (0, 1))
    draws = _values(drawn, cells, 1, quantity) - _values(drawn, cells, 0, quantity)
    difference = second.value - first.value
    return first, second, verdict_on_draws(difference, drawn, draws, margin=margin, n=len(cells))


def matrices_apart(
    first: pd.DataFrame, second: pd.DataFrame, quantity: Quantity, *, margin: float
) -> Sides | None:
    """The same of items that have nothing in common: each side is drawn by itself."""
    sides = [_drawn(rows, [quantity.column], quantity, seed) for seed, rows in enumerate((first, second))]
    if not all(len(cells) for _, cells in sides):
        return None
    levels = [_level(drawn, cells, 0, quantity) for drawn, cells in sides]
    ours, theirs = (_values(drawn, cells, 0, quantity) for drawn, cells in sides)
    fewest = min((drawn for drawn, _ in sides), key=lambda drawn: drawn.n_clusters)
    n = sum(len(cells) for _, cells in sides)
    difference = levels[1].value - levels[0].value
    return levels[0], levels[1], verdict_on_draws(difference, fewest, theirs - ours, margin=margin, n=n)


def _drawn(
    rows: pd.DataFrame, columns: Sequence[str], quantity: Quantity, seed: int = 0
) -> tuple[Resampled, Floats]:
    """Resampled cells, four for each column of choices, and those of the items that every model answered."""
    assert quantity.contrast is not None
    classes = (quantity.contrast.first, quantity.contrast.second)
    kept = rows[rows[list(columns)].isin(classes).all(axis=1)]
    truth = kept[_there(kept, quantity.contrast.column)] == classes[0]
    cells = np.column_stack([cell_counts(truth, kept[column] == classes[0]) for column in columns])
    clusters = kept[_there(kept, quantity.factors[0])] if quantity.factors else None
    return resampled_sums(cells, clusters, seed=seed), cells


def _values(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Floats:
    part = slice(CELLS * place, CELLS * (place + 1))
    scores = four_f1(rebalanced(drawn.sums[:, part], cells[:, part].sum(axis=0)))
    values: Floats = getattr(scores, quantity.statistic)
    return values


def _level(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Mean:
    part = slice(CELLS * place, CELLS * (place + 1))
    value = float(getattr(four_f1(cells[:, part].sum(axis=0)), quantity.statistic))
    low, high = drawn.interval(_values(drawn, cells, place, quantity))
    # Draws of an absolute value lie above one that is near 0: the interval holds the value all the same.
    return Mean(value, min(low, value), max(high, value), nan, nan, len(cells), drawn.n_clusters)


def _there(rows: pd.DataFrame, name: str) -> str:
    return name if name in rows else f"{name}_first"
