"""The pytest fixture, run by a pytest of its own on saved results."""

from importlib.metadata import entry_points
from pathlib import Path

import pytest
from made_results import made_result

from equipoise.results import Estimate
from equipoise.results.estimate import estimates_table

pytest_plugins = ("pytester",)

PLUGIN = "equipoise.pytest_plugin"
TESTS = """
from pathlib import Path

def test_passes(equipoise_check):
    assert equipoise_check("results", "tbe.appd.low > 0.6").passed

def test_fails(equipoise_check):
    equipoise_check(Path("results"), ["tbe.appd.low > 0.1"])

def test_reads_a_file_of_rules(equipoise_check):
    equipoise_check("results", "rules.toml")

def test_a_rule_on_nothing_is_no_pass(equipoise_check):
    equipoise_check("results", "tbe.appd.low > nothing")
"""


def test_the_fixture_fails_a_test_with_the_reason(pytester: pytest.Pytester) -> None:
    made = made_result({"text": ["t"], "score": [0.5]}, instrument="tbe")
    made.estimates = estimates_table([Estimate("appd", 0.5, 0.4, 0.6, 90, headline=True)])
    made.save(Path("results"))
    Path("rules.toml").write_text('[[rule]]\nfail-if = "tbe.appd.n < 500"\n', "utf-8")
    pytester.makepyfile(TESTS)
    is_installed = any(point.value == PLUGIN for point in entry_points(group="pytest11"))
    outcome = pytester.runpytest_subprocess(*([] if is_installed else ["-p", PLUGIN]))
    outcome.assert_outcomes(passed=1, failed=3)
    outcome.stdout.fnmatch_lines(["*failed: tbe.appd.low > 0.1 (a): *", "*failed: tbe.appd.n < 500*"])
