"""Items that share a template, a profession or a text are not independent: each counts once."""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import UserError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def cluster_codes(labels: Iterable[Hashable] | None, n: int) -> Codes:
    """One number per item, the same for items of one label; without labels all items differ."""
    if labels is None:
        return np.arange(n)
    of_items = list(labels)
    if len(of_items) != n:
        raise UserError(
            f"There are {n} values but {len(of_items)} cluster labels.",
            "Give one label per value, in the same order.",
        )
    numbers = {label: number for number, label in enumerate(dict.fromkeys(of_items))}
    return np.fromiter(map(numbers.__getitem__, of_items), dtype=np.intp, count=n)


def answered(values: ArrayLike, labels: Iterable[Hashable] | None) -> tuple[Floats, Codes]:
    """The values that are not NaN, and the cluster codes of those, without gaps."""
    numbers = np.asarray(values, dtype=np.float64).ravel()
    kept = ~np.isnan(numbers)
    codes = cluster_codes(labels, len(numbers))[kept]
    return numbers[kept], without_gaps(codes)


def without_gaps(codes: Codes) -> Codes:
    """The same codes renumbered from 0 in order, so that each number is used."""
    used = np.bincount(codes) > 0
    return (np.cumsum(used) - 1)[codes].astype(np.intp)


def cluster_values(values: Floats, codes: Codes) -> Floats:
    """One value per cluster: their mean is the mean over items, their spread that of clusters.

    With clusters of equal size these are the cluster means. With unequal sizes a mean of cluster
    means would differ from the mean over items that a table prints, so each cluster's value is the
    item mean plus the cluster's share in it (the usual linearisation of a ratio: sums over sizes).
    """
    if len(values) == 0:
        return values
    sizes = np.bincount(codes)
    # Where a cluster's items cancel out, only rounding is left, which is no difference.
    noise = 1e-12 * np.abs(values).max()
    mean = values.mean() if abs(values.mean()) > noise else 0.0
    excess = np.bincount(codes, weights=values - mean)
    excess[np.abs(excess) <= noise * sizes] = 0.0
    return np.asarray(mean + excess * (len(sizes) / len(values)), dtype=np.float64)
