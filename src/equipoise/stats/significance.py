"""Tests of a difference: sign flips, Wilcoxon's signed ranks, exact binomial, McNemar, two rates."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats, answered
from equipoise.stats.pairs import paired_differences

Alternative = Literal["two-sided", "greater", "less"]
NUMBERS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class PermutationTest:
    """A difference, its p, whether all arrangements were gone through, and the values used."""

    statistic: float
    p: float
    exact: bool
    n: int


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


def paired_permutation(
    differences: ArrayLike,
    clusters: Iterable[Hashable] | None = None,
    *,
    alternative: Alternative = "two-sided",
    draws: int = 10_000,
    seed: int = 0,
) -> PermutationTest:
    """Sign-flip test that the mean of paired differences is zero, flipping whole clusters together.

    All 2**clusters sign patterns are gone through when they are no more than the draws; otherwise
    random ones are, with one added to both counts so that p is never zero.
    """
    numbers, codes = answered(differences, clusters)
    sums = np.bincount(codes, weights=numbers)
    if len(sums) == 0:
        return PermutationTest(float("nan"), float("nan"), False, 0)
    shares = sums / _positive(np.abs(sums).sum())
    exact = 2 ** len(sums) <= draws
    signs = _all_signs(len(sums)) if exact else _random_signs(len(sums), draws, seed=seed)
    extreme = sum(_count_extreme(batch @ shares, shares.sum(), alternative) for batch in signs)
    p = extreme / 2 ** len(sums) if exact else (extreme + 1) / (draws + 1)
    return PermutationTest(float(numbers.mean()), p, exact, len(numbers))


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


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided p of b flips one way against c the other way; without any flip it is one."""
    return binomial_two_sided(b, b + c) if b + c else 1.0


def equal_rates_p(first: tuple[int, int], second: tuple[int, int]) -> float:
    """P of Pearson's chi-square that two counts out of two totals have the same rate, uncorrected."""
    from scipy.stats import chi2

    (a, n_a), (b, n_b) = first, second
    rate = (a + b) / (n_a + n_b)
    spread = rate * (1 - rate) * (1 / n_a + 1 / n_b)
    # Where everybody or nobody gets a fill there is nothing to tell apart.
    return float(chi2.sf((a / n_a - b / n_b) ** 2 / spread, df=1)) if spread > 0 else 1.0


def binomial_two_sided(k: int, n: int, *, p: float = 0.5) -> float:
    """Exact two-sided p of k successes in n tries that each succeed with probability p."""
    from scipy.stats import binomtest

    return float(binomtest(int(k), int(n), p).pvalue)


# scipy's permutation_test flips signs too, but takes ten times as long over 300 clusters and more
# over thousands, because it sorts random numbers to find each sign.
def _all_signs(n: int) -> Iterator[Floats]:
    """Every pattern of n signs once, in batches of rows."""
    at_once = max(1, NUMBERS_AT_ONCE // n)
    for start in range(0, 2**n, at_once):
        patterns = np.arange(start, min(start + at_once, 2**n))
        flipped = (patterns[:, None] >> np.arange(n)) & 1
        yield 1.0 - 2.0 * flipped.astype(np.float64)


def _random_signs(n: int, draws: int, *, seed: int) -> Iterator[Floats]:
    """Random patterns of n signs, in batches of rows."""
    rng = np.random.default_rng(seed)
    at_once = max(1, NUMBERS_AT_ONCE // n)
    for start in range(0, draws, at_once):
        flipped = rng.integers(2, size=(min(at_once, draws - start), n), dtype=np.int8)
        yield 1.0 - 2.0 * flipped.astype(np.float64)


def _count_extreme(drawn: Floats, observed: float, alternative: Alternative) -> int:
    """How many of the draws lie at least as far out as what was observed, up to rounding."""
    if alternative == "two-sided":
        drawn, observed = np.abs(drawn), abs(observed)
    elif alternative == "less":
        drawn, observed = -drawn, -observed
    return int((drawn >= observed - 1e-11).sum())


def _positive(scale: float) -> float:
    return float(scale) if scale > 0 else 1.0
