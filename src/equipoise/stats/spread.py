"""How far the means of levels lie apart, from sums that a bootstrap can draw.

One function makes a row of cells per item, the others work out a number from sums of such rows, for one row
of sums or for as many as are drawn (cells are the last axis).
"""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats, cluster_codes


def level_cells(values: ArrayLike, levels: Iterable[Hashable]) -> Floats:
    """A row per item: its value in the column of its level and zeros beside it, then its count likewise."""
    numbers = np.asarray(values, dtype=np.float64).ravel()
    codes = cluster_codes(levels, len(numbers))
    belongs = codes[:, None] == np.arange(codes.max(initial=-1) + 1)
    return np.concatenate([np.where(belongs, numbers[:, None], 0.0), belongs.astype(np.float64)], axis=1)


def range_of_means(sums: ArrayLike) -> Floats:
    """The largest mean of a level less the smallest; NaN where a level has no item."""
    means = _means(sums)
    return means.max(axis=-1) - means.min(axis=-1)


def deviation_of_means(sums: ArrayLike) -> Floats:
    """The standard deviation of the levels' means (n - 1); NaN for one level, or where one has no item."""
    means = _means(sums)
    if means.shape[-1] < 2:
        return np.full(means.shape[:-1], np.nan)[()]
    return means.std(axis=-1, ddof=1)


def _means(sums: ArrayLike) -> Floats:
    values, counts = np.split(np.asarray(sums, dtype=np.float64), 2, axis=-1)
    return np.divide(values, counts, out=np.full(values.shape, np.nan), where=counts > 0)
