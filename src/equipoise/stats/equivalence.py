"""Is there a difference, is there none worth the name, or were there too few items to tell?"""

from dataclasses import dataclass
from math import inf, isnan, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats
from equipoise.stats.intervals import Interval
from equipoise.stats.means import FEWEST_CLUSTERS, Factors, Mean, mean_with_interval, t_interval
from equipoise.stats.resampling import Resampled

Word = Literal["lower", "higher", "equivalent", "not enough items"]


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests: `p`, the larger of both, is small inside the margin.

    `interval` has the level 1 - 2 alpha that belongs to two tests at alpha: it lies inside the
    margin exactly when both tests reject.
    """

    difference: float
    interval: Interval
    p_above: float
    p_below: float
    n: int
    n_clusters: int

    @property
    def p(self) -> float:
        return max(self.p_above, self.p_below)


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


def tost_paired(
    differences: ArrayLike, margin: float, *, factors: Factors = (), level: float = 0.95
) -> Equivalence:
    """Test by t over clusters that the mean of paired differences is within the margin.

    Standard error and degrees of freedom are those of `mean_with_interval`.
    """
    check_margin(margin)
    return _equivalence(mean_with_interval(differences, factors, level=level), margin, level)


def check_margin(margin: float) -> None:
    """Refuse a margin that no difference could be inside of."""
    if not 0 < margin < inf:
        raise UserError(
            f"The equivalence margin is {margin}.",
            "Give the largest difference, above zero, that would not matter to you.",
        )


def smallest_detectable(sd: float, n: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest mean difference that n differences of this spread show with the given power.

    For a two-sided t test at alpha; NaN below two items or where the spread is unknown.
    """
    return detectable_difference(sd / sqrt(n), n - 1, power=power, alpha=alpha) if n > 1 else nan


def detectable_difference(
    standard_error: float, df: float, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """The same from a standard error and its degrees of freedom: the noncentral t with that power.

    A test that rejects on the wrong side does not count as having shown the difference.
    """
    from scipy.special import nctdtrinc, stdtrit

    if isnan(standard_error) or isnan(df):
        return nan
    return float(standard_error * nctdtrinc(df, 1 - power, stdtrit(df, 1 - alpha / 2)))


def verdict(
    differences: ArrayLike,
    margin: float,
    *,
    factors: Factors = (),
    alpha: float = 0.05,
    power: float = 0.8,
) -> Verdict:
    """Say whether the mean of paired differences is lower, higher, equivalent to zero, or unclear.

    - "equivalent": both one-sided tests reject, so the difference is inside the margin that was
      declared not to matter. This holds even if the difference is also significant: many items make
      any trifle so, and its direction stays visible in `difference` and `interval`.
    - "lower", "higher": otherwise, the two-sided test rejects a difference of zero.
    - "not enough items": neither; `detectable` says what could have been seen. Also, and then without
      p values, where there are fewer than five clusters.
    """
    mean = mean_with_interval(differences, factors, level=1 - alpha)
    return verdict_on(mean, margin, alpha=alpha, power=power)


def verdict_on(mean: Mean, margin: float, *, alpha: float = 0.05, power: float = 0.8) -> Verdict:
    """The same of a mean, or of a difference of means, whose interval has the level 1 - alpha."""
    check_margin(margin)
    equivalence = _equivalence(mean, margin, 1 - alpha)
    p_difference = _p_nonzero(mean)
    can_tell = mean.n_clusters >= FEWEST_CLUSTERS and mean.standard_error > 0
    return Verdict(
        _word(equivalence, p_difference, alpha),
        mean.value,
        mean.interval,
        p_difference,
        equivalence.p,
        detectable_difference(mean.standard_error, mean.df, power=power, alpha=alpha) if can_tell else nan,
        mean.n,
        mean.n_clusters,
    )


def verdict_on_draws(
    value: float, drawn: Resampled, draws: Floats, *, margin: float, n: int, alpha: float = 0.05
) -> Verdict:
    """The same of any statistic whose difference was resampled: p values are shares of the draws.

    One is added to both counts of a share, so that no p is zero.
    """
    check_margin(margin)
    known = draws[~np.isnan(draws)]
    can_tell = drawn.n_clusters >= FEWEST_CLUSTERS and len(known) > 0
    above, below, inside, outside = (
        _share(hits) if can_tell else nan
        for hits in (known <= 0, known >= 0, known <= -margin, known >= margin)
    )
    interval = drawn.interval(draws, level=1 - alpha)
    p_equal = max(inside, outside)
    equivalence = Equivalence(
        value, drawn.interval(draws, level=1 - 2 * alpha), inside, outside, n, drawn.n_clusters
    )
    p_difference = min(1.0, 2 * min(above, below)) if can_tell else nan
    spread = float(known.std(ddof=1)) if can_tell and len(known) > 1 else nan
    return Verdict(
        _word(equivalence, p_difference, alpha),
        value,
        interval,
        p_difference,
        p_equal,
        detectable_difference(spread, drawn.n_clusters - 1, alpha=alpha) if spread else nan,
        n,
        drawn.n_clusters,
    )


def _share(hits: NDArray[np.bool_]) -> float:
    return float((hits.sum() + 1) / (len(hits) + 1))


def _equivalence(mean: Mean, margin: float, level: float) -> Equivalence:
    p_above, p_below = _p_inside(mean, margin)
    interval = t_interval(mean, 2 * level - 1)
    return Equivalence(mean.value, interval, p_above, p_below, mean.n, mean.n_clusters)


def _word(equivalence: Equivalence, p_difference: float, alpha: float) -> Word:
    if equivalence.p < alpha:
        return "equivalent"
    if p_difference < alpha:
        return "higher" if equivalence.difference > 0 else "lower"
    return "not enough items"


def _p_nonzero(mean: Mean) -> float:
    """Two-sided p of the mean against zero; of the exact sign-flip test if all clusters agree."""
    if mean.n_clusters < FEWEST_CLUSTERS:
        return nan
    if mean.standard_error == 0:
        return float(2.0 ** (1 - mean.n_clusters)) if mean.value != 0 else 1.0
    return 2 * _p_above(abs(mean.value), mean)


def _p_inside(mean: Mean, margin: float) -> tuple[float, float]:
    """One-sided p values of the mean being above -margin and below margin."""
    if mean.n_clusters < FEWEST_CLUSTERS:
        return nan, nan
    room = margin + mean.value, margin - mean.value
    if mean.standard_error == 0:
        return _p_all_agree(room[0], mean.n_clusters), _p_all_agree(room[1], mean.n_clusters)
    return _p_above(room[0], mean), _p_above(room[1], mean)


def _p_above(distance: float, mean: Mean) -> float:
    """The upper tail of t beyond a distance in standard errors."""
    from scipy.special import stdtr

    return float(stdtr(mean.df, -distance / mean.standard_error))


def _p_all_agree(room: float, n: int) -> float:
    """P that n clusters agree to the last digit although the true mean is `room` away.

    Eight yes/no items without a flip are no proof that none in twenty flips. Items that move by at
    most one must move in a share `room` of all cases, which n cases miss with probability
    (1 - room)**n; on a coarser scale the sign test's 2**-n is what n agreeing clusters can show.
    """
    if room <= 0:
        return 1.0
    return float(max(2.0**-n, (1 - min(room, 1.0)) ** n))
