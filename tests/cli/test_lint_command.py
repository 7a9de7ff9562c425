"""`equipoise lint` on files with known faults, and on the shipped pairs."""

import json
from pathlib import Path

import pytest
from command_line import run

from equipoise.data.reading import TABLES

FAULTS = (
    "id,category,stereotype,counterpart\n"
    "good,occupation,The old baker lost his keys again today.,The old baker lost her keys again today.\n"
    "comma,occupation,The young pilot found his map in town.,The young pilot found her map in town!\n"
    "article,occupation,A engineer sold his boat last summer.,A engineer sold her boat last summer.\n"
)


@pytest.fixture
def faults(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text(FAULTS, encoding="utf-8")
    return path


def test_findings_are_named_by_line_and_code(faults: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lint", faults, "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["pairs"] == 3
    named = [(one["line"], one["id"], one["code"]) for one in printed["findings"]]
    assert named == [(3, "comma", "punctuation"), (4, "article", "article")]


def test_token_counts_are_those_of_the_named_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """BERT's vocabulary has 'waiter' whole and 'waitperson' in two pieces."""
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,category,stereotype,counterpart\n"
        "one,occupation,The waiter lost his keys again today.,The waitperson lost his keys again today.\n",
        encoding="utf-8",
    )
    assert run("lint", path) == 0
    assert "No findings in 1 pairs" in " ".join(capsys.readouterr().out.split())
    assert run("lint", path, "--model", "embedded", "--json") == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["line"], finding["code"]) == (2, "token-count")
    assert finding["finding"] == "8 tokens against 9 in embedded"


def test_what_the_named_model_cannot_spell_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(
        "id,category,stereotype,counterpart\n"
        "one,occupation,The 🦷 doctor lost her keys.,The 🦷 doctor lost his keys.\n",
        encoding="utf-8",
    )
    assert run("lint", path, "--model", "embedded", "--json") == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["line"], finding["code"]) == (2, "unknown-token")
    assert finding["finding"] == "🦷 cannot be spelt in embedded"


def test_the_shipped_pairs_have_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("lint", TABLES / "pairs.csv") == 0
    assert "No findings in 300 pairs" in " ".join(capsys.readouterr().out.split())


def test_a_pair_without_a_difference_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("category,stereotype,counterpart\noccupation,He ran.,He ran.\n", encoding="utf-8")
    assert run("lint", path) == 2
    assert "line 2" in capsys.readouterr().err
