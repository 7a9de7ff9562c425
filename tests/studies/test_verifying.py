"""Verification: every published figure has a check or a reason, and verdicts follow from the numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run

from equipoise.data.reading import own_table
from equipoise.data.sources import is_dataset
from equipoise.instruments import load_instrument
from equipoise.models.table import TableModel
from equipoise.studies.papers.published import TABLE, published
from equipoise.studies.proof.verifying import CHECKS, EVERY, FILL, NOT_CHECKED, checks, verify


def test_every_published_figure_has_a_check_or_a_reason() -> None:
    rows = checks()
    assert len(rows) == len(own_table(TABLE)) > 400
    assert all(row["reason"] for row in rows)
    for row in own_table(CHECKS).to_dict("records"):
        if EVERY not in (row["row"], row["column"]):
            assert published(row["table"], row["row"], row["column"]) == pytest.approx(0, abs=1e7)
        if row["instrument"] and row["instrument"] != FILL:
            instrument = load_instrument(row["instrument"])
            assert {row["variant"], row["corrected"]} - {""} <= set(instrument.variants)
            assert is_dataset(row["data"]) or "/" in row["data"]
            assert float(row["tolerance"]) > 0


@pytest.mark.parametrize(("he", "verdict"), [(0.10, "reproduced"), (0.43, "not reproduced")])
def test_a_verdict_follows_from_the_tolerance(he: float, verdict: str) -> None:
    """Printed: P(he) - P(she) = .05 for a doctor."""
    fills = {f"[MASK] is a {kind}doctor.": {"he": he, "she": 0.05} for kind in ("", "competent ")}
    found = verify(TableModel(fills), name="bert-base-uncased", data_dir=Path("nowhere"))
    table = found.table.set_index("figure")
    row = table.loc["a doctor, P(he) - P(she)"]
    assert row["as_published"] == pytest.approx(he - 0.05)
    assert row["verdict"] == verdict
    assert table.loc["a competent doctor, P(he) - P(she)", "verdict"] == "not reproduced"
    others = found.table[found.table["table"] != "gbef.ppd"]
    assert set(others["verdict"]) == {NOT_CHECKED}
    assert others["reason"].ne("").all()


def test_figures_of_other_models_are_not_checked() -> None:
    found = verify(TableModel({}))
    assert set(found.table["verdict"]) == {NOT_CHECKED}
    assert found.sentences[0].startswith("0 of 0 published numbers")
    row = found.table[found.table["table"] == "gbef.ppd"].iloc[0]
    assert "It is of bert-base-uncased" in row["reason"]


def test_verify_is_a_command_with_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "proof"
    asked: tuple[Any, ...] = ("verify", "--model", "random", "--as", "bert-base-uncased")
    assert run(*asked, "--data-dir", tmp_path, "--out", out) == 0
    printed = capsys.readouterr().out
    assert "Not checked" in printed
    assert "bias-scope" in printed
    assert (out / "verify.csv").is_file()
    assert run(*asked, "--data-dir", tmp_path, "--json") == 0
    table = json.loads(capsys.readouterr().out)["table"]
    assert len(table) == len(own_table(TABLE))
    assert run("report", out, "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Published numbers, checked" in page
    assert page.index("published numbers that could be checked were reproduced") < page.index(
        "what is missing"
    )
