"""The hub's evaluation results: its own library reads back every number that was written."""

from math import nan

import pytest
import yaml
from huggingface_hub._eval_results import parse_eval_result_entries
from made_results import made_result

from equipoise.errors import UserError
from equipoise.report.exports import export
from equipoise.results import Estimate, Result
from equipoise.results.estimate import estimates_table


def result(data: str, *estimates: Estimate) -> Result:
    made = made_result({"text": ["t"], "score": [0.0]}, instrument="tbe", variant="corrected")
    made.provenance["data"]["name"] = data
    made.provenance["created"] = "2026-01-02T03:04:05+00:00"
    made.estimates = estimates_table(estimates)
    return made


def test_the_hub_reads_every_headline_that_is_a_number() -> None:
    estimates = (
        Estimate("appd", 1 / 3, 0.25, 0.4, 90, headline=True),
        Estimate("guard", 0.8, nan, nan, 4, better="higher", headline=True, groups={"type": "1"}),
        Estimate("unasked", nan, nan, nan, 0, headline=True),
        Estimate("noise", 7.0, 6.0, 8.0, 90, headline=True, void="ability is below 75"),
        Estimate("rest", 1.0, 0.5, 1.5, 9),
    )
    text = export(
        [result("crows-pairs", *estimates), result("/some/where/own.csv", *estimates)], "eval-results"
    )
    read = parse_eval_result_entries(yaml.safe_load(text))
    assert [(one.dataset_id, one.task_id, one.value) for one in read] == [
        ("nyu-mll/crows_pairs", "tbe.appd", 1 / 3),
        ("nyu-mll/crows_pairs", "tbe.guard[type=1]", 0.8),
        ("local/own.csv", "tbe.appd", 1 / 3),
        ("local/own.csv", "tbe.guard[type=1]", 0.8),
    ]
    assert read[0].notes == "appd; 95 % interval 0.25 to 0.4; 90 items; 0 is neutral; variant corrected"
    assert "too few items for an interval; 4 items; good: higher" in str(read[1].notes)
    assert "/some" not in text


def test_results_without_a_number_are_refused() -> None:
    with pytest.raises(UserError, match="No headline"):
        export([result("own.csv", Estimate("appd", nan, nan, nan, 0, headline=True))], "eval-results")
