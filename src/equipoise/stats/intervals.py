"""What an interval is, Wilson's of a plain share, and the percentiles of a bootstrap.

The expanded percentile interval of Hesterberg 2015 ("What teachers should know about the bootstrap") moves
the tails outward for the number of clusters; the plain one is too narrow when clusters are few: in
simulations with five clusters a nominal 95 % interval covered 83 % of the time and the expanded one 92 %;
from about forty clusters on they agree. BCa was not chosen: its acceleration rests on a jackknife over the
same few clusters.
"""

from typing import NamedTuple

import numpy as np

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats

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
