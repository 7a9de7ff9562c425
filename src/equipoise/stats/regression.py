"""A straight line through points: its slope with an interval."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FEWEST = 5


class Slope(NamedTuple):
    """How much of one number is left in another, the level it starts from, and how sure that is."""

    value: float
    low: float
    high: float
    intercept: float
    n: int


def slope_of(first: npt.ArrayLike, second: npt.ArrayLike, *, level: float = 0.95) -> Slope:
    """The least-squares slope of the second on the first, over complete pairs; NaN below five or a point."""
    from scipy import stats

    x, y = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    known = ~(np.isnan(x) | np.isnan(y))
    x, y = x[known], y[known]
    if len(x) < FEWEST or np.ptp(x) == 0:
        return Slope(np.nan, np.nan, np.nan, np.nan, len(x))
    if np.ptp(y) == 0:  # a level line without any residual
        return Slope(0.0, 0.0, 0.0, float(y[0]), len(x))
    line = stats.linregress(x, y)
    reach = float(stats.t.ppf((1 + level) / 2, len(x) - 2) * line.stderr)
    return Slope(
        float(line.slope), float(line.slope) - reach, float(line.slope) + reach, float(line.intercept), len(x)
    )
