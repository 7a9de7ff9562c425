"""Effect sizes against numbers worked out by hand or by plain loops."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import UserError
from equipoise.stats.significance import (
    cohens_d,
    rank_biserial,
    wilcoxon,
)

values = st.lists(st.integers(-20, 20), min_size=2, max_size=25)


def test_cohens_d_pools_by_degrees_of_freedom():
    # Variances 4 (two degrees of freedom) and 50 (one): pooled 58 / 3; means 4 and 6.
    assert cohens_d([2, 4, 6], [1, 11]) == pytest.approx(-2 / sqrt(58 / 3))
    assert cohens_d([2, 4, 6, np.nan], [1, 3, 5]) == pytest.approx(0.5)


def test_paired_rank_biserial_by_hand():
    # Differences 1, -2, 3, 0: ranks 1 and 3 against 2, the zero left out.
    assert rank_biserial([1, 0, 3, 5], [0, 2, 0, 5]) == pytest.approx((4 - 2) / 6)
    assert isnan(rank_biserial([1, 2], [1, 2]))


@given(values, st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_paired_rank_biserial_follows_from_w(a, seed):
    b = np.random.default_rng(seed).integers(-20, 20, size=len(a))
    found = wilcoxon(a, b)
    if found.n:
        total = found.n * (found.n + 1) / 2
        assert rank_biserial(a, b) == pytest.approx(2 * found.w_plus / total - 1)


def test_d_is_undefined_without_spread_or_with_one_item():
    assert isnan(cohens_d([1, 1], [0, 0]))
    assert isnan(cohens_d([1], [0]))


def test_pairs_must_match():
    with pytest.raises(UserError, match="2 and 1 values"):
        rank_biserial([1, 2], [1])
