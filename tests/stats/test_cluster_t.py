"""Degrees of freedom of unequal clusters against item-by-item matrices, Student's t and plain simulation."""

from math import inf, pi

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import f, t

from equipoise.stats.sandwich import MOST_DF, ClusterDesign, degrees_of_freedom, likeness

UNEQUAL = [1, 2, 3, 5, 8, 13]
SKEWED = [1, 3, 8, 22, 60]


def items_of(sizes):
    """The cluster of every item, and whether it is on the first of two sides (they alternate)."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    return codes, np.arange(len(codes)) % 2 == 0


def design_matrix(codes, is_first, n_sides):
    return np.column_stack([is_first, ~is_first]).astype(float) if n_sides == 2 else np.ones((len(codes), 1))


def design_of(codes, x):
    """Sizes and CR2's weights, from the columns of the sides."""
    clusters = codes[:, None] == np.arange(codes.max() + 1)
    sizes = clusters.T @ x
    totals = sizes.sum(axis=0)
    return ClusterDesign(sizes, np.array([1.0, -1.0])[: x.shape[1]] / totals / np.sqrt(1 - sizes / totals))


def tail_by_matrices(codes, x, alike, quantile):
    """The chance that the estimate lies beyond so many standard errors: Imhof's integral over eigenvalues."""
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    contrast = np.array([1.0, -1.0])[: x.shape[1]]
    estimate = contrast @ bread @ x.T
    scores = np.zeros((len(codes), len(codes)))
    for code in np.unique(codes):
        mine = codes == code
        values, vectors = np.linalg.eigh(np.eye(mine.sum()) - hat[np.ix_(mine, mine)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        row = (contrast @ bread @ x[mine].T @ root) @ (np.eye(len(codes)) - hat)[mine]
        scores += np.outer(row, row)
    together = codes[:, None] == codes
    covariance = (1 - alike) * np.eye(len(codes)) + alike * together
    form = (np.outer(estimate, estimate) - quantile**2 * scores) @ covariance
    weights = np.linalg.eigvals(form).real
    weights = weights[np.abs(weights) > 1e-9 * np.abs(weights).max()] / np.abs(weights).max()

    def integrand(u):
        angle = 0.5 * np.arctan(weights * u).sum()
        return np.sin(angle) / (u * np.prod((1 + (weights * u) ** 2) ** 0.25))

    return 0.5 + quad(integrand, 0, inf, limit=500)[0] / pi


@pytest.mark.parametrize("n_sides", [1, 2])
@pytest.mark.parametrize("alike", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("sizes", [UNEQUAL, SKEWED, [2, 2, 2, 2, 30]])
def test_the_quantile_is_exceeded_by_a_twentieth(sizes, alike, n_sides):
    codes, is_first = items_of(sizes)
    x = design_matrix(codes, is_first, n_sides)
    df = degrees_of_freedom(design_of(codes, x), alike)
    assert tail_by_matrices(codes, x, alike, t.ppf(0.975, df)) == pytest.approx(0.05, abs=2e-5)


def test_so_it_is_where_clusters_lie_on_one_side_each():
    codes, _ = items_of(UNEQUAL)
    x = design_matrix(codes, codes % 2 == 0, 2)
    df = degrees_of_freedom(design_of(codes, x), 0.4)
    assert tail_by_matrices(codes, x, 0.4, t.ppf(0.975, df)) == pytest.approx(0.05, abs=2e-5)


@pytest.mark.parametrize("n_clusters", [5, 12, 60, 400, 2000])
def test_equal_clusters_have_students_t(n_clusters):
    design = design_of(np.repeat(np.arange(n_clusters), 3), np.ones((3 * n_clusters, 1)))
    for alike in (0.0, 0.5):
        quantile = t.ppf(0.975, degrees_of_freedom(design, alike))
        assert quantile == pytest.approx(t.ppf(0.975, n_clusters - 1), abs=3e-6)


def test_one_cluster_that_holds_nearly_all_items_leaves_less_than_one_degree_of_freedom():
    sizes = np.array([200, 1, 1, 1, 1])
    rng = np.random.default_rng(0)
    sums = rng.normal(size=(200_000, 5)) * np.sqrt(sizes * (1 + 0.3 * (sizes - 1)))
    shares = sizes / sizes.sum()
    scores = (sums - shares * sums.sum(axis=1, keepdims=True)) / np.sqrt(1 - shares)
    ratios = np.abs(sums.sum(axis=1)) / np.sqrt((scores**2).sum(axis=1))
    codes = np.repeat(np.arange(5), sizes)
    df = degrees_of_freedom(design_of(codes, np.ones((204, 1))), 0.3)
    assert df < 1
    assert t.ppf(0.975, df) == pytest.approx(np.quantile(ratios, 0.95), rel=0.02)


def test_where_the_standard_error_is_too_large_the_normal_quantile_is_the_least():
    """Both sides within wholly alike clusters: the difference is sure, and no t quantile is that small."""
    codes = np.repeat(np.arange(40), 6)
    x = design_matrix(codes, np.arange(240) % 2 == 0, 2)
    design = ClusterDesign(design_of(codes, x).sizes, 3 * design_of(codes, x).weights)
    assert degrees_of_freedom(design, 0.0) == MOST_DF


@pytest.mark.parametrize("n_sides", [1, 2])
def test_likeness_is_the_upper_quartile_of_an_analysis_of_variance(n_sides):
    codes, is_first = items_of(UNEQUAL)
    rng = np.random.default_rng(3)
    values = rng.normal(size=len(codes)) + 1.5 * rng.normal(size=6)[codes]
    x = design_matrix(codes, is_first, n_sides)
    rest = np.eye(len(codes)) - x @ np.linalg.inv(x.T @ x) @ x.T
    together = (codes[:, None] == codes).astype(float)
    averages = together / together.sum(axis=1)
    residuals = rest @ values
    between = np.trace(rest @ averages @ rest)
    within = len(codes) - n_sides - between
    reach = np.trace(rest @ averages @ rest @ together)
    squares = residuals @ averages @ residuals
    inside = (residuals @ residuals - squares) / within
    outside = squares / between / f.ppf(0.25, between, within)
    expected = (outside - inside) * between / reach
    sums = np.bincount(codes, weights=residuals)
    alike = likeness(design_of(codes, x), sums, float(residuals @ residuals))
    assert 0.3 < alike == pytest.approx(expected / (expected + inside))


def test_likeness_lies_above_the_estimate_in_three_of_four_samples():
    """By simulation of equal clusters with a likeness of 0.3, which a quarter of the limits miss."""
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(8), 10)
    design = design_of(codes, np.ones((80, 1)))
    above = 0
    for _ in range(2000):
        values = np.sqrt(0.3) * rng.normal(size=8)[codes] + np.sqrt(0.7) * rng.normal(size=80)
        residuals = values - values.mean()
        above += likeness(design, np.bincount(codes, weights=residuals), float(residuals @ residuals)) > 0.3
    assert above / 2000 == pytest.approx(0.75, abs=0.04)


def test_likeness_of_what_does_not_tell():
    design = design_of(np.arange(6), np.ones((6, 1)))
    assert likeness(design, np.arange(6) - 2.5, 17.5) == 0.0
    codes = np.repeat(np.arange(5), [1, 2, 3, 4, 5])
    of_five = design_of(codes, np.ones((15, 1)))
    assert likeness(of_five, np.zeros(5), 0.0) == 1.0
    assert likeness(of_five, np.zeros(5), 14.0) == 0.0
    apart = np.array([2.0, -1.0, 0.5, 0.25, -0.9])[codes]
    residuals = apart - apart.mean()
    wholly = likeness(of_five, np.bincount(codes, weights=residuals), float(residuals @ residuals))
    assert wholly == pytest.approx(1.0)
