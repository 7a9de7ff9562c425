"""Tests of a difference, sizes that do not depend on the unit, and Holm's correction for several tests."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats, answered, paired_differences


@dataclass(frozen=True)
class WilcoxonTest:
    """Wilcoxon's signed-rank test of a - b; n counts the pairs that differ, n_zero the others.

    `w_plus` is the sum of the positive ranks (V in R), `w_min` the smaller sum (scipy's statistic).
    `z` is corrected for ties; `r` is z / sqrt(n), with its sign. `r_published` is the form that
    Bartl et al. 2020 print: -|z| / sqrt(2 n) without tie correction, always negative.
    """

    w_plus: float
    w_min: float
    z: float
    p: float
    r: float
    r_published: float
    n: int
    n_zero: int


def wilcoxon(a: ArrayLike, b: ArrayLike) -> WilcoxonTest:
    """Wilcoxon's signed-rank test of the pairs a - b that differ and have no NaN.

    p is exact up to 50 pairs without tied ranks (13 with), and from the normal distribution beyond.
    """
    from scipy.stats import wilcoxon as scipy_wilcoxon

    differences = paired_differences(a, b)
    differing = differences[differences != 0]
    n, n_zero = len(differing), len(differences) - len(differing)
    if n == 0:
        nan = float("nan")
        return WilcoxonTest(0.0, 0.0, nan, nan, nan, nan, 0, n_zero)
    # Asked one-sidedly, scipy gives the positive ranks and a signed z; two-sidedly it hides both.
    one_sided: dict[str, Any] = {"alternative": "greater", "method": "asymptotic"}
    signed: Any = scipy_wilcoxon(differing, **one_sided)
    p = float(scipy_wilcoxon(differing, method="auto").pvalue)
    w_plus, z = float(signed.statistic), float(signed.zstatistic)
    w_min = min(w_plus, n * (n + 1) / 2 - w_plus)
    r_published = -abs(wilcoxon_r_from_w(w_plus, n)) / sqrt(2)
    return WilcoxonTest(w_plus, w_min, z, p, z / sqrt(n), r_published, n, n_zero)


def wilcoxon_r_from_w(w_plus: float, n: int) -> float:
    """z / sqrt(n) from the sum of positive ranks of n pairs, without correction for ties."""
    z = (w_plus - n * (n + 1) / 4) / sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return z / sqrt(n)


def equal_rates_p(first: tuple[int, int], second: tuple[int, int]) -> float:
    """P of Pearson's chi-square that two counts out of two totals have the same rate, uncorrected."""
    from scipy.stats import chi2

    (a, n_a), (b, n_b) = first, second
    rate = (a + b) / (n_a + n_b)
    spread = rate * (1 - rate) * (1 / n_a + 1 / n_b)
    # Where everybody or nobody gets a fill there is nothing to tell apart.
    return float(chi2.sf((a / n_a - b / n_b) ** 2 / spread, df=1)) if spread > 0 else 1.0


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
