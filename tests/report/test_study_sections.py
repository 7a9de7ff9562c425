"""Sections of studies: their charts by hand-made tables, and what a folder that is not a study is told."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run
from report_results import page_result

from equipoise.errors import UserError
from equipoise.report.figures.leans import slope_of
from equipoise.report.page import collect
from equipoise.report.sections import Study, load_study, section_of
from equipoise.studies.steps import SCHEMA, _checksum, with_checksums

MITIGATIONS = pd.DataFrame(
    {
        "method": ["averaging", "refit", "dropout"],
        "removed": [0.95, 0.6, 0.5],
        "removed_low": [0.9, 0.5, 0.4],
        "removed_high": [1.0, 0.7, 0.6],
        "price": [0.02, 0.01, 0.03],
        "front": [True, True, False],
        "dominated_by": ["", "", "averaging"],
    }
)
LEANS = pd.DataFrame(
    {
        "part": ["occupation"] * 3 + ["guard"] * 3,
        "category": ["a"] * 6,
        "profession": ["x", "y", "z", "u", "v", "w"],
        "before": [0.0, 0.4, 0.8, -0.5, 0.0, 0.5],
        "after": [0.1, 0.2, 0.3, -0.5, 0.0, 0.5],
    }
)
CURVE = pd.DataFrame(
    {
        "size": [0, 500, 0, 500],
        "key": ["asld"] * 4,
        "by": ["", "", "category", "category"],
        "level": ["", "", "work", "work"],
        "mean": [3.0, 2.0, 4.0, 1.0],
        "label": ["ASLD"] * 4,
        "low": [2.9, 1.5, 3.9, 0.75],
        "high": [3.1, 2.5, 4.1, 1.25],
        "unit": ["nats"] * 4,
    }
)


def study_folder(folder: Path, **changes: Any) -> Path:
    """The folder of a finished study, as `studies/steps.py` writes it."""
    record = {
        "schema": SCHEMA,
        "name": "mitigations",
        "title": "Mitigations of <i>bert</i>",
        "settings": {},
        "plan": [],
        "sentences": ["Averaging removes 95 %."],
        "tables": ["mitigations.csv"],
    }
    folder.mkdir(parents=True, exist_ok=True)
    MITIGATIONS.to_csv(folder / "mitigations.csv", index=False)
    # What is changed is sealed again: a study that was written so, and not changed by hand afterwards.
    sealed = with_checksums(record, folder) | changes
    sealed |= {"sha256": _checksum(sealed)}
    (folder / "study.json").write_text(json.dumps(sealed), encoding="utf-8")
    return folder


def rows_of(study: Study, figure: int = 0, layer: int | None = None) -> list[dict[str, Any]]:
    spec = section_of(study).figures[figure].spec
    values: list[dict[str, Any]] = (spec if layer is None else spec["layer"][layer])["data"]["values"]
    return values


def test_the_front_of_mitigations(tmp_path: Path) -> None:
    study = load_study(study_folder(tmp_path))
    rows = rows_of(study)
    assert [(row["method"], row["removed"], row["price"]) for row in rows] == [
        ("averaging", 95, 2),
        ("refit", 60, 1),
        ("dropout", 50, 3),
    ]
    assert [row["method"] for row in rows_of(study, layer=0)] == ["refit", "averaging"]  # the front, by price
    assert rows[2]["reading"] == "another is better in both"
    section = section_of(study)
    assert section.tables[0].rows[0][:2] == ["averaging", 0.95]
    assert section.sentences == ("Averaging removes 95 %.",)


def test_leans_before_and_after_with_their_slopes() -> None:
    study = Study("before-after", "Before and after", ("Bias fell.",), {"leanings": LEANS})
    (figure,) = section_of(study).figures
    assert "occupation: slope 0.25, r 1.00, R² 1.00; guard: slope 1.00, r 1.00, R² 1.00" in figure.title
    assert slope_of(LEANS[LEANS["part"] == "occupation"]) == pytest.approx(0.25)
    lines = rows_of(study, layer=2)
    assert [(row["part"], row["before"], row["after"]) for row in lines[2:4]] == [
        ("occupation", 0, pytest.approx(0.1)),
        ("occupation", 0.8, pytest.approx(0.3)),
    ]


def test_a_learning_curve_has_a_line_for_each_level() -> None:
    study = Study("learning-curve", "Curve", ("It falls.",), {"learning-curve": CURVE})
    rows = rows_of(study)
    assert [(row["model"], row["at"], row["low"], row["high"]) for row in rows] == [
        ("work", 0, 3.9, 4.1),
        ("work", 500, 0.75, 1.25),
        ("all", 0, 2.9, 3.1),
        ("all", 500, 1.5, 2.5),
    ]


def test_a_study_without_charts_of_its_own_shows_its_tables() -> None:
    long = pd.DataFrame({"a_column": range(30)})
    section = section_of(Study("another", "Another", (), {"short": CURVE, "long": long}))
    assert not section.figures
    assert [table.title for table in section.tables] == ["short"]
    assert [table.columns for table in section.details] == [["a column"]]


def test_a_page_of_a_study_and_what_it_measured(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "study")
    page_result("m/before", items=20).save(folder / "steps" / "before")
    page_result("m/after", items=20, shift=0.3).save(folder / "steps" / "after")
    collected = collect([folder])
    assert [result.model for result in collected.results] == ["m/after", "m/before"]
    assert run("report", folder, "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Mitigations of &lt;i&gt;bert&lt;/i&gt;" in page
    assert "mitigations-pareto" in page
    assert run("report", study_folder(tmp_path / "alone"), "--out", tmp_path / "alone.html") == 0


def test_models_of_one_name_in_a_study_are_left_to_its_tables(tmp_path: Path) -> None:
    folder = study_folder(tmp_path)
    for seed in range(2):
        page_result("m/tuned", items=20, shift=seed).save(folder / "steps" / f"seed-{seed}")
    assert collect([folder]).results == []


def test_results_by_model_are_found_and_one_given_twice_counts_once(tmp_path: Path) -> None:
    page_result("m/one", items=20).save(tmp_path / "study" / "one")
    page_result("m/two", items=20, shift=0.3).save(tmp_path / "study" / "two")
    given = [tmp_path / "study", tmp_path / "study" / "one"]
    assert [result.model for result in collect(given).results] == ["m/one", "m/two"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": [], "tables": []}, "is not finished"),
        ({"tables": ["gone.csv"]}, "gone.csv is missing"),
        ({"sentences": 3}, "is damaged"),
        ({"schema": 9}, "was not written by this version"),
    ],
)
def test_a_study_that_cannot_be_shown(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        load_study(study_folder(tmp_path, **changes))


def test_a_folder_that_holds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path, tmp_path / "gone"):
        assert run("report", path, "--out", tmp_path / "page.html") == 2
        assert len(capsys.readouterr().err.splitlines()) == 2
