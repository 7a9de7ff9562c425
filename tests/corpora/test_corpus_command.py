"""`equipoise corpus` as it is typed."""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

ROWS = (
    ("The Herald", "2015", "He was a strong leader and he got the job."),
    ("The Herald", "2016", "She stayed at home with her children."),
    ("The Globe", "2016", "His office was bright, and he was strong."),
    ("The Globe", "2016", "Her dress was pretty; her hair was lovely."),
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "news.csv"
    table = pd.DataFrame(ROWS * 10, columns=["publisher", "year", "text"])
    table.to_csv(path, index=False)
    return path


def test_tables_on_the_screen_and_in_the_folder(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sides = tmp_path / "sides.csv"
    sides.write_text("publisher,side\nThe Herald,left\nThe Globe,right\n")
    options = ["--group", "publisher", "--groups-file", sides, "--year", "year", "--flag"]
    assert run("corpus", corpus, *options, "--out", tmp_path / "out") == 0
    printed = capsys.readouterr().out
    assert "40 documents, 330 words" in printed
    assert "publisher: The Herald" in printed
    assert "side: right" in printed
    assert "year: 2015" in printed
    assert "strength" in printed
    assert "Marked sentences to read: " in printed
    assert "benevolent 0, hostile 0" in " ".join(printed.split())
    mentions = pd.read_csv(tmp_path / "out" / "mentions.csv", keep_default_na=False)
    herald = mentions.query("level == 'The Herald' and role == 'all'").iloc[0]
    assert (herald["women"], herald["men"]) == (20, 20)
    assert float(herald["share_women"]) == pytest.approx(0.5)
    assert set(mentions["by"]) == {"all", "publisher", "side", "year"}


def test_json(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("corpus", corpus, "--out", tmp_path / "out", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["documents"] == 40
    assert printed["categories"][0]["category"] == "strength"
    assert printed["problems"] == {}


def test_own_targets_and_small_groups(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.csv"
    own.write_text("category,word\nlight,bright\n")
    with corpus.open("a") as file:
        file.write('The Crier,2017,"She ran, she sat, she ate."\n' * 3)
    out = tmp_path / "out"
    assert run("corpus", corpus, "--group", "publisher", "--targets", own, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "light" in printed
    assert "strength" not in printed
    crier = next(line for line in printed.splitlines() if "The Crier" in line)
    assert "too few" in crier


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--text", "body"], "has no column 'body'; it has file, folder, publisher, year, text."),
        (["--group", "author"], "has no column 'author'"),
        (["--window", "-2"], "The window is -2 words."),
        (["--targets", "absent.csv"], "absent.csv cannot be read"),
        (["--split", "page"], "There is no way to split a text into documents called 'page'."),
    ],
)
def test_mistakes_are_two_lines_and_exit_2(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert run("corpus", corpus, *options, "--out", tmp_path / "out") == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert message in lines[0]


def test_another_commands_output_is_refused(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("corpus", corpus, "--out", out) == 0
    assert run("corpus", corpus, "--out", out) == 0
    assert run("corpus", corpus, "--window", "3", "--out", out) == 2
    assert "--force" in capsys.readouterr().err
    assert run("corpus", corpus, "--window", "3", "--out", out, "--force") == 0
