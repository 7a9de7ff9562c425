"""A number measured several times over, as by trainings that differ in their seed only."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from equipoise.stats.intervals import UNKNOWN, Interval


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
