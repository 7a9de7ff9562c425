"""The four F1 scores of a two-way choice, skew and stereotype, all from one confusion matrix.

The sentences of a pro-stereotyped and an anti-stereotyped set differ in the label only, so one set of
predictions gives both: what is right for the one is wrong for the other.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.stats.clusters import Codes

Counts = npt.NDArray[np.float64]

CLOSE = 1e-6
"""How near to 1 the product of the identity has to be: the rest is rounding."""


@dataclass(frozen=True)
class FourF1:
    """F1 x 100 of the first and of the second pole as the positive class, on the pro and the anti set."""

    first_pro: float
    first_anti: float
    second_pro: float
    second_anti: float

    @property
    def skew_pro(self) -> float:
        """How much better the first pole is found than the second, where labels are stereotypical."""
        return self.first_pro - self.second_pro

    @property
    def skew_anti(self) -> float:
        """The same where labels are anti-stereotypical."""
        return self.first_anti - self.second_anti

    @property
    def stereotype_first(self) -> float:
        """How much better the first pole is found where it is the stereotype than where it is not."""
        return self.first_pro - self.first_anti

    @property
    def stereotype_second(self) -> float:
        """The same for the second pole."""
        return self.second_pro - self.second_anti

    @property
    def skew(self) -> float:
        """The signed mean over the two sets: above 0 leans to the first pole."""
        return (self.skew_pro + self.skew_anti) / 2

    @property
    def stereotype(self) -> float:
        """The signed mean over the two poles: above 0 follows the stereotype."""
        return (self.stereotype_first + self.stereotype_second) / 2

    @property
    def absolute_skew(self) -> float:
        """The published mean of absolute values, without direction."""
        return (abs(self.skew_pro) + abs(self.skew_anti)) / 2

    @property
    def absolute_stereotype(self) -> float:
        """The published mean of absolute values, without direction."""
        return (abs(self.stereotype_first) + abs(self.stereotype_second)) / 2

    @property
    def lower(self) -> float:
        """The lower of the two F1 scores on the pro set."""
        return min(self.first_pro, self.second_pro)

    @property
    def identity(self) -> float:
        """1 for four scores of one confusion matrix; NaN where all or none of the labels were predicted."""
        pro = _odds(self.first_pro) + _odds(self.second_pro)
        anti = _odds(self.first_anti) + _odds(self.second_anti)
        return pro * anti if 0 < pro < math.inf and 0 < anti < math.inf else math.nan


def four_f1(counts: Sequence[float] | Counts) -> FourF1:
    """From the numbers of (stereotype, prediction): first first, second first, first second, second second.

    A pole that is never predicted has the F1 score 0; without any sentence all four are NaN.
    """
    a, b, c, d = (float(count) for count in counts)
    if a + b + c + d == 0:
        return FourF1(math.nan, math.nan, math.nan, math.nan)
    return FourF1(_f1(a, b + c), _f1(b, a + d), _f1(d, b + c), _f1(c, a + d))


def checked(scores: FourF1) -> FourF1:
    """The same scores, once the identity that binds them has been seen to hold."""
    off = abs(scores.identity - 1)
    if off > CLOSE:
        raise AssertionError(f"{scores} do not come from one confusion matrix: off by {off:.2g}")
    return scores


def cell_counts(is_first: npt.ArrayLike, predicts_first: npt.ArrayLike) -> Counts:
    """One row per sentence with a 1 in its cell of the confusion matrix, in the order of `four_f1`."""
    truth, choice = np.asarray(is_first, dtype=bool), np.asarray(predicts_first, dtype=bool)
    cells = (truth & choice, ~truth & choice, truth & ~choice, ~truth & ~choice)
    return np.column_stack(cells).astype(np.float64)


def resampled_scores(counts: Counts) -> Callable[[Codes], FourF1]:
    """The scores as a function of which rows of the counts are taken, for the bootstrap.

    How often each pole is the stereotype is the design of the data and not a finding: the rows taken are
    weighted back to it. Rows without any sentence of one of the two give NaN. A draw is worked out once,
    since every quantity of one matrix is given the same draws.
    """
    known: dict[bytes, FourF1] = {}
    whole = counts.sum(axis=0)

    def of_rows(positions: Codes) -> FourF1:
        key = positions.tobytes()
        if key not in known:
            known[key] = four_f1(_rebalanced(counts[positions].sum(axis=0), whole))
        return known[key]

    return of_rows


def _rebalanced(drawn: Counts, whole: Counts) -> Counts:
    """Drawn cells with as many sentences of each stereotype as the whole has; zeros where one is missing."""
    have, want = (cells[:2] + cells[2:] for cells in (drawn, whole))
    if ((have == 0) & (want > 0)).any():
        return np.zeros(4)
    weights = np.divide(want, have, out=np.zeros(2), where=have > 0)
    return drawn * weights[[0, 1, 0, 1]]


def _f1(hits: float, misses: float) -> float:
    """F1 x 100; 0 where there is neither a hit nor a miss."""
    return 200 * hits / (2 * hits + misses) if hits else 0.0


def _odds(score: float) -> float:
    """Hits by misses, back from F1 x 100."""
    return math.inf if score >= 100 else score / (2 * (100 - score))
