"""The audit on the screen: sentences first, a short table, and the page in the last line."""

from pathlib import Path

import pytest
from command_line import run
from report_results import page_result

from equipoise.cli.measure import Printed, Screen
from equipoise.instruments import DEFAULT_AUDIT
from equipoise.measuring import audit
from equipoise.models.table import TableModel
from equipoise.report.findings import say
from equipoise.report.measurements import measured_models
from equipoise.results import load_results

WORDS = {"he": 0.3, "she": 0.2, "they": 0.1, "him": 0.3, "her": 0.2, "them": 0.1, "his": 0.4, "their": 0.1}


def test_sentences_come_first_and_the_page_is_named_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("audit", "--model", "random", "--quick", "--out", tmp_path) == 0
    assert sorted(path.parent.name for path in tmp_path.glob("*/items.csv")) == sorted(DEFAULT_AUDIT)
    captured = capsys.readouterr()
    lines = captured.out.strip().splitlines()
    assert lines[-1] == f"The page to look at: {tmp_path / 'report.html'}"
    findings = say(load_results(tmp_path), measured_models(load_results(tmp_path))[0].label)
    assert lines[: 1 + len(findings.sentences)] == [findings.headline, *findings.sentences]
    table = [line.split("\t") for line in lines if "\t" in line]
    assert table[0] == ["what", "value", "95 % interval", "good"]
    assert 1 < len(table) - 1 <= 8
    measured = [line for line in captured.err.splitlines() if line.startswith("Measured ")]
    assert measured[0] == f"Measured traits (1 of {len(DEFAULT_AUDIT)})."
    assert measured[-1].startswith("Measured sbe")  # every token of every sentence: the dearest
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
        screen = Screen(TableModel(), Printed(out=tmp_path, force=True, everything=everything), count=2)
        for result in results:
            screen.add(result)
        screen.close(results)
        shown = capsys.readouterr().out
        assert ("worker 7" in shown) == everything
        # The same note of two instruments is said once.
        assert "  tbe, lpbs: " in shown


def test_results_are_told_cheap_ones_first_and_given_in_the_order_asked() -> None:
    told: list[str] = []
    results = audit(
        TableModel(words=WORDS), ["tbe", "traits"], tell=lambda result: told.append(result.instrument)
    )
    assert told == ["traits", "tbe"]
    assert [result.instrument for result in results] == ["tbe", "traits"]
