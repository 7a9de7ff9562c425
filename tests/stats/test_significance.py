"""Wilcoxon's test and the test of two rates against published and enumerated answers."""

from math import sqrt

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.errors import UserError
from equipoise.stats.significance import (
    equal_rates_p,
    wilcoxon,
    wilcoxon_r_from_w,
)


def test_wilcoxon_gives_rs_answer_on_hollander_and_wolfes_depression_scores():
    first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    found = wilcoxon(first, second)
    assert (found.w_plus, found.w_min, found.n, found.n_zero) == (40, 5, 9, 0)
    assert found.p == pytest.approx(2 * 10 / 2**9)
    assert found.r == pytest.approx((40 - 22.5) / sqrt(9 * 10 * 19 / 24) / 3)
    assert wilcoxon(second, first).r == -found.r


def test_wilcoxon_corrects_z_for_ties_and_counts_what_it_drops():
    found = wilcoxon([1, 1, -2, 3, 5, np.nan], [0, 0, 0, 0, 5, 1])
    assert (found.w_plus, found.n, found.n_zero) == (7.0, 4, 1)
    assert found.z == pytest.approx(2 / sqrt(4 * 5 * 9 / 24 - (2**3 - 2) / 48))
    assert found.r_published == pytest.approx(-(2 / sqrt(7.5)) / sqrt(8))


def test_wilcoxon_agrees_with_scipy_beyond_the_exact_range():
    rng = np.random.default_rng(9)
    a, b = rng.normal(0.2, size=300), rng.normal(size=300)
    theirs = scipy.stats.wilcoxon(a, b)
    found = wilcoxon(a, b)
    assert (found.w_min, found.p) == (theirs.statistic, pytest.approx(theirs.pvalue))
    assert found.p == pytest.approx(2 * scipy.stats.norm.sf(abs(found.z)))


@pytest.mark.parametrize(
    ("w", "published"),
    [
        (359188, 0.473),
        (96428, 0.321),
        (395974, 0.584),
        (315058, 0.339),
        (304635, 0.308),
        (297605, 0.287),
    ],
)
def test_the_effect_sizes_of_bartl_et_al_2020_follow_from_their_w(w, published):
    r = wilcoxon_r_from_w(w, 900)
    assert abs(r) / sqrt(2) == pytest.approx(published, abs=5e-4)
    assert (r > 0) == (w > 900 * 901 / 4)


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=60, unique=True), st.data())
@settings(max_examples=60, deadline=None)
def test_r_comes_from_z_and_not_from_w(sizes, data):
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(sizes), max_size=len(sizes)))
    differences = np.array(sizes) * signs
    found = wilcoxon(differences, np.zeros(len(sizes)))
    assert -1 - 1e-9 <= found.r <= 1 + 1e-9
    assert found.r == pytest.approx(wilcoxon_r_from_w(found.w_plus, found.n))


def test_w_over_root_n_is_no_effect_size():
    # The script beside Bartl et al. divides W itself by sqrt(n): 11,973 for a published 0.47.
    rng = np.random.default_rng(4)
    differences = rng.normal(size=900)
    found = wilcoxon(differences, np.zeros(900))
    assert abs(found.r) < 0.1
    assert found.w_min / sqrt(found.n) > 6000


def test_wilcoxon_of_pairs_that_never_differ_or_do_not_match():
    found = wilcoxon([1.0, 2.0], [1.0, 2.0])
    assert np.isnan(found.p)
    assert (found.n, found.n_zero) == (0, 2)
    with pytest.raises(UserError, match="3 and 2 values"):
        wilcoxon([1, 2, 3], [1, 2])


@pytest.mark.parametrize(("first", "second"), [((7, 20), (1, 15)), ((3, 9), (3, 9)), ((12, 12), (0, 12))])
def test_chi_square_is_that_of_scipy(first: tuple[int, int], second: tuple[int, int]) -> None:
    table = [[first[0], first[1] - first[0]], [second[0], second[1] - second[0]]]
    expected = scipy.stats.chi2_contingency(np.array(table), correction=False).pvalue
    assert equal_rates_p(first, second) == pytest.approx(expected, rel=1e-9)


def test_a_fill_that_everybody_gets_has_nothing_to_tell() -> None:
    assert equal_rates_p((5, 5), (8, 8)) == 1.0
