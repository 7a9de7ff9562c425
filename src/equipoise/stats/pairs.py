"""Two lists that belong together value by value."""

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats


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
