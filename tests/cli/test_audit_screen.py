"""The audit on the screen: a narrow table that grows, sentences, and the page in the last line."""

from pathlib import Path

import pytest
from command_line import run
from report_results import page_result

from equipoise.cli.measure import Printed, Screen
from equipoise.cli.printing import WIDTHS, GrowingTable
from equipoise.instruments import DEFAULT_AUDIT
from equipoise.measuring import audit
from equipoise.models.table import TableModel

WORDS = {"he": 0.3, "she": 0.2, "they": 0.1, "him": 0.3, "her": 0.2, "them": 0.1, "his": 0.4, "their": 0.1}


def test_the_table_fits_80_columns_and_the_page_is_named_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("audit", "--model", "random", "--out", tmp_path) == 0
    assert sorted(path.parent.name for path in tmp_path.glob("*/items.csv")) == sorted(DEFAULT_AUDIT)
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"The page to look at: {tmp_path / 'report.html'}"
    table = lines[: lines.index("")]
    assert max(map(len, table)) <= 80
    assert len(table) <= 40
    named = [line.split()[0] for line in table[3:] if not line.startswith(" ")]
    assert sorted(named) == sorted(DEFAULT_AUDIT)
    assert named[-1] == "sbe"  # every token of every sentence: the dearest
    assert named[0] == "traits"
    sentences = lines[lines.index("") :]
    for name in DEFAULT_AUDIT:
        assert any(line.startswith(f"{name}: ") for line in sentences)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("data-chart=") >= 12
    # A file of the user's own is not replaced, and that is said before anything is measured.
    (tmp_path / "report.html").write_text("my own notes", encoding="utf-8")
    assert run("audit", "--model", "random", "--out", tmp_path) == 2
    assert capsys.readouterr().err.splitlines()[-2] == f"Error: {tmp_path / 'report.html'} exists."
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "my own notes"


def test_all_shows_every_estimate_of_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = [page_result(), page_result(instrument="lpbs")]
    for everything in (False, True):
        screen = Screen(TableModel(), Printed(out=tmp_path, force=True, everything=everything))
        for result in results:
            screen.add(result)
        screen.close(results)
        shown = capsys.readouterr().out
        assert ("worker 7" in shown) == everything
        assert shown.count("not meaningful because ability is too low") == len(results)
        assert shown.count("not meaningful") == 2 * len(results)  # beside the number too, not only below


def test_results_are_told_cheap_ones_first_and_given_in_the_order_asked() -> None:
    told: list[str] = []
    results = audit(
        TableModel(words=WORDS), ["tbe", "traits"], tell=lambda result: told.append(result.instrument)
    )
    assert told == ["traits", "tbe"]
    assert [result.instrument for result in results] == ["tbe", "traits"]


def test_long_names_go_on_in_further_lines(capsys: pytest.CaptureFixture[str]) -> None:
    result = page_result(instrument="an-instrument-with-a-long-name")
    result.estimates["label"] = "a label that is longer than its column has room for"
    table = GrowingTable("model")
    table.add(result)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    column = slice(WIDTHS["instrument"] + 2, WIDTHS["instrument"] + 2 + WIDTHS["estimate"])
    assert " ".join(line[column].strip() for line in lines[3:6]) == result.estimates["label"].iloc[0]
    assert "".join(line[: WIDTHS["instrument"]].strip() for line in lines[3:6]) == result.instrument
