"""Corrections for many tests against published and hand-made answers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from equipoise.stats.significance import holm

# The fifteen p values of Benjamini and Hochberg 1995, section 3.2.
PAPER = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000,
]  # fmt: skip

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_holm_by_hand_in_input_order():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(p_values)
@settings(max_examples=8, deadline=None)  # statsmodels collects garbage in every call
def test_holm_agrees_with_statsmodels(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_the_paper_rejects_three():
    assert (holm(PAPER) < 0.05).sum() == 3


def test_nan_stays_and_is_not_counted():
    given_p = [0.03, float("nan"), 0.01]
    adjusted = holm(given_p)
    assert np.isnan(adjusted[1])
    assert adjusted[[0, 2]].tolist() == holm([0.03, 0.01]).tolist()
    assert given_p[0] == 0.03
    assert holm([]).tolist() == []
    assert np.isnan(holm([float("nan")])).all()
