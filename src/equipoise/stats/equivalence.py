"""Is there a difference, is there none worth the name, or were there too few items to tell?"""

from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats, Interval
from equipoise.stats.means import FEWEST_CLUSTERS, Mean
from equipoise.stats.resampling import Resampled

Word = Literal["lower", "higher", "equivalent", "not enough items"]


@dataclass(frozen=True)
class Verdict:
    """A difference in words, with the numbers that led to them.

    `interval` is the two-sided interval of the difference at 1 - alpha, `detectable` the smallest
    true difference that clusters this many and this different would have shown with the asked power.
    """

    word: Word
    difference: float
    interval: Interval
    p_difference: float
    p_equivalence: float
    detectable: float
    n: int
    n_clusters: int


def check_margin(margin: float) -> None:
    """Refuse a margin that is infinite or not above 0."""
    if not 0 < margin < inf:
        raise UserError(
            f"The equivalence margin is {margin}.",
            "Give the largest difference, above zero, that would not matter to you.",
        )


def detectable_difference(
    standard_error: float, df: float, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the smallest true difference that a two-sided t test at alpha shows with the given power.

    It is found from the noncentral t. A test that rejects on the wrong side does not count as having shown
    the difference. NaN where the standard error is unknown.
    """
    from scipy.special import nctdtrinc, stdtrit

    if isnan(standard_error) or isnan(df):
        return nan
    return float(standard_error * nctdtrinc(df, 1 - power, stdtrit(df, 1 - alpha / 2)))


def verdict_on(mean: Mean, margin: float, *, alpha: float = 0.05, power: float = 0.8) -> Verdict:
    """Say whether a mean of paired differences is lower, higher, equivalent to zero, or unclear.

    - "equivalent": two one-sided tests (TOST) reject a mean beyond the margin on either side. This holds even
      if the difference is also significant: many items make any trifle so, and its direction stays visible
      in `difference` and `interval`.
    - "lower", "higher": otherwise, the two-sided test rejects a difference of zero.
    - "not enough items": neither; `detectable` says what could have been seen. Also, and then without
      p values, where there are fewer than five clusters.

    The mean, or the difference of means, must carry an interval of the level 1 - alpha.
    """
    check_margin(margin)
    p_equivalence, p_difference = _p_beyond(mean, margin), _p_nonzero(mean)
    can_tell = mean.n_clusters >= FEWEST_CLUSTERS and mean.standard_error > 0
    return Verdict(
        _word(mean.value, p_equivalence, p_difference, alpha),
        mean.value,
        mean.interval,
        p_difference,
        p_equivalence,
        detectable_difference(mean.standard_error, mean.df, power=power, alpha=alpha) if can_tell else nan,
        mean.n,
        mean.n_clusters,
    )


def verdict_on_draws(
    value: float, drawn: Resampled, draws: Floats, *, margin: float, n: int, alpha: float = 0.05
) -> Verdict:
    """Say the same of any statistic whose difference was resampled: p values are shares of the draws.

    One is added to both counts of a share, so that no p is zero.
    """
    check_margin(margin)
    known = draws[~np.isnan(draws)]
    can_tell = drawn.can_tell and len(known) > 0
    above, below, inside, outside = (
        _share(hits) if can_tell else nan
        for hits in (known <= 0, known >= 0, known <= -margin, known >= margin)
    )
    interval = drawn.interval(draws, level=1 - alpha)
    p_equivalence = max(inside, outside)
    p_difference = min(1.0, 2 * min(above, below)) if can_tell else nan
    spread = float(known.std(ddof=1)) if can_tell and len(known) > 1 else nan
    return Verdict(
        _word(value, p_equivalence, p_difference, alpha),
        value,
        interval,
        p_difference,
        p_equivalence,
        detectable_difference(spread, drawn.n_clusters - 1, alpha=alpha) if spread else nan,
        n,
        drawn.n_clusters,
    )


def _share(hits: NDArray[np.bool_]) -> float:
    return float((hits.sum() + 1) / (len(hits) + 1))


def _word(difference: float, p_equivalence: float, p_difference: float, alpha: float) -> Word:
    if p_equivalence < alpha:
        return "equivalent"
    if p_difference < alpha:
        return "higher" if difference > 0 else "lower"
    return "not enough items"


def _p_nonzero(mean: Mean) -> float:
    """Return the two-sided p of the mean against zero, by an exact sign-flip test if all clusters agree."""
    if mean.n_clusters < FEWEST_CLUSTERS:
        return nan
    if mean.standard_error == 0:
        return float(2.0 ** (1 - mean.n_clusters)) if mean.value != 0 else 1.0
    return 2 * _p_above(abs(mean.value), mean)


def _p_beyond(mean: Mean, margin: float) -> float:
    """Return the larger p of the two one-sided tests that the mean lies beyond the margin on either side."""
    if mean.n_clusters < FEWEST_CLUSTERS:
        return nan
    room = margin + mean.value, margin - mean.value
    if mean.standard_error == 0:
        return max(_p_all_agree(one, mean.n_clusters) for one in room)
    return max(_p_above(one, mean) for one in room)


def _p_above(distance: float, mean: Mean) -> float:
    """The upper tail of t beyond a distance in standard errors."""
    from scipy.special import stdtr

    return float(stdtr(mean.df, -distance / mean.standard_error))


def _p_all_agree(room: float, n: int) -> float:
    """P that n clusters agree to the last digit although the true mean is `room` away.

    Eight yes/no items without a flip do not prove that none in twenty flips. Items that move by at
    most one must move in a share `room` of all cases, which n cases miss with probability
    (1 - room)**n; on a coarser scale the sign test's 2**-n is what n agreeing clusters can show.
    """
    if room <= 0:
        return 1.0
    return float(max(2.0**-n, (1 - min(room, 1.0)) ** n))
