"""Values in clusters and in pairs: items that share a template or a text are not independent."""

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


def fewest_on_a_side(codes: Codes, sides: Codes) -> int:
    """How many clusters the side with the fewest has: a difference is no surer than its poorer side."""
    return min((len(np.unique(codes[sides == side])) for side in np.unique(sides)), default=0)


def complete_pairs(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """The pairs of which neither value is NaN, as two lists of one length."""
    one = np.asarray(a, dtype=np.float64).ravel()
    other = np.asarray(b, dtype=np.float64).ravel()
    if len(one) != len(other):
        raise UserError(
            f"The two lists to be paired have {len(one)} and {len(other)} values.",
            "Give one value of each for every pair, in the same order.",
        )
    kept = ~(np.isnan(one) | np.isnan(other))
    return one[kept], other[kept]


def paired_differences(a: ArrayLike, b: ArrayLike) -> Floats:
    """a - b for every complete pair."""
    one, other = complete_pairs(a, b)
    return one - other
