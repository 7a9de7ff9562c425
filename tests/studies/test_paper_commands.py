"""The commands that docs/papers.md names for BEC-Pro and GBM write the tables and pictures of the papers."""

import base64
import csv
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
from command_line import run

from equipoise.report.sections import load_study, section_of
from equipoise.results import load_result

TEMPLATES = "id,template\n" + "".join(
    f"{name},<person> {text} <profession>.\n"
    for name, text in (("a", "met a"), ("b", "is a"), ("c", "paid a"), ("d", "saw a"), ("e", "knows a"))
)
WORDS = """pair,gender,phrase,noun
1,male,he,he
1,female,she,she
2,male,our son,son
2,female,our mother,mother
"""
GROUPS = ("male", "female", "balanced")
CELLS = {(group, person) for group in GROUPS for person in ("female", "male")}
JOBS = "profession,group\n" + "".join(f"{group} worker {n},{group}\n" for group in GROUPS for n in range(20))
ROW_4 = ("group", "person", "n", "before", "after", "change", "low", "high", "w", "r")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folders = [tmp_path_factory.mktemp(name) / name for name in ("before", "after")]
    for seed, folder in enumerate(folders):
        tiny.network("bert", seed).save_pretrained(folder)
        tiny.tokenizer("wordpiece").save_pretrained(folder)
    return folders


@pytest.fixture(scope="module")
def persons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("persons")
    for name, text in (("templates", TEMPLATES), ("words", WORDS), ("professions", JOBS)):
        (folder / f"person-{name}.csv").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def measured(models: list[Path], persons: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("results")
    outs = [folder / model.name for model in models]
    for model, out in zip(models, outs, strict=True):
        assert run("measure", "association", "--model", model, "--data", persons, "--out", out) == 0
    return outs


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def explored(page: str) -> list[dict[str, Any]]:
    """The items that a page holds."""
    packed = re.search(r'id="packed"[^>]*>([^<]+)<', page)
    assert packed is not None
    content: list[dict[str, Any]] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return content


def test_measure_association_writes_table_5_and_shows_the_six_means(
    models: list[Path], persons: Path, measured: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    again = measured[0].parent / "again"
    assert run("measure", "association", "--model", models[0], "--data", persons, "--out", again) == 0
    printed = capsys.readouterr().out
    items = pd.read_csv(again / "association" / "items.csv")
    for (gender, group), scores in items.groupby(["gender", "group"])["score"]:
        name = f"links of persons and occupations (gender x group {gender} x {group})"
        assert f"\n{name}\t{scores.mean():.3f}\t" in printed
    assert printed.count("\nlinks of persons and occupations (gender x group ") == 6
    assert "Table 5 of BEC-Pro" in printed
    rows = table(measured[0] / "association" / "association-table-5.csv")
    assert {(row["group"], row["person"]) for row in rows} == CELLS
    assert {"mean", "sd", "low", "high", "w", "r"} <= set(rows[0])


def test_compare_prints_table_4_and_the_hypotheses(
    measured: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("compare", *measured, "--all") == 0
    printed = capsys.readouterr().out
    assert "Table 4 of BEC-Pro" in printed
    assert "H2, persons are less likely beside professions of the other gender" in printed
    assert "H3, balanced professions move by less than 1.1 times" in printed
    assert run("compare", *measured, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    (rows,) = document["bec_pro_table_4"].values()
    assert tuple(rows[0])[: len(ROW_4)] == ROW_4
    assert {(row["group"], row["person"]) for row in rows} == CELLS
    (answers,) = document["hypotheses"].values()
    assert len(answers) == 6


def test_before_after_has_table_4_and_figures_3_to_5_in_the_folder_and_on_the_page(
    models: list[Path], persons: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, texts = tmp_path / "study", tmp_path / "texts.txt"
    texts.write_text("".join(f"The old carpenter opened {n} windows.\n" for n in range(6)))
    arguments = ("-i", "association", "--data", persons, "--texts", texts, "--out", out)
    assert run("study", "before-after", *models, *arguments) == 0
    printed = capsys.readouterr().out
    assert "Table 4 of BEC-Pro" in printed
    assert "H1, persons become less likely beside professions of their gender" in printed
    rows = table(out / "bec-pro-table-4.csv")
    assert tuple(rows[0])[: len(ROW_4)] == ROW_4
    assert {(row["group"], row["person"]) for row in rows} == CELLS
    section = section_of(load_study(out))
    figures = {figure.name: figure for figure in section.figures}
    for group in GROUPS:
        name = f"before-after-{group}-professions"
        bars = figures[name].spec["data"]["values"]
        assert len({bar["label"] for bar in bars}) == 20
        assert {bar["bar"] for bar in bars} == {
            f"{side}, {person}" for side in ("before", "after") for person in ("female", "male")
        }
        assert (out / f"{name}.png").is_file()
        assert (out / f"{name}.svg").is_file()
    assert "before-after-bec-pro-table-4" in {one.name for one in section.tables}


def test_report_draws_both_models_and_writes_the_tables(measured: list[Path], tmp_path: Path) -> None:
    places = ("--out", tmp_path / "page.html", "--figures", tmp_path / "f", "--tables", tmp_path / "t")
    assert run("report", *measured, *places) == 0
    for group in GROUPS:
        assert (tmp_path / "f" / f"association-{group}-professions.png").is_file()
    assert len(table(tmp_path / "t" / "association-table-4.csv")) == 6
    assert (tmp_path / "t" / "association-table-4.tex").is_file()
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Table 4 of BEC-Pro" in page
    assert "balanced professions move by less than 1.1 times" in page


def test_completions_has_tables_2_and_3_on_the_screen_in_files_and_on_the_page(
    models: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "word,part,sentiment\nbrave,adjective,positive\nkind,adjective,positive\n"
    (tmp_path / "completion-words.csv").write_text(words + "cruel,adjective,negative\n")
    (tmp_path / "completion-patterns.csv").write_text(
        "id,part,pattern\nm,adjective,The <word> [MASK] left.\n"
    )
    (tmp_path / "gendered-words.csv").write_text("male,female,kind\nhe,she,person\nman,woman,person\n")
    out = tmp_path / "out"
    assert run("measure", "completions", "--model", models[0], "--data", tmp_path, "--out", out, "--all") == 0
    printed = capsys.readouterr().out
    assert "Table 2 of GBM" in printed
    assert "Table 3 of GBM" in printed
    assert "top sentences" in printed
    folder = out / "completions"
    shares = table(folder / "completions-table-2.csv")
    assert {(row["way"], row["number"]) for row in shares} == {
        (way, number)
        for way in ("full-vocabulary", "top-5")
        for number in ("estimate", "95 % from", "95 % to")
    }
    assert {"negative_male", "positive_neither", "gbm"} <= set(shares[0])
    cells = table(folder / "completions-table-3.csv")
    assert {(row["sentiment"], row["pole"]) for row in cells} == {
        (sentiment, pole) for sentiment in ("negative", "positive") for pole in ("male", "female")
    }
    assert all(row["top_sentences"] for row in cells)
    for name in ("top-sentences", "unique-completions", "word-lists"):
        assert (folder / f"completions-{name}.csv").is_file()
    assert run("report", out, "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Table 2 of GBM" in page
    assert "Table 3 of GBM" in page
    (part,) = explored(page)
    first = load_result(folder).items.set_index("item").loc[part["items"][0]]
    assert part["told"]["completions"][0][0] == first["completions"]
    assert float(part["told"]["p_male"][0][0]) == pytest.approx(first["p_male"], rel=0.06)
    assert {"p_female", "p_neither", "top_male"} <= set(part["told"])
