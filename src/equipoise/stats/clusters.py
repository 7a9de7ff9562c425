"""Values in clusters and in pairs, and the intervals of what is worked out from them.

Items that share a template or a text are not independent.

The expanded percentile interval of Hesterberg 2015 ("What teachers should know about the bootstrap") moves
the tails outward for the number of clusters. The plain one is too narrow when clusters are few: in
simulations with five clusters a nominal 95 % interval covered 83 % of the time and the expanded one 92 %;
from about forty clusters on they agree. BCa was not chosen: its acceleration rests on a jackknife over the
same few clusters.
"""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import UserError

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


def cluster_codes(labels: Iterable[Hashable] | None, n: int) -> Codes:
    """Return one code per item, equal for items with one label; without labels every item has its own."""
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


NUMBERS_AT_ONCE = 2_000_000


class Interval(NamedTuple):
    """The two ends of an interval; both are NaN where there is too little to say anything."""

    low: float
    high: float


UNKNOWN = Interval(float("nan"), float("nan"))


def wilson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson's score interval of a share, always inside [0, 1]; NaN when nothing was counted."""
    from scipy.stats import binomtest

    check_level(level)
    if not 0 <= successes <= n:
        raise UserError(
            f"{successes} successes out of {n} is not a share.",
            "Give a number of successes between 0 and n.",
        )
    if n == 0:
        return UNKNOWN
    ends = binomtest(int(successes), int(n)).proportion_ci(level, method="wilson")
    return Interval(float(ends.low), float(ends.high))


def expanded_percentile(results: Floats, n_clusters: int, level: float) -> Interval:
    """The quantiles of the draws that a t interval over as many clusters would ask for."""
    from scipy.special import ndtr, stdtrit

    known = results[~np.isnan(results)]
    if len(known) == 0:
        return UNKNOWN
    student = stdtrit(n_clusters - 1, (1 - level) / 2)
    tail = float(ndtr(np.sqrt(n_clusters / (n_clusters - 1)) * student))
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(float(low), float(high))


def check_level(level: float) -> None:
    """Refuse a level that is not a share, such as 95."""
    if not 0 < level < 1:
        raise UserError(f"The level of an interval is {level}.", "Give a number such as 0.95.")
