"""Combining effect sizes whose true values differ: DerSimonian and Laird's random-effects model."""

from typing import NamedTuple

import numpy as np

from equipoise.stats.clusters import Floats
from equipoise.stats.intervals import Interval

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
