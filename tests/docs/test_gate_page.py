"""The page on the gate is true: its rules, commands, workflow and hook are run as printed."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import run
from fenced_files import fenced_blocks

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
BLOCKS = fenced_blocks(PAGE)
FILES = {
    first.removeprefix("# file: "): rest
    for first, _, rest in (block.partition("\n") for _, block in BLOCKS)
    if first.startswith("# file: ")
}
COMMANDS = [line for language, block in BLOCKS if not language for line in block.splitlines()]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the page supposes: results of a model and of a baseline, and the rules."""
    folder = tmp_path_factory.mktemp("gate")
    for name, model in (("model", "random"), ("baseline", "random:2")):
        assert run("measure", "tbe", "--model", model, "--out", folder / "results" / name) == 0
    (folder / "baseline").symlink_to(folder / "results" / "baseline")
    (folder / "rules.toml").write_text(FILES["rules.toml"], encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _there(measured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(measured)


def code_of(command: str) -> int:
    return run(*shlex.split(command)[1:])


def test_every_command_runs(capsys: pytest.CaptureFixture[str]) -> None:
    checks = [command for command in COMMANDS if " check " in command]
    assert len(checks) == 3
    codes = {command: code_of(command) for command in checks}
    # Random weights lean nowhere and know nothing, so only the guard of the rules fails.
    assert list(codes.values()) == [0, 1, 0]
    assert code_of("equipoise check results/model --names") == 0
    assert "forgot what words mean" in Path("gate.xml").read_text(encoding="utf-8")


def test_the_rules_of_the_text_can_be_judged() -> None:
    text = " ".join(PAGE.split())
    rules = re.findall(r"`((?:tbe|sbe)\.[^`]*(?:<|>)[^`]*)`", text)
    assert len(rules) >= 4
    for rule in rules:
        assert run("check", "results/model", "--fail-if", rule) in (0, 1), rule


def steps(workflow: Any) -> list[str]:
    return [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]


def test_the_workflow_and_the_hook_call_commands_that_exist() -> None:
    workflow = yaml.safe_load(FILES[".github/workflows/bias-gate.yml"])
    (gate,) = (command for command in steps(workflow) if " check " in command)
    Path("gate.xml").unlink(missing_ok=True)
    assert code_of(gate) == 1
    (hook,) = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"][0]["hooks"]
    assert code_of(hook["entry"]) == 1
    assert re.search(hook["files"], "rules.toml")
    assert re.search(hook["files"], "results/model/tbe/items.csv")


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (block for language, block in BLOCKS if language == "python")
    exec(block, {})
    assert capsys.readouterr().out.startswith("passed: tbe.appd.low > 0.1 (random)")
