"""Dealing values out anew: is one group's mean larger than chance would deal it?

Of n values k are dealt to the first group. All C(n, k) hands are counted without being written down: the
values are split into two halves, each half's 2**(n/2) part hands are sorted, and for every part hand of one
half a binary search tells how many of the other complete it to a sum as large as the observed one. That is
exact up to 36 values (nine thousand million hands); beyond, random hands are dealt, never with repeats.
"""

from dataclasses import dataclass
from math import comb, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.stats.clusters import Floats, answered
from equipoise.stats.intervals import NUMBERS_AT_ONCE, Interval, wilson

Alternative = Literal["two-sided", "greater", "less"]
LARGEST_EXACT = 36
"""Values up to which every hand is counted: 2**18 part hands of each half."""

TIE = 1e-11
"""Equal sums added up in another order must tie, not miss each other by an ulp."""


@dataclass(frozen=True)
class DealingTest:
    """A difference of means, its p, and how sure the p is.

    `hands` are those counted: every one if `exact`, else those dealt at random. `error` is the standard
    error of p and `interval` its 95 % interval; of an exact p both are of no width.
    """

    statistic: float
    p: float
    error: float
    interval: Interval
    exact: bool
    hands: int
    n: int


def two_sample_permutation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    draws: int = 10_000,
    seed: int = 0,
) -> DealingTest:
    """Test that mean(a) - mean(b) is no more than dealing the same values out anew would give.

    In random hands one is added to both counts, so that p is never zero. The two-sided p is twice the
    smaller one-sided one. With fewer than two values on a side all is NaN.
    """
    first, second = answered(a, None)[0], answered(b, None)[0]
    n = len(first) + len(second)
    if min(len(first), len(second)) < 2:
        return DealingTest(nan, nan, nan, Interval(nan, nan), False, 0, n)
    values = np.concatenate([first, second])
    values = values - values.mean()
    scale = np.abs(values).mean()
    values = values / scale if scale > 0 else values
    size, observed = len(first), float(values[: len(first)].sum())
    exact = n <= LARGEST_EXACT
    if exact:
        hands = comb(n, size)
        above, below = (_hands_at_least(sign * values, size, sign * observed) for sign in (1.0, -1.0))
    else:
        hands = draws
        above, below = _random_hands(values, size, observed, draws=draws, seed=seed)
    tail = {"greater": above, "less": below, "two-sided": min(above, below)}[alternative]
    sides = 2 if alternative == "two-sided" else 1
    statistic = float(first.mean() - second.mean())
    return _with_error(statistic, tail, sides, exact=exact, hands=hands, n=n)


def _with_error(statistic: float, tail: int, sides: int, *, exact: bool, hands: int, n: int) -> DealingTest:
    if exact:
        p = min(1.0, sides * tail / hands)
        return DealingTest(statistic, p, 0.0, Interval(p, p), True, hands, n)
    share = (tail + 1) / (hands + 1)
    low, high = wilson(tail, hands)
    interval = Interval(min(1.0, sides * low), min(1.0, sides * high))
    error = sides * sqrt(share * (1 - share) / hands)
    return DealingTest(statistic, min(1.0, sides * share), error, interval, False, hands, n)


def _hands_at_least(values: Floats, size: int, threshold: float) -> int:
    """How many hands of `size` values have at least this sum."""
    middle = len(values) // 2
    left, right = _part_hands(values[:middle]), _part_hands(values[middle:])
    count = 0
    for taken, sums in enumerate(left):
        if 0 <= size - taken < len(right):
            needed = threshold - TIE * len(values) - sums
            others = right[size - taken]
            count += len(sums) * len(others) - int(np.searchsorted(others, needed).sum())
    return count


def _part_hands(values: Floats) -> list[Floats]:
    """The sorted sums of all hands that can be dealt from some values, by how many are taken."""
    sums, taken = np.zeros(1), np.zeros(1, dtype=np.int8)
    for value in values:
        sums, taken = np.concatenate([sums, sums + value]), np.concatenate([taken, taken + 1])
    return [np.sort(sums[taken == number]) for number in range(len(values) + 1)]


def _random_hands(values: Floats, size: int, observed: float, *, draws: int, seed: int) -> tuple[int, int]:
    """How many of so many random hands have at least, and at most, this sum."""
    rng = np.random.default_rng(seed)
    small = min(size, len(values) - size)
    observed = observed if small == size else values.sum() - observed
    above = below = 0
    for batch in _batches(draws, len(values)):
        hands: NDArray[np.intp] = np.argpartition(
            rng.random((batch, len(values)), dtype=np.float32), small - 1, axis=1
        )[:, :small]
        sums = values[hands].sum(axis=1)
        above += int((sums >= observed - TIE * len(values)).sum())
        below += int((sums <= observed + TIE * len(values)).sum())
    return (above, below) if small == size else (below, above)


def _batches(draws: int, width: int) -> list[int]:
    at_once = max(1, NUMBERS_AT_ONCE // width)
    return [min(at_once, draws - start) for start in range(0, draws, at_once)]
