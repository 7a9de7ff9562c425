"""Sizes of a difference that do not depend on the unit or on the number of items."""

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import answered
from equipoise.stats.pairs import paired_differences


def cohens_d(a: ArrayLike, b: ArrayLike) -> float:
    """Difference of the means in pooled standard deviations (n - 1); NaN without any spread."""
    one, other = answered(a, None)[0], answered(b, None)[0]
    if min(len(one), len(other)) < 2:
        return nan
    squares = (len(one) - 1) * one.var(ddof=1) + (len(other) - 1) * other.var(ddof=1)
    pooled = sqrt(squares / (len(one) + len(other) - 2))
    return float((one.mean() - other.mean()) / pooled) if pooled > 0 else nan


def rank_biserial(a: ArrayLike, b: ArrayLike) -> float:
    """Matched-pairs rank-biserial correlation: (positive - negative ranks) / all ranks of a - b.

    Pairs without a difference are left out, as in Wilcoxon's test.
    """
    from scipy.stats import rankdata

    differences = paired_differences(a, b)
    differing = differences[differences != 0]
    if len(differing) == 0:
        return nan
    ranks = rankdata(np.abs(differing))
    return float((np.sign(differing) * ranks).sum() / ranks.sum())
