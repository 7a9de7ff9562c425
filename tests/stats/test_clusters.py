"""Grouping items by what they share."""

import subprocess
import sys

import pytest

from equipoise.errors import UserError
from equipoise.stats.clusters import answered, cluster_codes


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


def test_importing_all_of_it_loads_neither_scipy_nor_statsmodels_nor_pandas():
    code = """
import importlib, pkgutil, sys
import equipoise.stats
for found in pkgutil.iter_modules(equipoise.stats.__path__):
    importlib.import_module("equipoise.stats." + found.name)
print(sorted({"scipy", "statsmodels", "pandas", "torch"} & set(sys.modules)))
"""
    path = [entry for entry in sys.path if entry]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == "[]"
