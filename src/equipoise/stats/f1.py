"""The four F1 scores of a two-way choice, skew and stereotype, all from one confusion matrix or from many.

The sentences of a pro-stereotyped and an anti-stereotyped set differ in the label only, so one set of
predictions gives both: what is right for the one is wrong for the other. Everything works on one matrix (its
four cells in a row) and on as many as a bootstrap draws (a row each) alike.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from equipoise.stats.clusters import Floats

CLOSE = 1e-6
"""How near to 1 the product of the identity has to be: the rest is rounding."""


@dataclass(frozen=True)
class FourF1:
    """F1 x 100 of the first and of the second pole as the positive class, on the pro and the anti set."""

    first_pro: Floats
    first_anti: Floats
    second_pro: Floats
    second_anti: Floats

    @property
    def skew_pro(self) -> Floats:
        """How much better the first pole is found than the second, where labels are stereotypical."""
        return self.first_pro - self.second_pro

    @property
    def skew_anti(self) -> Floats:
        """The same where labels are anti-stereotypical."""
        return self.first_anti - self.second_anti

    @property
    def stereotype_first(self) -> Floats:
        """How much better the first pole is found where it is the stereotype than where it is not."""
        return self.first_pro - self.first_anti

    @property
    def stereotype_second(self) -> Floats:
        """The same for the second pole."""
        return self.second_pro - self.second_anti

    @property
    def skew(self) -> Floats:
        """The signed mean over the two sets: above 0 leans to the first pole."""
        return (self.skew_pro + self.skew_anti) / 2

    @property
    def stereotype(self) -> Floats:
        """The signed mean over the two poles: above 0 follows the stereotype."""
        return (self.stereotype_first + self.stereotype_second) / 2

    @property
    def absolute_skew(self) -> Floats:
        """The published mean of absolute values, without direction."""
        return (np.abs(self.skew_pro) + np.abs(self.skew_anti)) / 2

    @property
    def absolute_stereotype(self) -> Floats:
        """The published mean of absolute values, without direction."""
        return (np.abs(self.stereotype_first) + np.abs(self.stereotype_second)) / 2

    @property
    def lower(self) -> Floats:
        """The lower of the two F1 scores on the pro set."""
        return np.minimum(self.first_pro, self.second_pro)

    @property
    def identity(self) -> Floats:
        """1 for four scores of one confusion matrix; NaN where all or none of the labels were predicted."""
        pro = _odds(self.first_pro) + _odds(self.second_pro)
        anti = _odds(self.first_anti) + _odds(self.second_anti)
        defined = np.isfinite(pro) & np.isfinite(anti) & (pro > 0) & (anti > 0)
        return np.multiply(pro, anti, out=np.full_like(pro, np.nan), where=defined)[()]


def four_f1(cells: ArrayLike) -> FourF1:
    """Work out four F1 scores from counts of (stereotype, prediction) in the order 11, 21, 12, 22.

    A pole that is never predicted has the F1 score 0; without any sentence all four are NaN. Cells are the
    last axis.
    """
    a, b, c, d = np.moveaxis(np.asarray(cells, dtype=np.float64), -1, 0)
    nothing = a + b + c + d == 0
    scores = (_f1(a, b + c), _f1(b, a + d), _f1(d, b + c), _f1(c, a + d))
    return FourF1(*(np.where(nothing, np.nan, score)[()] for score in scores))


def checked(scores: FourF1) -> FourF1:
    """The same scores, once the identity that binds them has been seen to hold."""
    off = np.abs(scores.identity - 1)
    if (off > CLOSE).any():
        raise AssertionError(f"{scores} do not come from one confusion matrix: off by {np.nanmax(off):.2g}")
    return scores


def cell_counts(is_first: ArrayLike, predicts_first: ArrayLike) -> Floats:
    """One row per sentence with a 1 in its cell of the confusion matrix, in the order of `four_f1`."""
    truth, choice = np.asarray(is_first, dtype=bool), np.asarray(predicts_first, dtype=bool)
    cells = (truth & choice, ~truth & choice, truth & ~choice, ~truth & ~choice)
    return np.column_stack(cells).astype(np.float64)


def rebalanced(drawn: ArrayLike, whole: ArrayLike) -> Floats:
    """Scale drawn cells to the whole's number of sentences per stereotype; zeros where one is missing.

    How often each pole is the stereotype is the design of the data and not a finding, so what a bootstrap
    draws is weighted back to it.
    """
    cells, all_cells = np.asarray(drawn, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    have, want = (one[..., :2] + one[..., 2:] for one in (cells, all_cells))
    weights = np.divide(want, have, out=np.zeros_like(have), where=have > 0)
    missing = ((have == 0) & (want > 0)).any(axis=-1, keepdims=True)
    return np.where(missing, 0.0, cells * np.concatenate([weights, weights], axis=-1))


def _f1(hits: Floats, misses: Floats) -> Floats:
    """F1 x 100; 0 where there is neither a hit nor a miss."""
    return np.divide(200 * hits, 2 * hits + misses, out=np.zeros_like(hits), where=hits > 0)


def _odds(score: Floats) -> Floats:
    """Hits by misses, back from F1 x 100."""
    scores = np.asarray(score, dtype=np.float64)
    return np.divide(scores, 2 * (100 - scores), out=np.full_like(scores, np.inf), where=~(scores >= 100))
