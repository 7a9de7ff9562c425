"""Bootstrap of sums against a loop over items, ranks against scipy, and the ratios made of sums."""

from time import process_time

import numpy as np
import pytest
from scipy.stats import binomtest
from statsmodels.stats.inter_rater import fleiss_kappa as kappa_of_statsmodels

from equipoise.errors import UserError
from equipoise.stats.agreement import agreement_cells, fleiss_kappa, kappa_of_sums
from equipoise.stats.clusters import expanded_percentile
from equipoise.stats.ratios import (
    gender_bias_metric,
    icat,
    icat_of_sums,
    ratio_of_means,
    sided_cells,
    sided_means,
)
from equipoise.stats.resampling import bootstrap_of, rank_biserial_bootstrap, resampled_sums
from equipoise.stats.significance import rank_biserial


def mean_of(sums):
    return sums[:, 0] / sums[:, 1]


def looped(statistic, codes, *, draws, seed):
    """The same draws of whole clusters, item by item in plain Python."""
    rng = np.random.default_rng(seed)
    members = [
        [item for item, code in enumerate(codes) if code == cluster] for cluster in dict.fromkeys(codes)
    ]
    values = []
    for _ in range(draws):
        picked = rng.integers(len(members), size=len(members))
        values.append(statistic([item for cluster in picked for item in members[cluster]]))
    return expanded_percentile(np.array(values), len(members), 0.95)


def sample(seed, n=90, n_clusters=9):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % n_clusters)
    return rng.normal(size=n).round(1) + 0.5 * rng.normal(size=n_clusters)[codes], codes


def test_the_mean_of_sums_is_drawn_as_by_the_loop_over_items():
    values, codes = sample(0)
    quick = bootstrap_of(mean_of, np.column_stack([values, np.ones(90)]), codes, draws=300, seed=4)
    slow = looped(lambda items: values[items].mean(), codes, draws=300, seed=4)
    assert quick == pytest.approx(slow)


def test_many_clusters_are_drawn_in_batches_and_give_the_same():
    values = np.random.default_rng(1).normal(size=3000)
    cells = np.column_stack([values, np.ones(3000)])
    assert bootstrap_of(mean_of, cells, draws=1500) == pytest.approx(
        looped(lambda items: values[items].mean(), np.arange(3000), draws=1500, seed=0)
    )


def test_rows_with_a_gap_are_left_out_and_below_five_clusters_nothing_is_said():
    values, codes = sample(2)
    cells = np.column_stack([values, np.ones(90)])
    gappy = np.vstack([cells, [np.nan, 1]])
    assert bootstrap_of(mean_of, gappy, [*codes, 0]) == bootstrap_of(mean_of, cells, codes)
    assert np.isnan(bootstrap_of(mean_of, cells, codes % 4)).all()
    assert not np.isnan(bootstrap_of(mean_of, cells, codes % 5)).any()
    assert resampled_sums(np.empty((0, 2)), []).n_clusters == 0
    assert np.isnan(bootstrap_of(mean_of, np.empty((0, 2)), [])).all()
    with pytest.raises(UserError, match="0 draws"):
        resampled_sums(cells, draws=0)


def test_each_side_of_a_ratio_needs_five_clusters():
    values, is_first = np.abs(sample(3)[0]), np.arange(90) < 4
    few = bootstrap_of(ratio_of_means, sided_cells(values, is_first), sides=is_first)
    assert np.isnan(few).all()
    is_first[4] = True
    assert not np.isnan(bootstrap_of(ratio_of_means, sided_cells(values, is_first), sides=is_first)).any()


def test_rank_biserial_draws_are_those_of_the_plain_function():
    values, codes = sample(3)
    values[:7] = 0.0
    plain = looped(lambda items: rank_biserial(values[items], np.zeros(len(items))), codes, draws=200, seed=1)
    assert rank_biserial_bootstrap(values, codes, draws=200, seed=1) == pytest.approx(plain)
    assert np.isnan(rank_biserial_bootstrap(np.zeros(20), draws=20)).all()
    assert np.isnan(rank_biserial_bootstrap(values, codes % 4)).all()


def test_five_hundred_draws_of_a_thousand_ranks_are_quick():
    values, codes = sample(4, n=1000, n_clusters=100)
    start = process_time()
    rank_biserial_bootstrap(values, codes, draws=500)
    assert process_time() - start < 1.0


def test_sided_means_and_their_ratio_by_hand():
    cells = sided_cells([1.0, 3.0, 8.0], [True, True, False])
    assert cells.tolist() == [[1, 1, 0, 0], [3, 1, 0, 0], [0, 0, 8, 1]]
    first, other = sided_means(cells.sum(axis=0))
    assert (first.tolist(), other.tolist()) == ([2], [8])
    assert ratio_of_means(cells.sum(axis=0)) == 0.25
    assert np.isnan(ratio_of_means(cells[:2].sum(axis=0)))
    assert np.isnan(ratio_of_means([[1, 1, 0, 1], [1, 1, 0, 0]])).all()


def test_gbm_is_its_formula_and_unknown_without_a_sentiment():
    shares = np.array([[0.2, 0.3, 0.5], [0.4, 0.1, 0.5], [0.6, 0.2, 0.2]])
    cells = sided_cells(shares, [True, True, False])
    # Means of positive items: M .3, F .2, N .5; of the negative one: M .6, F .2, N .2.
    expected = (0.2 - 0.3) / 0.5 + (0.6 - 0.2) / 0.2
    assert gender_bias_metric(cells.sum(axis=0)) == pytest.approx(expected)
    many = gender_bias_metric(np.array([cells.sum(axis=0), cells[:2].sum(axis=0)]))
    assert many == pytest.approx([expected, np.nan], nan_ok=True)


def test_icat_of_the_ideal_the_stereotyped_and_the_random_model():
    assert icat([50, 100, 50, 60], [100, 100, 50, 90]).tolist() == [100, 0, 50, 72]
    assert icat_of_sums([[180.0, 270.0, 3.0]]).tolist() == [72]


def test_kappa_of_many_draws_is_statsmodels_one_by_one():
    rng = np.random.default_rng(5)
    labels = rng.choice(["a", "b", "c"], size=(40, 4), p=[0.6, 0.3, 0.1])
    cells = agreement_cells(labels.tolist())
    picks = rng.integers(40, size=(30, 40))
    together = kappa_of_sums(np.array([cells[pick].sum(axis=0) for pick in picks]))
    counts = np.array([[(row == label).sum() for label in "abc"] for row in labels])
    assert together == pytest.approx([kappa_of_statsmodels(counts[pick]) for pick in picks])
    assert fleiss_kappa(labels.tolist()) == pytest.approx(kappa_of_statsmodels(counts))
    one_label = agreement_cells([["a", "a"], ["a", "b"]])[:1].sum(axis=0)
    assert np.isnan(kappa_of_sums(one_label))


def test_a_perfect_score_has_the_lower_end_of_the_exact_binomial_interval():
    drawn = resampled_sums(np.ones((40, 1)), np.repeat(np.arange(20), 2))
    exact = binomtest(20, 20).proportion_ci(0.95, method="exact")
    assert drawn.interval(drawn.sums[:, 0]) == (40, 40)
    assert drawn.lowest_if_perfect(100.0) == pytest.approx(100 * exact.low)
    assert np.isnan(resampled_sums(np.ones((4, 1))).lowest_if_perfect(100.0))
