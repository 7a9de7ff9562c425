"""Grouping items, and the one value per cluster on which the t tests stand."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS

from equipoise.errors import UserError
from equipoise.stats.clusters import answered, cluster_codes, cluster_values


def test_labels_of_any_kind_become_numbers_in_order_of_appearance():
    labels = [("nurse", 1), "x", ("nurse", 1), None, "x"]
    assert cluster_codes(labels, 5).tolist() == [0, 1, 0, 2, 1]


def test_no_labels_means_every_item_alone():
    assert cluster_codes(None, 3).tolist() == [0, 1, 2]


def test_too_few_labels_are_refused_with_both_numbers():
    with pytest.raises(UserError, match="3 values but 2 cluster labels"):
        cluster_codes(["a", "b"], 3)


def test_nan_takes_its_cluster_along():
    values, codes = answered([1.0, float("nan"), 3.0, 4.0], ["a", "b", "c", "a"])
    assert values.tolist() == [1.0, 3.0, 4.0]
    assert codes.tolist() == [0, 1, 0]


def test_equal_clusters_give_the_cluster_means():
    values = np.array([1.0, 3.0, 10.0, 20.0, -1.0, -2.0])
    assert cluster_values(values, np.array([0, 0, 1, 1, 2, 2])) == pytest.approx([2, 15, -1.5])


def test_unequal_clusters_give_the_cluster_robust_standard_error_of_statsmodels():
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(12), rng.integers(1, 20, size=12))
    values = rng.normal(size=len(codes)) + rng.normal(size=12)[codes]
    robust = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": codes})
    of_clusters = cluster_values(values, codes)
    assert of_clusters.mean() == pytest.approx(values.mean(), abs=1e-12)
    assert of_clusters.std(ddof=1) / np.sqrt(12) == pytest.approx(robust.bse[0], rel=1e-9)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 5)), min_size=1, max_size=40))
def test_the_mean_over_cluster_values_is_the_mean_over_items(items):
    values, codes = answered([value for value, _ in items], [label for _, label in items])
    largest = np.abs(values).max()
    assert cluster_values(values, codes).mean() == pytest.approx(values.mean(), abs=1e-9 * largest)


def test_items_that_cancel_out_leave_no_spread_from_rounding():
    values = np.array([0.1, 0.2, -0.3, 0.7, -0.4, -0.3, 0.3, -0.2, -0.1])
    assert np.ptp([values[:3].sum(), values[3:6].sum(), values[6:].sum()]) > 0
    assert cluster_values(values, np.repeat(np.arange(3), 3)).tolist() == [0, 0, 0]


def test_importing_all_of_it_loads_neither_scipy_nor_statsmodels_nor_pandas():
    names = "agreement clusters correlation corrections effects equivalence f1 intervals means pairs ratios"
    code = f"""
import importlib, sys
for name in {(names + " resampling sandwich significance").split()!r}:
    importlib.import_module("equipoise.stats." + name)
print(sorted({{"scipy", "statsmodels", "pandas", "torch"}} & set(sys.modules)))
"""
    path = [entry for entry in sys.path if entry]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"
