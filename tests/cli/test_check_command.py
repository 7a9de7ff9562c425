"""`check` as a CI job runs it: exit codes, files and messages."""

import json
from pathlib import Path

import pytest
from command_line import run
from made_results import made_result

from equipoise.results import Estimate
from equipoise.results.estimate import estimates_table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    result = made_result({"text": ["t"], "score": [0.0]}, model="m [bold]", instrument="tbe")
    estimates = [Estimate("appd", 0.3, 0.2, 0.4, 90), Estimate("appd", 0.6, 0.5, 0.7, 3, groups={"by": "a"})]
    result.estimates = estimates_table(estimates)
    return result.save(tmp_path / "results").parent


def test_exit_codes_and_what_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder, "--fail-if", "tbe.appd.low > 0.3") == 0
    assert "1 of 1 passed" in capsys.readouterr().out
    assert run("check", folder, "--fail-if", "tbe.appd.low > 0.3", "--fail-if", "tbe.appd[by=a].low>0.3") == 1
    printed = capsys.readouterr().out
    assert "tbe.appd[by=a].low = 0.5" in printed
    assert "m [bold]" in printed
    assert run("check", folder, "--fail-if", "tbe.apd.low > 0.3", "--fail-if", "tbe.appd.low > 0.1") == 2
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "Error: tbe.apd.low > 0.3: tbe has no estimate 'apd'.",
        "Did you mean 'appd'? It has: appd.",
    ]
    assert run("check", folder, "--fail-if", "tbe.appd.low >") == 2
    assert "position 15" in capsys.readouterr().err
    assert run("check", folder) == 2


def test_files_for_ci(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, junit, rules = tmp_path / "summary.md", tmp_path / "junit.xml", tmp_path / "rules.toml"
    page.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    rules.write_text('[[rule]]\nfail-if = "tbe.appd.low > 0.1"\n', encoding="utf-8")
    assert run("check", folder, "--rules", rules, "--junit", junit) == 1
    assert page.read_text().startswith("before\n### Equipoise: 0 cannot tell, 1 failed")
    assert 'failures="1"' in junit.read_text()
    assert run("check", folder, "--rules", rules, "--junit", junit) == 2
    assert run("check", folder, "--rules", rules, "--junit", junit, "--force") == 1
    assert not list(tmp_path.glob(".*.part"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "page.md"))
    assert run("check", folder, "--rules", rules) == 1


def test_json_and_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder, "--fail-if", "tbe.appd.low > 0.1", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["passed"] is False
    assert document["outcomes"][0]["state"] == "failed"
    assert run("check", folder, "--names", "--json") == 0
    assert json.loads(capsys.readouterr().out) == ["tbe.appd", "tbe.appd[by=a]"]
    assert run("check", folder, "--names") == 0
    assert "tbe.appd[by=a]" in capsys.readouterr().out
