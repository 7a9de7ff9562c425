"""Shares: Wilson's interval, that of log-odds and that of rare hits, against plain code and scipy."""

from math import inf, isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, betabinom, t

from equipoise.errors import UserError
from equipoise.stats.clusters import wilson
from equipoise.stats.means import mean_with_interval, share_interval, share_with_interval
from equipoise.stats.sandwich import ClusterDesign, degrees_of_freedom


def cr2_weights(sizes):
    return (1 / sizes.sum() / np.sqrt(1 - sizes / sizes.sum()))[:, None]


@given(st.lists(st.booleans(), min_size=5, max_size=60))
@settings(deadline=None)
def test_a_share_of_independent_items_has_wilsons_interval(hits):
    share = share_with_interval(hits)
    assert share.interval == pytest.approx(wilson(sum(hits), len(hits)))
    assert (share.value, share.df) == (pytest.approx(np.mean(hits)), inf)
    assert share_with_interval(hits, [range(len(hits))]) == share


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=5, max_size=60))
@settings(deadline=None)
def test_a_clustered_share_stays_inside_and_holds_its_value(items):
    hits, labels = zip(*items, strict=True)
    share = share_with_interval(hits, [labels])
    if len(set(labels)) < 5:
        assert isnan(share.low)
    else:
        assert 0 <= share.low <= share.value + 1e-12
        assert share.value - 1e-12 <= share.high <= 1
        assert share.high - share.low > 0


def of_log_odds(hits, codes, level=0.95):
    """The delta method: odds p / (1 - p) move by p' / (p (1 - p)) on the scale of logarithms."""
    mean = mean_with_interval(hits, [codes])
    half = t.ppf((1 + level) / 2, mean.df) * mean.standard_error / (mean.value * (1 - mean.value))
    odds = np.exp(np.log(mean.value / (1 - mean.value)) + np.array([-half, half]))
    return odds / (1 + odds)


def of_model(hits, codes, level=0.95):
    return share_interval(np.bincount(codes, weights=hits), np.bincount(codes).astype(float), level)


def length(interval):
    low, high = interval
    return np.log(high / (1 - high)) - np.log(low / (1 - low))


@pytest.mark.parametrize(
    ("sizes", "chances", "shorter"),
    [
        ([20] * 12, (0.5, 0.5), of_log_odds),
        ([3, 10, 7, 9, 20, 11, 4, 5], (0.5, 0.5), of_log_odds),
        ([3, 40, 7, 9, 60, 11], (0.1, 0.9), of_model),
        ([12] * 5, (0.05, 0.15), of_model),
    ],
)
def test_hits_and_misses_in_most_clusters_have_the_shorter_of_two_intervals(sizes, chances, shorter):
    rng = np.random.default_rng(10)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    hits = rng.random(len(codes)) < rng.uniform(*chances, size=len(sizes))[codes]
    mean, share = mean_with_interval(hits, [codes]), share_with_interval(hits, [codes])
    assert (share.value, share.standard_error, share.df) == (mean.value, mean.standard_error, mean.df)
    longer = next(other for other in (of_log_odds, of_model) if other is not shorter)
    assert length(shorter(hits, codes)) < 0.99 * length(longer(hits, codes))
    assert share.interval == pytest.approx(tuple(shorter(hits, codes)))


@pytest.mark.parametrize(("chance", "holding"), [(0.4, 4), (0.06, 2)])
def test_turning_hits_around_turns_the_interval_around(chance, holding):
    rng = np.random.default_rng(14)
    codes = np.repeat(np.arange(7), [1, 2, 4, 4, 9, 12, 30])
    hits = rng.random(62) < chance
    assert len(set(codes[hits])) == holding
    share, other = share_with_interval(hits, [codes]), share_with_interval(~hits, [codes])
    assert (1 - other.high, 1 - other.low) == pytest.approx(share.interval)


def test_turning_a_half_around_turns_its_interval_around():
    """Three large clusters hold the misses, six small ones the hits: neither is the rarer one."""
    codes = np.repeat(np.arange(9), [20] * 3 + [10] * 6)
    share, other = (share_with_interval(hits, [codes]) for hits in (codes > 2, codes <= 2))
    assert share.value == other.value == 0.5
    assert (1 - other.high, 1 - other.low) == pytest.approx(share.interval)


def test_clusters_that_all_have_one_share_are_as_good_as_independent_items():
    codes, hits = np.repeat(np.arange(8), 20), np.tile([1, 0], 80)
    share = share_with_interval(hits, [codes])
    half = t.ppf(0.975, 7) / np.sqrt(160 * 0.5 * 0.5)
    assert np.log(share.high / (1 - share.high)) == pytest.approx(half)


def test_shares_of_none_and_of_all_count_clusters():
    codes = np.repeat(np.arange(10), 30)
    none, every = share_with_interval([0] * 300, [codes]), share_with_interval([1] * 300, [codes])
    square = t.ppf(0.975, 9) ** 2
    assert none.interval == pytest.approx((0, square / (10 + square)))
    assert every.interval == pytest.approx((1 - none.high, 1))
    assert none.high > share_with_interval([0] * 300).high


def test_without_a_hit_unequal_clusters_count_as_wholly_alike():
    sizes = np.array([2, 5, 9, 14, 30])
    none = share_with_interval([0] * 60, [np.repeat(np.arange(5), sizes)])
    df = degrees_of_freedom(ClusterDesign(sizes[:, None].astype(float), cr2_weights(sizes)), 1.0)
    square, worth = t.ppf(0.975, df) ** 2, 60**2 / (sizes**2).sum()
    assert none.interval == pytest.approx((0, square / (worth + square)))


def test_without_a_hit_the_factor_of_fewer_levels_counts():
    rows, columns = (part.ravel() for part in np.indices((6, 50)))
    crossed, alone = (share_with_interval([0] * 300, factors) for factors in ([columns, rows], [rows]))
    # Six levels are worth six items, whatever the fifty others; the t quantile is that of 300 items.
    square = t.ppf(0.975, crossed.df) ** 2
    assert crossed.high == pytest.approx(square / (6 + square))
    assert 0.3 < crossed.high < alone.high


def test_a_crossed_share_has_wilsons_interval_where_rows_and_columns_are_alike():
    """Seen from either of Wilson's ends the share is as many standard errors away as the quantile says."""
    rows, columns = (part.ravel() for part in np.indices((8, 12)))
    factors = [rows, columns]
    strewn = (2 * rows + columns) % 5 == 0
    in_two_rows = (rows < 2) & (columns < 9)
    alike, unlike = (share_with_interval(hits, factors) for hits in (strewn, in_two_rows))
    independent = [share.value * (1 - share.value) / 96 for share in (alike, unlike)]
    assert alike.standard_error**2 < independent[0]
    assert unlike.standard_error**2 > independent[1]
    scale = alike.standard_error**2 / (alike.value * (1 - alike.value))
    for end in alike.interval:
        away = (alike.value - end) ** 2 / (end * (1 - end) * scale)
        assert away == pytest.approx(t.ppf(0.975, alike.df) ** 2)
    half = t.ppf(0.975, unlike.df) * unlike.standard_error / (unlike.value * (1 - unlike.value))
    odds = np.exp(np.log(unlike.value / (1 - unlike.value)) + np.array([-half, half]))
    assert unlike.interval == pytest.approx(tuple(odds / (1 + odds)))


def brute_force(hits, sizes, level=0.95):
    """The same posterior over a plain grid of shares and correlations, with scipy's beta-binomial."""
    shares = np.linspace(0.0005, 0.9995, 1000)
    correlations = beta.ppf((np.arange(200) + 0.5) / 200, 1.5, 0.5)
    posterior = np.zeros(1000)
    for correlation in correlations:
        certainty = (1 - correlation) / correlation
        likelihood = np.ones(1000)
        for hit, size in zip(hits, sizes, strict=True):
            likelihood *= betabinom.pmf(hit, size, shares * certainty, (1 - shares) * certainty)
        posterior += likelihood * beta.pdf(shares, 0.5, 0.5)
    below = np.cumsum(posterior) / posterior.sum()
    return np.interp([(1 - level) / 2, (1 + level) / 2], below, shares)


@pytest.mark.parametrize(
    ("hits", "sizes"),
    [
        ([3, 0, 0, 1, 0, 0], [12] * 6),
        ([0, 12, 0, 0, 11, 0, 0], [12] * 7),
        ([0, 9, 2, 0, 0, 0], [1, 16, 30, 20, 45, 60]),
    ],
)
@pytest.mark.parametrize("level", [0.95, 0.8])
def test_rare_hits_have_the_interval_of_the_beta_binomial_model(hits, sizes, level):
    expected = brute_force(hits, sizes, level)
    assert share_interval(np.array(hits, float), np.array(sizes, float), level) == pytest.approx(
        expected, abs=0.003
    )
    items = np.concatenate([np.arange(size) < hit for hit, size in zip(hits, sizes, strict=True)])
    share = share_with_interval(items, [np.repeat(np.arange(len(sizes)), sizes)], level=level)
    assert share.interval == pytest.approx(expected, abs=0.003)


def test_the_grid_of_shares_follows_many_items():
    """250 clusters of 4 hits in 100, 750 of none: the rates' variance is .0003, their mean's error .00055."""
    hits = np.where(np.arange(1000) < 250, 4.0, 0.0)
    error = np.sqrt(0.0003 / 1000)
    expected = (0.01 - 1.96 * error, 0.01 + 1.96 * error)
    assert share_interval(hits, np.full(1000, 100.0), 0.95) == pytest.approx(expected, abs=0.001)


def test_hits_in_at_most_half_of_the_clusters_do_not_tell_how_far_these_differ():
    """Two hits in each of four clusters of eight: log-odds are the shorter ones, and too narrow."""
    codes = np.repeat(np.arange(8), 10)
    half, more = (np.isin(codes, range(holding)) & (np.arange(80) % 10 < 2) for holding in (4, 5))
    for hits, expected in ((half, of_model), (more, of_log_odds)):
        assert length(of_log_odds(hits, codes)) < length(of_model(hits, codes))
        assert share_with_interval(hits, [codes]).interval == pytest.approx(tuple(expected(hits, codes)))


def test_one_large_cluster_of_hits_does_not_leave_its_own_share_out():
    """The interval reaches from the model's, which counts clusters alike, to that of log-odds."""
    codes = np.repeat(np.arange(21), [60, *[5] * 20])
    share, model, log_odds = (
        ask(codes == 0, either)
        for ask, either in ((share_with_interval, [codes]), (of_model, codes), (of_log_odds, codes))
    )
    assert share.value == 60 / 160
    assert model.high < share.value
    assert share.interval == pytest.approx((min(model.low, log_odds[0]), log_odds[1]))


def test_a_model_that_leaves_the_share_out_gives_way_to_log_odds():
    """All of 300 items of one cluster hit, and one of three in each of the others."""
    codes = np.repeat(np.arange(12), [300, *[3] * 11])
    hits = (codes == 0) | (np.arange(333) % 3 == 0)
    share = share_with_interval(hits, [codes])
    assert of_model(hits, codes).high < share.value
    assert share.interval == pytest.approx(tuple(of_log_odds(hits, codes)))


def test_a_share_of_anything_but_hits_is_refused():
    with pytest.raises(UserError, match=r"values such as 0\.5"):
        share_with_interval([0, 1, 0.5])
