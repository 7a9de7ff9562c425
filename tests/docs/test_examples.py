"""The scripts in examples/ run as they stand, and say what they promise."""

import runpy
import sys
from pathlib import Path

import pytest
import tiny

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run_example(name: str, model: str) -> str:
        monkeypatch.setattr(sys, "argv", [name, model])
        runpy.run_path(str(EXAMPLES / name))
        return capsys.readouterr().out

    return run_example


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A small masked model on the disk."""
    tiny.network("bert").save_pretrained(tmp_path / "model")
    tiny.tokenizer("wordpiece").save_pretrained(tmp_path / "model")
    return str(tmp_path / "model")


def test_every_example_is_run_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "before_and_after.py",
        "between_epochs.py",
        "own_sentences.py",
    }


def test_before_and_after(run) -> None:
    said = run("before_and_after.py", "random")
    assert "traits, mean lean: random (counterfactual-averaging) (" in said
    assert "n = 216" in said


def test_own_sentences(run) -> None:
    said = run("own_sentences.py", "random")
    assert "The captain lost her whistle before the match." in said
    assert "The trainer bandaged the knee herself." in said
    assert "Effect of swapping the gender" in said


def test_between_epochs_every_line_has_another_number(run, folder: str) -> None:
    lines = run("between_epochs.py", folder).splitlines()
    numbers = [line.split("lean ")[1] for line in lines if line.startswith("after ")]
    assert len(numbers) == len(set(numbers)) == 3
