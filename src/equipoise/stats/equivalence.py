"""Is there a difference, is there none worth the name, or were there too few items to tell?"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from math import nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from equipoise.errors import UserError
from equipoise.stats.clusters import Floats, answered, cluster_values
from equipoise.stats.intervals import UNKNOWN, Interval

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
    true difference that this many clusters with this spread would have shown with the asked power.
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
    differences: ArrayLike,
    margin: float,
    *,
    clusters: Iterable[Hashable] | None = None,
    level: float = 0.95,
) -> Equivalence:
    """Test by t over clusters that the mean of paired differences is within the margin."""
    if not margin > 0:
        raise UserError(
            f"The equivalence margin is {margin}.",
            "Give the largest difference, above zero, that would not matter to you.",
        )
    numbers, codes = answered(differences, clusters)
    values = cluster_values(numbers, codes)
    p_above, p_below = _p_inside(values, margin)
    interval = _t_interval(values, 2 * level - 1)
    mean = float(numbers.mean()) if len(numbers) else nan
    return Equivalence(mean, interval, p_above, p_below, len(numbers), len(values))


def smallest_detectable(sd: float, n: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """The smallest mean difference that n differences of this spread show with the given power.

    For a two-sided t test at alpha; NaN below two items or where the spread is unknown.
    """
    from statsmodels.stats.power import TTestPower

    if n < 2 or np.isnan(sd):
        return nan
    effect = TTestPower().solve_power(nobs=n, alpha=alpha, power=power, alternative="two-sided")
    return float(sd * np.squeeze(effect))


def verdict(
    differences: ArrayLike,
    margin: float,
    *,
    clusters: Iterable[Hashable] | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> Verdict:
    """Say whether the mean of paired differences is lower, higher, equivalent to zero, or unclear.

    - "equivalent": both one-sided tests reject, so the difference is inside the margin that was
      declared not to matter. This holds even if the difference is also significant: many items make
      any trifle so, and its direction stays visible in `difference` and `interval`.
    - "lower", "higher": otherwise, the two-sided test rejects a difference of zero.
    - "not enough items": neither; `detectable` says what could have been seen.
    """
    labels = None if clusters is None else list(clusters)
    equivalence = tost_paired(differences, margin, clusters=labels, level=1 - alpha)
    values = cluster_values(*answered(differences, labels))
    p_difference = _p_nonzero(values)
    spread = float(values.std(ddof=1)) if _has_spread(values) else nan
    return Verdict(
        _word(equivalence, p_difference, alpha),
        equivalence.difference,
        _t_interval(values, 1 - alpha),
        p_difference,
        equivalence.p,
        smallest_detectable(spread, len(values), power=power, alpha=alpha),
        equivalence.n,
        equivalence.n_clusters,
    )


def _word(equivalence: Equivalence, p_difference: float, alpha: float) -> Word:
    if equivalence.p < alpha:
        return "equivalent"
    if p_difference < alpha:
        return "higher" if equivalence.difference > 0 else "lower"
    return "not enough items"


def _has_spread(values: Floats) -> bool:
    """Whether clusters differ by more than rounding, without which no t test is defined."""
    return len(values) > 1 and bool(np.ptp(values) > 1e-12 * np.abs(values).max())


def _t_interval(values: Floats, level: float) -> Interval:
    from scipy.special import stdtrit

    if not _has_spread(values):
        return UNKNOWN
    half = stdtrit(len(values) - 1, (1 + level) / 2) * values.std(ddof=1) / sqrt(len(values))
    return Interval(float(values.mean() - half), float(values.mean() + half))


def _p_nonzero(values: Floats) -> float:
    """Two-sided p of the mean against zero; of the exact sign-flip test if all clusters agree."""
    from scipy.stats import ttest_1samp

    if _has_spread(values):
        return float(ttest_1samp(values, 0.0).pvalue)
    if len(values) < 2:
        return nan
    return float(2.0 ** (1 - len(values))) if values[0] != 0 else 1.0


def _p_inside(values: Floats, margin: float) -> tuple[float, float]:
    """One-sided p values of the mean being above -margin and below margin."""
    from scipy.stats import ttest_1samp

    if _has_spread(values):
        above = ttest_1samp(values, -margin, alternative="greater").pvalue
        below = ttest_1samp(values, margin, alternative="less").pvalue
        return float(above), float(below)
    if len(values) < 2:
        return nan, nan
    room = margin + values[0], margin - values[0]
    return _p_all_agree(room[0], len(values)), _p_all_agree(room[1], len(values))


def _p_all_agree(room: float, n: int) -> float:
    """P that n clusters agree to the last digit although the true mean is `room` away.

    Eight yes/no items without a flip are no proof that none in twenty flips. Items that move by at
    most one must move in a share `room` of all cases, which n cases miss with probability
    (1 - room)**n; on a coarser scale the sign test's 2**-n is what n agreeing clusters can show.
    """
    if room <= 0:
        return 1.0
    return float(max(2.0**-n, (1 - min(room, 1.0)) ** n))
