"""The GitHub action and the pre-commit hook are valid and call commands that exist."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from command_line import run

ROOT = Path(__file__).resolve().parents[1]


def test_the_action_fits_its_published_schema() -> None:
    command = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions")
    checked = subprocess.run([*command, ROOT / "action.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_command_in_them_knows_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    lines = "\n".join(step["run"] for step in action["runs"]["steps"]).splitlines()
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    called = [line.strip() for line in [*lines, hook["entry"]] if line.strip().startswith("equipoise ")]
    assert len(called) == 4
    for line in called:
        words = shlex.split(line.replace("${AGAINST:+--against", "--against").replace('"}', '"'))
        assert run(words[1], "--help") == 0
        shown = capsys.readouterr().out
        for option in (word for word in words if word.startswith("--")):
            assert option in shown, f"{words[1]} has no {option}"
