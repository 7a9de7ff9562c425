"""Bias scenarios: what the rules file says of each rule stands beside what was measured."""

import csv
from pathlib import Path

import pytest
from command_line import run
from made_results import made_result

from equipoise.errors import UserError
from equipoise.report.exports import export
from equipoise.report.gate import read_rules
from equipoise.results import Estimate
from equipoise.results.estimate import estimates_table

RULES = """
[[rule]]
name = "leans to one gender"
fail-if = "tbe.appd.low > 0.1"
because = "The product writes about people of any gender."
group = "applicants"
hazard = "=HYPERLINK(1)"
mitigation = "self-distillation"
owner = "ML team"
review = "2027-01-31"

[[rule]]
fail-if = "tbe.appd[category=*].value > 0.5"
"""


def test_each_rule_stands_beside_what_was_measured(tmp_path: Path) -> None:
    made = made_result({"text": ["t"], "score": [0.0]}, model="m", instrument="tbe")
    levels = [
        Estimate("appd", value, 0.1, 0.9, 9, groups={"category": name})
        for name, value in {"a": 0.6, "b": 0.2}.items()
    ]
    made.estimates = estimates_table([Estimate("appd", 0.3, 0.2, 0.4, 90), *levels])
    made.save(tmp_path / "m")
    (tmp_path / "rules.toml").write_text(RULES, "utf-8")
    out = tmp_path / "scenarios.csv"
    command = ("export", tmp_path / "m", "--format", "bias-scenarios", "--rules", tmp_path / "rules.toml")
    assert run(*command, "--out", out) == 0
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [(row["scenario"], row["state"]) for row in rows] == [
        ("leans to one gender", "failed"),
        ("tbe.appd[category=*].value > 0.5 [category=a]", "failed"),
        ("tbe.appd[category=*].value > 0.5 [category=b]", "passed"),
    ]
    first = rows[0]
    assert (first["group"], first["owner"], first["review"]) == ("applicants", "ML team", "2027-01-31")
    assert first["hazard"] == "'=HYPERLINK(1)"
    assert first["evidence"] == "tbe.appd.low = 0.2"
    assert rows[1]["group"] == ""
    with pytest.raises(UserError, match="needs rules"):
        export([made], "bias-scenarios")
    with pytest.raises(UserError, match="reads no rules"):
        export([made], "csv", read_rules(tmp_path / "rules.toml"))
