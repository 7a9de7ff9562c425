"""Every study has its section: the charts of each by tables made by hand, and none without its table."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run
from report_results import page_result
from study_tables import TABLES

from equipoise.report import sections
from equipoise.report.page import collect
from equipoise.report.sections import Study, load_study, section_of
from equipoise.studies.steps import Keeping, Plan


def charts(name: str) -> dict[str, Any]:
    """The charts of a study by their names."""
    return {figure.name: figure for figure in section_of(Study(name, name, ("Said.",), TABLES[name])).figures}


def drawn(figure: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = figure.spec["data"]["values"]
    return rows


def test_every_study_has_charts() -> None:
    from equipoise.cli.commands import STUDIES

    names = {name for commands in STUDIES.values() for name in commands}
    drawn = {
        name
        for module in set(sections.MODULES.values())
        for name in getattr(import_module(f"{sections.__name__}.{module}"), "FIGURES", ())
    }
    assert names - drawn == {"competence", "controls"}, "studies of tables only"
    assert drawn == set(sections.MODULES) - {"controls", "verify"}


@pytest.mark.parametrize("name", TABLES)
def test_a_study_without_the_table_that_it_draws_has_none(name: str) -> None:
    assert section_of(Study(name, name, ("Said.",), {})).figures == []
    strange = dict.fromkeys(TABLES[name], pd.DataFrame({"other": [1]}))
    assert section_of(Study(name, name, ("Said.",), strange)).figures == []


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_can_be_drawn(name: str) -> None:
    vl_convert = pytest.importorskip("vl_convert")
    for figure in charts(name).values():
        assert vl_convert.vegalite_to_svg(dict(figure.spec)).count("<path") > 1
        assert figure.alt.startswith(figure.title)


def test_models_stand_in_the_order_of_their_ranks() -> None:
    (figure,) = charts("models").values()
    assert [(row["name"], row["value"]) for row in drawn(figure)] == [("1. b", 0.1), ("2. a", 0.4)]


def test_the_control_sets_a_number_beside_the_range_of_the_draws() -> None:
    whole, split = charts("control").values()
    assert [(row["low"], row["value"], row["high"]) for row in drawn(whole)] == [
        (0.2, 0.3, 0.4),
        (-0.1, 0.0, 0.1),
    ]
    assert "guard (gender female)" in split.title
    assert drawn(split)[0]["low"] is None


def test_both_designs_of_the_sample_size() -> None:
    bootstrap, published = charts("sample-size").values()
    assert [row["mean"] for row in drawn(bootstrap)] == [3, 4]
    assert [row["lowest"] for row in drawn(published)] == [0.5, 1.5]


def test_professions_have_a_line_and_bars_with_what_was_read_about() -> None:
    figures = charts("professions")
    assert "slope 0.50" in figures["professions-leans"].title
    care = figures["professions-care"]
    assert [(row["profession"], row["model"]) for row in drawn(care)[:2]] == [
        ("nanny", "before"),
        ("nanny", "after"),
    ]
    assert [row["profession"] for row in care.spec["layer"][-1]["data"]["values"]] == ["nurse"]


def test_arms_by_themselves_and_by_group_and_category() -> None:
    whole, split = charts("domain").values()
    assert [(row["name"], row["value"]) for row in drawn(whole)] == [("base", 0.5), ("tuned", 0.25)]
    assert whole.title.endswith(": nearest to neutral with tuned")
    assert (
        "from 0.100 (base, work x Globe) to 0.300 (base, home x Globe) (above 0: towards men)" in split.title
    )
    assert len(drawn(split)) == 3  # what is not known has no cell


def test_classifiers_before_and_after() -> None:
    figures = charts("downstream")
    assert [row["model"] for row in drawn(figures["downstream-task-accuracy"])] == ["before", "after"]


def test_gain_and_price_in_per_cent() -> None:
    figures = charts("before-after")
    assert [row["value"] for row in drawn(figures["before-after-gain"])] == [75]
    assert [(row["name"], row["value"]) for row in drawn(figures["before-after-price"])] == [("ability", 1)]


def test_skew_of_a_table_read_back_from_a_file() -> None:
    figures = charts("skew")
    figure = figures["skew-plane"]
    assert figures["skew-figure-4"].title.endswith("(mean |stereotype|, mean |skew|)")
    assert figure.title.startswith("Stereotype gap against same-answer bias (type 2 sentences)")
    assert "b: skew -10.0, stereotype -20.0, ability -90.0, not meaningful" in figure.alt


def test_what_a_study_ranked_is_shown_with_it(tmp_path: Path) -> None:
    out = tmp_path / "ranked"
    assert run("study", "models", "random", "random:2", "-i", "traits", "--out", out) == 0
    assert load_study(out).name == "models"
    assert {result.model for result in collect([out]).results} == {"random", "random:2"}
    assert run("report", out, "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Models ranked by traits" in page
    assert 'data-chart="models-traits-' in page


def test_a_study_does_not_show_a_result_that_was_given_once_more(tmp_path: Path) -> None:
    """A page of an audit and of a study of the same model: measured twice, shown once."""
    first = page_result("m/before", items=20)
    first.save(tmp_path / "given")
    again = page_result("m/before", items=20)
    again.provenance["created"] = "later"
    Keeping(tmp_path / "study", force=True).begin(Plan("before-after", "t", {}, ())).finish(["s"], {})
    again.save(tmp_path / "study" / "steps" / "before")
    page_result("m/after", items=20, shift=0.3).save(tmp_path / "study" / "steps" / "after")
    collected = collect([tmp_path / "study", tmp_path / "given"])
    assert [result.model for result in collected.results] == ["m/before", "m/after"]


@pytest.mark.parametrize("words", [("models", "random", "random:2", "-i", "traits"), ("control",)])
def test_a_folder_that_is_taken_is_refused_before_anything_is_measured(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert run("study", *words, "--out", tmp_path) == 2
    assert "exists and is not empty" in capsys.readouterr().err
