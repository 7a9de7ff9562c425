"""Permutation test of two means: is one group's mean larger than random relabelling would make it?

Of n values, k are assigned to the first group. All C(n, k) assignments are counted without listing them. The
values are split into two halves, and the sums of every subset of each half are sorted. A binary search then
tells, for every subset of one half, how many of the other complete it to a sum as large as the observed one.
That is exact up to 36 values (nine thousand million assignments); beyond, assignments are drawn at random.
"""

from dataclasses import dataclass
from math import comb, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.stats.clusters import NUMBERS_AT_ONCE, Floats, Interval, answered, wilson

Alternative = Literal["two-sided", "greater", "less"]
LARGEST_EXACT = 36  # values up to which every assignment is counted: 2**18 subsets of each half

TIE = 1e-11  # equal sums added up in another order must tie, not miss each other by an ulp


@dataclass(frozen=True)
class PermutationTest:
    """A difference of means, its p, and how sure the p is.

    `assignments` is how many were counted: all of them if `exact`, else those drawn at random. `error` is the
    standard error of p and `interval` its 95 % interval; both have no width for an exact p.
    """

    statistic: float
    p: float
    error: float
    interval: Interval
    exact: bool
    assignments: int
    n: int


def two_sample_permutation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    draws: int = 10_000,
    seed: int = 0,
) -> PermutationTest:
    """Test that mean(a) - mean(b) is no more than relabelling the same values would give.

    Random assignments count the observed one too (+1 above and below), so that p is never zero. The
    two-sided p is twice the smaller one-sided one. With fewer than two values on a side all is NaN.
    """
    first, second = answered(a, None)[0], answered(b, None)[0]
    n = len(first) + len(second)
    if min(len(first), len(second)) < 2:
        return PermutationTest(nan, nan, nan, Interval(nan, nan), False, 0, n)
    values = np.concatenate([first, second])
    values = values - values.mean()
    scale = np.abs(values).mean()
    values = values / scale if scale > 0 else values
    size, observed = len(first), float(values[: len(first)].sum())
    exact = n <= LARGEST_EXACT
    if exact:
        assignments = comb(n, size)
        above, below = (_subsets_at_least(sign * values, size, sign * observed) for sign in (1.0, -1.0))
    else:
        assignments = draws
        above, below = _random_assignments(values, size, observed, draws=draws, seed=seed)
    tail = {"greater": above, "less": below, "two-sided": min(above, below)}[alternative]
    sides = 2 if alternative == "two-sided" else 1
    statistic = float(first.mean() - second.mean())
    return _with_error(statistic, tail, sides, exact=exact, assignments=assignments, n=n)


def _with_error(
    statistic: float, tail: int, sides: int, *, exact: bool, assignments: int, n: int
) -> PermutationTest:
    if exact:
        p = min(1.0, sides * tail / assignments)
        return PermutationTest(statistic, p, 0.0, Interval(p, p), True, assignments, n)
    share = (tail + 1) / (assignments + 1)
    low, high = wilson(tail, assignments)
    interval = Interval(min(1.0, sides * low), min(1.0, sides * high))
    error = sides * sqrt(share * (1 - share) / assignments)
    return PermutationTest(statistic, min(1.0, sides * share), error, interval, False, assignments, n)


def _subsets_at_least(values: Floats, size: int, threshold: float) -> int:
    """Return how many subsets of `size` values have at least this sum."""
    middle = len(values) // 2
    left, right = _subset_sums(values[:middle]), _subset_sums(values[middle:])
    count = 0
    for taken, sums in enumerate(left):
        if 0 <= size - taken < len(right):
            needed = threshold - TIE * len(values) - sums
            others = right[size - taken]
            count += len(sums) * len(others) - int(np.searchsorted(others, needed).sum())
    return count


def _subset_sums(values: Floats) -> list[Floats]:
    """Return the sorted sums of all subsets of some values, by how many values they take."""
    sums, taken = np.zeros(1), np.zeros(1, dtype=np.int8)
    for value in values:
        sums, taken = np.concatenate([sums, sums + value]), np.concatenate([taken, taken + 1])
    return [np.sort(sums[taken == number]) for number in range(len(values) + 1)]


def _random_assignments(
    values: Floats, size: int, observed: float, *, draws: int, seed: int
) -> tuple[int, int]:
    """Return how many random assignments have at least, and at most, this sum."""
    rng = np.random.default_rng(seed)
    small = min(size, len(values) - size)
    observed = observed if small == size else values.sum() - observed
    above = below = 0
    for batch in _batches(draws, len(values)):
        drawn: NDArray[np.intp] = np.argpartition(
            rng.random((batch, len(values)), dtype=np.float32), small - 1, axis=1
        )[:, :small]
        sums = values[drawn].sum(axis=1)
        above += int((sums >= observed - TIE * len(values)).sum())
        below += int((sums <= observed + TIE * len(values)).sum())
    return (above, below) if small == size else (below, above)


def _batches(draws: int, width: int) -> list[int]:
    at_once = max(1, NUMBERS_AT_ONCE // width)
    return [min(at_once, draws - start) for start in range(0, draws, at_once)]
