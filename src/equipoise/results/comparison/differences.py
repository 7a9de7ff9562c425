"""Differences: one quantity of two results, item by item, with the interval that `measure` would give.

Scores of a confusion matrix and GBM are tested by resampling clusters: both models are drawn with the same
clusters where their items are paired, so that what an occupation does to both cancels out. A score of a
matrix is worked out of every draw after it was weighted back to the balance of labels that the data have.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
import pandas as pd

from equipoise.results.comparison.pairing import FIRST, SECOND, Paired
from equipoise.results.quantity import Kind, Quantity
from equipoise.results.result import rows_of
from equipoise.stats.clusters import Floats
from equipoise.stats.equivalence import Verdict, verdict_on, verdict_on_draws
from equipoise.stats.f1 import cell_counts, four_f1, rebalanced
from equipoise.stats.means import (
    Factors,
    Mean,
    difference_apart,
    difference_of_means,
    mean_with_interval,
    probability_with_interval,
    share_with_interval,
    size_with_interval,
)
from equipoise.stats.ratios import gender_bias_metric, sided_cells
from equipoise.stats.resampling import Resampled, resampled_sums

GBM = "gbm"
"""The one statistic that is not a score of a confusion matrix: it reads shares, by the class of the item."""

MATRIX = 4
"""Cells of a confusion matrix."""

Sides = tuple[Mean, Mean, Verdict]


def matrix_value(rows: pd.DataFrame, quantity: Quantity) -> Mean:
    """The statistic of one model, with its bootstrap interval."""
    drawn, cells = _drawn(rows, [quantity.column], quantity)
    return _matrix_level(drawn, cells, 0, quantity)


def paired_matrices(
    rows: pd.DataFrame, columns: Sequence[str], quantity: Quantity, *, margin: float
) -> Sides | None:
    """The statistic of two models on the same items, and its difference; None where no item has both."""
    drawn, cells = _drawn(rows, columns, quantity)
    if not len(cells):
        return None
    first, second = (_matrix_level(drawn, cells, place, quantity) for place in (0, 1))
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
    levels = [_matrix_level(drawn, cells, 0, quantity) for drawn, cells in sides]
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


def _matrix_level(drawn: Resampled, cells: Floats, place: int, quantity: Quantity) -> Mean:
    value = float(_statistic(cells[:, _part(place, quantity)].sum(axis=0), quantity))
    low, high = drawn.interval(_values(drawn, cells, place, quantity))
    # Draws of an absolute value lie above one that is near 0: the interval holds the value all the same.
    return Mean(value, min(low, value), max(high, value), nan, nan, len(cells), drawn.n_clusters)


_WITH_INTERVAL: dict[Kind, Callable[[Floats, Factors], Mean]] = {
    "mean": mean_with_interval,
    "share": share_with_interval,
    "probability": probability_with_interval,
    "size": size_with_interval,
}


@dataclass(frozen=True)
class Difference:
    """A quantity of two models and its paired difference (second minus first), with a verdict in words."""

    quantity: Quantity
    first: Mean
    second: Mean
    verdict: Verdict
    margin: float


def value_of(items: pd.DataFrame, quantity: Quantity) -> Mean:
    """The quantity of one result, with the same clusters as its estimates."""
    rows = rows_of(items, quantity)
    if quantity.statistic:
        return matrix_value(rows, quantity)
    table = _prepared(rows, quantity, {"value": quantity.column})
    return _level(table["value"].to_numpy(dtype=float), table, quantity)


def difference_of(paired: Paired, quantity: Quantity, margin: float | None = None) -> Difference | None:
    """The quantity in both results and its difference; None where they have no item for it."""
    rows = rows_of(paired.items, quantity, (FIRST, SECOND))
    columns = {"first": f"{quantity.column}{FIRST}", "second": f"{quantity.column}{SECOND}"}
    if rows.empty or any(column not in rows for column in columns.values()):
        return None
    limit = quantity.margin if margin is None else margin
    if quantity.statistic:
        return _of_matrices(
            paired_matrices(rows, list(columns.values()), quantity, margin=limit), quantity, limit
        )
    known = rows[list(columns.values())].notna().all(axis=1)
    if not known.any():
        return None
    table = _prepared(rows[known], quantity, columns)
    first, second = (table[side].to_numpy(dtype=float) for side in ("first", "second"))
    difference = _mean(second - first, table, quantity)
    return Difference(
        quantity,
        _level(first, table, quantity),
        _level(second, table, quantity),
        verdict_on(difference, limit),
        limit,
    )


def difference_between(
    first: pd.DataFrame, second: pd.DataFrame, quantity: Quantity, margin: float | None = None
) -> Difference | None:
    """The quantity on items that are not the same, such as two corpora; None where a side has none."""
    sides = [rows_of(items, quantity) for items in (first, second)]
    if any(quantity.column not in rows or not rows[quantity.column].notna().any() for rows in sides):
        return None
    limit = quantity.margin if margin is None else margin
    if quantity.statistic:
        return _of_matrices(matrices_apart(sides[0], sides[1], quantity, margin=limit), quantity, limit)
    tables = [_prepared(rows, quantity, {"value": quantity.column}) for rows in sides]
    values = [table["value"].to_numpy(dtype=float) for table in tables]
    means = [_mean(*both, quantity) for both in zip(values, tables, strict=True)]
    levels = [_level(*both, quantity) for both in zip(values, tables, strict=True)]
    if any(np.isnan(mean.value) for mean in means):
        return None
    return Difference(quantity, levels[0], levels[1], verdict_on(difference_apart(*means), limit), limit)


def _of_matrices(sides: Sides | None, quantity: Quantity, margin: float) -> Difference | None:
    return None if sides is None else Difference(quantity, *sides, margin)


def _prepared(rows: pd.DataFrame, quantity: Quantity, columns: dict[str, str]) -> pd.DataFrame:
    """The values with the columns that cluster and contrast them: averaged first, then made absolute."""
    wanted = [*quantity.factors, *([quantity.contrast.column] if quantity.contrast else [])]
    labels = {name: rows[_there(rows, name)] for name in dict.fromkeys((*wanted, quantity.over)) if name}
    table = pd.DataFrame({**{side: rows[column] for side, column in columns.items()}, **labels})
    if quantity.over:
        table = table[table[quantity.over] != ""]
        table = table.groupby(quantity.over, as_index=False, sort=False)[list(columns)].mean()
    if quantity.kind == "size":
        table[list(columns)] = (table[list(columns)] - quantity.neutral).abs()
    return table


def _there(rows: pd.DataFrame, name: str) -> str:
    return name if name in rows else f"{name}{FIRST}"


def _level(values: Floats, table: pd.DataFrame, quantity: Quantity) -> Mean:
    """The quantity of one model, with the interval of its kind."""
    if quantity.contrast is not None:
        return _mean(values, table, quantity)
    return _WITH_INTERVAL[quantity.kind](values, [table[factor] for factor in quantity.factors])


def _mean(values: Floats, table: pd.DataFrame, quantity: Quantity) -> Mean:
    factors = [table[factor] for factor in quantity.factors]
    if quantity.contrast is None:
        return mean_with_interval(values, factors)
    side = table[quantity.contrast.column].astype(str)
    chosen = side.isin((quantity.contrast.first, quantity.contrast.second)).to_numpy()
    is_first = side.eq(quantity.contrast.first).to_numpy()
    return difference_of_means(
        np.where(chosen, values, np.nan), is_first, [factor.to_numpy() for factor in factors]
    )
