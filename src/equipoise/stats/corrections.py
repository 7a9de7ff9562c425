"""Adjusted p values for many tests at once; a NaN stays NaN and does not count as a test."""

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats


def holm(p: ArrayLike) -> Floats:
    """P values that bound the chance of even one false finding (Holm 1979).

    The k-th smallest of m is multiplied by m - k + 1, and no larger p ends below a smaller one.
    """
    adjusted = np.array(p, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(adjusted))
    order = known[np.argsort(adjusted[known], kind="stable")]
    multiplied = adjusted[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(multiplied), 1.0)
    return adjusted
