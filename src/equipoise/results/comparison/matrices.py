"""Differences of what is no mean: scores of a confusion matrix and GBM, tested by resampling clusters.

Both models are drawn with the same clusters where their items are paired, so that what an occupation does to
both cancels out. A score of a confusion matrix is worked out of every draw after it was weighted back to the
balance of labels that the data have.
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
from equipoise.stats.ratios import gender_bias_metric, sided_cells
from equipoise.stats.resampling import Resampled, resampled_sums

GBM = "gbm"
"""The one statistic that is no score of a confusion matrix: it reads shares, by the class of the item."""

MATRIX = 4
"""Cells of a confusion matrix."""

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
    fewest = min((drawn for drawn, _ in sides), key=lambda drawn: (drawn.can_tell, drawn.n_clusters))
    n = sum(len(cells) for _, cells in sides)
    difference = levels[1].value - levels[0].value
    return levels[0], levels[1], verdict_on_draws(difference, fewest, theirs - ours, margin=margin, n=n)


def _drawn(
    rows: pd.DataFrame, columns: Sequence[str], quantity: Quantity, seed: int = 0
) -> tuple[Resampled, Floats]:
    """Resampled cells, as many for each column, and those of the items that every model answered."""
    assert quantity.contrast is not None
    classes = (quantity.contrast.first, quantity.contrast.second)
    answers = rows[list(columns)]
    known = answers.notna() if quantity.statistic == GBM else answers.isin(classes)
    kept = rows[known.all(axis=1)]
    cells = np.column_stack([_cells(kept, column, quantity) for column in columns])
    clusters = kept[_there(kept, quantity.factors[0])] if quantity.factors else None
    sides = kept[_there(kept, quantity.contrast.column)]
    return resampled_sums(cells, clusters, sides=sides, seed=seed), cells


def _cells(rows: pd.DataFrame, column: str, quantity: Quantity) -> Floats:
    """What one model's statistic is made of, item by item: shares, or a 1 in a cell of the matrix."""
    assert quantity.contrast is not None
    is_first = rows[_there(rows, quantity.contrast.column)] == quantity.contrast.first
    if quantity.statistic == GBM:
        side = column.removeprefix(quantity.column)
        return sided_cells(
            rows[[f"{name}{side}" for name in quantity.shares]].to_numpy(dtype=float), is_first
        )
    return cell_counts(is_first, rows[column] == quantity.contrast.first)


def _part(place: int, quantity: Quantity) -> slice:
    """The columns of one model's cells: shares and a count for either class, or the four of a matrix."""
    width = 2 * (len(quantity.shares) + 1) if quantity.statistic == GBM else MATRIX
    return slice(width * place, width * (place + 1))


def _statistic(sums: Floats, quantity: Quantity) -> Floats:
    if quantity.statistic == GBM:
        return gender_bias_metric(sums)
    values: Floats = getattr(four_f1(sums), quantity.statistic)
    return values


def _values(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Floats:
    part = _part(place, quantity)
    if quantity.statistic == GBM:
        return _statistic(drawn.sums[:, part], quantity)
    return _statistic(rebalanced(drawn.sums[:, part], cells[:, part].sum(axis=0)), quantity)


def _level(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Mean:
    value = float(_statistic(cells[:, _part(place, quantity)].sum(axis=0), quantity))
    low, high = drawn.interval(_values(drawn, cells, place, quantity))
    # Draws of an absolute value lie above one that is near 0: the interval holds the value all the same.
    return Mean(value, min(low, value), max(high, value), nan, nan, len(cells), drawn.n_clusters)


def _there(rows: pd.DataFrame, name: str) -> str:
    return name if name in rows else f"{name}_first"
