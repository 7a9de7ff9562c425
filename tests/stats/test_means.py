"""Cluster-robust means against plain matrices, textbook formulas and hand-made cases."""

from math import isnan, sqrt
from time import process_time

import numpy as np
import pytest
from scipy.stats import t, ttest_ind
from statsmodels.regression.linear_model import OLS

from equipoise.errors import UserError
from equipoise.stats.means import (
    difference_of_means,
    mean_with_interval,
    share_with_interval,
    size_with_interval,
    sum_of_means,
)
from equipoise.stats.sandwich import ClusterDesign, degrees_of_freedom


def clustered(seed, sizes):
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=len(codes)) + 0.7 * rng.normal(size=len(sizes))[codes], codes


def bell_mccaffrey(y, x, codes, contrast):
    """CR2 variance of a contrast of regression coefficients and its degrees of freedom, by plain matrices."""
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    rest = np.eye(len(y)) - hat
    variance, columns = 0.0, []
    for code in np.unique(codes):
        mine = codes == code
        values, vectors = np.linalg.eigh(np.eye(mine.sum()) - hat[np.ix_(mine, mine)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        row = contrast @ bread @ x[mine].T @ root
        variance += (row @ (rest @ y)[mine]) ** 2
        columns.append(rest[:, mine] @ row)
    cross = np.array(columns) @ np.array(columns).T
    return variance, np.trace(cross) ** 2 / (cross**2).sum()


@pytest.mark.parametrize("sizes", [[4] * 6, [1, 2, 3, 5, 8, 13], [1, 1, 1, 1, 1, 40], [1] * 9])
def test_a_mean_has_the_variance_of_bell_and_mccaffrey(sizes):
    values, codes = clustered(0, sizes)
    mean = mean_with_interval(values, [codes])
    variance, df = bell_mccaffrey(values, np.ones((len(values), 1)), codes, np.array([1.0]))
    assert (mean.value, mean.standard_error) == pytest.approx((values.mean(), sqrt(variance)))
    if len(set(sizes)) == 1:
        assert mean.df == pytest.approx(df)
    half = t.ppf(0.975, mean.df) * sqrt(variance)
    assert mean.interval == pytest.approx((values.mean() - half, values.mean() + half))
    assert (mean.n, mean.n_clusters) == (len(values), len(sizes))


@pytest.mark.parametrize("within", [True, False])
def test_a_difference_of_means_has_it_too(within):
    values, codes = clustered(1, [2, 3, 5, 8, 13, 3, 7])
    is_first = (np.arange(len(codes)) if within else codes) % 2 == 0
    x = np.column_stack([is_first, ~is_first]).astype(float)
    variance, _ = bell_mccaffrey(values, x, codes, np.array([1.0, -1.0]))
    difference = difference_of_means(values, is_first, [codes])
    assert difference.value == pytest.approx(values[is_first].mean() - values[~is_first].mean())
    assert difference.standard_error == pytest.approx(sqrt(variance))


@pytest.mark.parametrize("counts", [(1, -1, -1, 1), (0.5, 0.5, -0.5, -0.5), (1, 0, -0.5, -0.5)])
def test_a_sum_of_means_has_it_as_well(counts):
    values, codes = clustered(2, [6, 9, 5, 8, 13, 7, 7, 12])
    sides = np.random.default_rng(3).integers(0, 4, len(codes))
    kept = np.isin(sides, np.flatnonzero(counts))
    x = np.eye(4)[sides][:, np.flatnonzero(counts)]
    wanted = np.array(counts, dtype=float)[np.flatnonzero(counts)]
    variance, _ = bell_mccaffrey(values[kept], x[kept], codes[kept], wanted)
    found = sum_of_means(values, sides, counts, [codes])
    means = [values[sides == side].mean() for side in range(4)]
    assert found.value == pytest.approx(np.dot(counts, means))
    assert found.standard_error == pytest.approx(sqrt(variance))
    # Without clusters the degrees of freedom are those of Bell and McCaffrey too.
    variance, df = bell_mccaffrey(values[kept], x[kept], np.arange(kept.sum()), wanted)
    alone = sum_of_means(values, sides, counts)
    assert (alone.standard_error, alone.df) == pytest.approx((sqrt(variance), df))


def test_a_sum_of_means_without_one_of_them_has_no_value():
    assert isnan(sum_of_means([1.0, 2.0, 3.0], np.array([0, 0, 1]), (1, -1, 1)).value)
    two = sum_of_means([1.0, 2.0, 4.0, 9.0], np.array([0, 1, 0, 1]), (1, -1))
    assert two == difference_of_means([1.0, 2.0, 4.0, 9.0], [True, False, True, False])


def test_two_sides_of_independent_items_have_the_degrees_of_freedom_of_bell_and_mccaffrey():
    values, _ = clustered(1, [2, 3, 5, 8])
    is_first = np.arange(18) < 5
    x = np.column_stack([is_first, ~is_first]).astype(float)
    variance, df = bell_mccaffrey(values, x, np.arange(18), np.array([1.0, -1.0]))
    difference = difference_of_means(values, is_first)
    assert (difference.standard_error, difference.df) == pytest.approx((sqrt(variance), df))


def test_the_more_alike_unequal_clusters_are_inside_the_fewer_degrees_of_freedom_they_leave():
    codes = np.repeat(np.arange(6), [1, 2, 4, 9, 20, 40])
    rng = np.random.default_rng(13)
    noise, level = rng.normal(size=76), rng.normal(size=6)[codes]
    apart, alike = (mean_with_interval(noise + weight * level, [codes]) for weight in (0.0, 30.0))
    design = ClusterDesign(np.bincount(codes)[:, None].astype(float), cr2_weights(np.bincount(codes)))
    assert alike.df == pytest.approx(degrees_of_freedom(design, 1.0), rel=0.01)
    assert alike.df < apart.df < 5


def cr2_weights(sizes):
    return (1 / sizes.sum() / np.sqrt(1 - sizes / sizes.sum()))[:, None]


def test_equal_clusters_give_the_t_interval_of_their_means():
    values, codes = clustered(2, [6] * 8)
    means = values.reshape(8, 6).mean(axis=1)
    expected = t.interval(0.9, 7, means.mean(), means.std(ddof=1) / sqrt(8))
    assert mean_with_interval(values, [codes], level=0.9).interval == pytest.approx(expected)


def test_without_factors_items_are_independent():
    values, codes = clustered(3, [10] * 6)
    alone = mean_with_interval(values)
    assert alone.standard_error == pytest.approx(values.std(ddof=1) / sqrt(60))
    assert (alone.df, alone.n_clusters) == (pytest.approx(59), 60)
    assert alone.standard_error < 0.7 * mean_with_interval(values, [codes]).standard_error
    welch = ttest_ind(values[:20], values[20:], equal_var=False)
    difference = difference_of_means(values, np.arange(60) < 20)
    assert difference.value / difference.standard_error == pytest.approx(welch.statistic)


def test_two_factors_add_up_as_in_a_plain_loop_over_pairs_of_items():
    rng = np.random.default_rng(4)
    rows, columns = (part.ravel() for part in np.indices((20, 30)))
    values = rng.normal(size=20)[rows] + rng.normal(size=30)[columns] + rng.normal(size=600)
    residuals = values - values.mean()
    shares = [(rows == rows[item]) | (columns == columns[item]) for item in range(600)]
    plain = sum(residuals[item] * residuals[shares[item]].sum() for item in range(600))
    crossed = mean_with_interval(values, [rows, columns])
    # The loop has no small-sample correction, which is one part in 19 at most.
    assert crossed.standard_error == pytest.approx(sqrt(plain) / 600, rel=0.04)
    assert crossed.n_clusters == 20
    assert 19 < crossed.df < 50


@pytest.mark.parametrize("of_column", [1.0, 0.0])
def test_crossed_variances_of_a_full_table_are_those_of_its_margins(of_column):
    rng = np.random.default_rng(5)
    table = rng.normal(size=(6, 1)) + of_column * rng.normal(size=(1, 9)) + rng.normal(size=(6, 9))
    rows, columns = (part.ravel() for part in np.indices(table.shape))
    of_rows = table.mean(axis=1).var(ddof=1) / 6
    of_columns = table.mean(axis=0).var(ddof=1) / 9
    of_cells = table.var(ddof=1) / 54
    variance = of_rows + of_columns - of_cells
    df = variance**2 / (of_rows**2 / 5 + of_columns**2 / 8 + of_cells**2 / 53)
    crossed = mean_with_interval(table.ravel(), [rows, columns])
    # Where only rows matter the sum is no less certain than the rows alone, with their 5 degrees of freedom.
    assert (df < 5) == (of_column == 0)
    assert (crossed.standard_error, crossed.df) == pytest.approx((sqrt(variance), max(df, 5)))
    assert mean_with_interval(table.ravel(), [columns, rows]) == crossed


def test_where_neither_factor_matters_the_crossed_variance_is_four_fifths_of_that_of_items():
    # Every row and every column has the same mean, so both one-way variances are zero.
    table = np.array([[(row + column) % 6 for column in range(6)] for row in range(6)], dtype=float)
    rows, columns = (part.ravel() for part in np.indices(table.shape))
    crossed, alone = mean_with_interval(table.ravel(), [rows, columns]), mean_with_interval(table.ravel())
    assert (crossed.standard_error**2, crossed.df) == pytest.approx((0.8 * alone.standard_error**2, alone.df))


def test_a_factor_inside_another_adds_nothing():
    values, codes = clustered(6, [5] * 8)
    nested = mean_with_interval(values, [codes, np.arange(40)])
    alone = mean_with_interval(values, [codes])
    assert nested.standard_error == pytest.approx(alone.standard_error)


def test_a_factor_with_one_level_is_left_out_unless_it_is_the_only_one():
    values, codes = clustered(7, [5] * 8)
    assert mean_with_interval(values, [["same"] * 40, codes]) == mean_with_interval(values, [codes])
    only = mean_with_interval(values, [["same"] * 40])
    assert (only.n, only.n_clusters) == (40, 1)
    assert isnan(only.low)
    assert isnan(only.standard_error)


@pytest.mark.parametrize("ask", [mean_with_interval, share_with_interval])
def test_below_five_clusters_there_is_a_value_but_no_interval(ask):
    hits = [1, 0, 0, 1, 1, 0, 1, 1, 0, 1]
    four = ask(hits, ["abcdabcdab"])
    assert (four.value, four.n, four.n_clusters) == (pytest.approx(0.6), 10, 4)
    assert np.isnan(four.interval).all()
    assert not np.isnan(ask(hits, ["abcdeabcde"]).interval).any()
    assert np.isnan(ask(hits[:4]).interval).all()
    assert np.isnan(ask(hits, ["abcdeabcde", "abcdabcdab"]).interval).all()


@pytest.mark.parametrize("ask", [mean_with_interval, share_with_interval])
def test_nothing_and_one_item(ask):
    nothing = ask([], [[]])
    assert (nothing.n, nothing.n_clusters) == (0, 0)
    assert isnan(nothing.value)
    assert ask([np.nan, 1.0], ["ab"]).value == 1.0
    assert isnan(ask([1.0]).low)


def test_values_that_never_differ_have_an_interval_without_width():
    same = mean_with_interval([0.1] * 30, [np.arange(30) % 6])
    assert (same.low, same.high, same.standard_error) == (pytest.approx(0.1), pytest.approx(0.1), 0.0)


def test_two_sides_that_never_differ_inside_have_a_difference_without_width():
    codes, is_first = np.repeat(np.arange(6), 4), np.tile([True, False], 12)
    apart = difference_of_means(np.where(is_first, 0.5, 0.2), is_first, [codes])
    assert apart.interval == pytest.approx((0.3, 0.3))
    # Clusters differ, their sides do not: the shared level cancels out of every difference.
    alike = difference_of_means(np.arange(6.0)[codes], is_first, [codes])
    assert (alike.value, alike.low, alike.high) == pytest.approx((0, 0, 0), abs=1e-9)
    assert np.isfinite([apart.df, alike.df]).all()


def test_unanswered_items_take_their_labels_along():
    values, codes = clustered(8, [3, 4, 5, 6, 7])
    with_gaps = np.append(values, [np.nan, np.nan])
    assert mean_with_interval(with_gaps, [[*codes, 0, 99]]) == mean_with_interval(values, [codes])
    marks = np.arange(len(values)) % 3 == 0
    expected = difference_of_means(values, marks, [codes])
    assert difference_of_means(with_gaps, [*marks, True, False], [[*codes, 0, 99]]) == expected


def test_a_side_that_is_empty_or_in_one_cluster_leaves_the_rest_unknown():
    values, codes = clustered(9, [3] * 6)
    empty = difference_of_means(values, np.zeros(18, dtype=bool), [codes])
    assert isnan(empty.value)
    assert empty.n == 18
    lonely = difference_of_means(values, codes == 0, [codes])
    assert lonely.value == pytest.approx(values[:3].mean() - values[3:].mean())
    assert isnan(lonely.low)


def test_the_side_with_the_fewest_clusters_decides_whether_a_difference_can_tell():
    """One pair against a hundred neutral ones: 101 clusters in all, but one on the first side."""
    values, is_first = np.random.default_rng(3).normal(size=104), np.arange(104) < 4
    for firsts, known in ((4, False), (1, False)):
        kept = slice(4 - firsts, None)
        apart = difference_of_means(values[kept], is_first[kept], [np.arange(104)[kept]])
        assert apart.n_clusters == firsts
        assert np.isfinite(apart.low) == known
        assert np.isfinite(difference_of_means(values[kept], is_first[kept]).low) == known
    five = difference_of_means(values, np.arange(104) < 5)
    assert np.isfinite(five.interval).all()


def test_a_size_is_the_mean_distance_from_zero_and_its_interval_ends_there():
    """The upper end is Student's; the lower one, which would be -0.65, is 0; too few values have none."""
    values = np.array([0.1, -0.1, 0.2, -3.0, 0.05, 0.1])
    sizes = np.abs(values)
    half = t.ppf(0.975, 5) * sizes.std(ddof=1) / np.sqrt(6)
    assert sizes.mean() - half < -0.6
    assert size_with_interval(values).value == pytest.approx(sizes.mean())
    assert tuple(size_with_interval(values).interval) == pytest.approx((0.0, sizes.mean() + half))
    far = size_with_interval(values + 10)
    assert far.interval == mean_with_interval(values + 10).interval
    assert np.isnan(size_with_interval(values[:3]).low)


def test_large_clusters_agree_with_the_regression_of_statsmodels():
    values, codes = clustered(11, np.full(200, 4))
    robust = OLS(values, np.ones(800)).fit(cov_type="cluster", cov_kwds={"groups": codes})
    assert mean_with_interval(values, [codes]).standard_error == pytest.approx(robust.bse[0], rel=1e-3)


def test_what_cannot_be_meant_is_refused():
    with pytest.raises(UserError, match="crossed by 3 factors"):
        mean_with_interval([1, 2], ["ab", "ab", "ab"])
    with pytest.raises(UserError, match="2 values but 3 cluster labels"):
        mean_with_interval([1, 2], ["abc"])
    with pytest.raises(UserError, match="2 values but 1 marks"):
        difference_of_means([1, 2], [True])
    with pytest.raises(UserError, match="level"):
        mean_with_interval([1, 2], level=95)


def test_two_thousand_items_in_sixty_clusters_take_less_than_two_milliseconds():
    rng = np.random.default_rng(12)
    values, labels = rng.normal(size=2000), [f"profession {code}" for code in rng.integers(60, size=2000)]
    times = []
    for _ in range(50):
        start = process_time()
        mean_with_interval(values, [labels])
        times.append(process_time() - start)
    assert min(times) < 2e-3
