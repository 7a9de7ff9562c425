"""One number from several: repeated trainings, and effect sizes whose true values differ (random effects)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from equipoise.stats.clusters import UNKNOWN, Floats, Interval


class Repeats(NamedTuple):
    """Mean, standard deviation (n - 1) and 95 % interval of the mean over repeats; NaN where one is all."""

    mean: float
    sd: float
    interval: Interval
    n: int


def over_repeats(values: Sequence[float]) -> Repeats:
    """Student's interval: few repeats make it wide, as they should."""
    from scipy.stats import t

    numbers = np.array([value for value in values if not np.isnan(value)], dtype=float)
    n = len(numbers)
    if n < 2:
        return Repeats(float(numbers[0]) if n else float("nan"), float("nan"), UNKNOWN, n)
    mean, sd = float(numbers.mean()), float(numbers.std(ddof=1))
    half = float(t.ppf(0.975, n - 1)) * sd / float(np.sqrt(n))
    return Repeats(mean, sd, Interval(mean - half, mean + half), n)


def with_repeats(interval: Interval, repeats: Repeats) -> Interval:
    """An interval over items around the repeats' mean, widened by their noise: squares are added.

    Of a single repeat the noise is not known, and nothing is added.
    """
    noise = repeats.interval.high - repeats.mean
    if np.isnan(noise):
        return interval
    low = repeats.mean - float(np.hypot(repeats.mean - interval.low, noise))
    return Interval(low, repeats.mean + float(np.hypot(interval.high - repeats.mean, noise)))


NORMAL_95 = 1.96


class CombinedEffect(NamedTuple):
    """The combined effect, the variance between the effects, and the mean variance within one."""

    value: float
    between: float
    within: float

    @property
    def interval(self) -> Interval:
        """Where 95 % of the effects of single samples lie, by the normal law."""
        half = NORMAL_95 * float(np.sqrt(self.between + self.within))
        return Interval(self.value - half, self.value + half)


def combine_effects(effects: Floats, variances: Floats) -> CombinedEffect:
    """The mean of effects weighted by 1 / (own variance + variance between); NaN of none."""
    known = ~(np.isnan(effects) | np.isnan(variances))
    values, own = effects[known], variances[known]
    if len(values) == 0:
        return CombinedEffect(np.nan, np.nan, np.nan)
    weights = 1 / own
    fixed = (weights * values).sum() / weights.sum()
    q = (weights * (values - fixed) ** 2).sum()
    scale = weights.sum() - (weights**2).sum() / weights.sum()
    between = max(0.0, (q - (len(values) - 1)) / scale) if scale > 0 else 0.0
    both = 1 / (own + between)
    return CombinedEffect(float((both * values).sum() / both.sum()), float(between), float(own.mean()))


def effect_size_variance(effect: Floats, first: int, second: int) -> Floats:
    """The large-sample variance of a standardised mean difference of two groups (Hedges and Olkin 1985)."""
    n = first + second
    variance: Floats = n / (first * second) + effect**2 / (2 * n)
    return variance
