"""Differences: one quantity of two results, item by item, with the interval that `measure` would give."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from equipoise.results.comparison.matrices import Sides, matrices_apart, matrix_value, paired_matrices
from equipoise.results.comparison.pairing import FIRST, SECOND, Paired
from equipoise.results.items import rows_of
from equipoise.results.quantity import Kind, Quantity
from equipoise.stats.clusters import Floats
from equipoise.stats.equivalence import Verdict, verdict_on
from equipoise.stats.means import (
    Factors,
    Mean,
    difference_apart,
    difference_of_means,
    mean_with_interval,
    probability_with_interval,
    size_with_interval,
)
from equipoise.stats.shares import share_with_interval

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
