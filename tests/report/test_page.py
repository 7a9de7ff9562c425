"""The page: everything in it, nothing run, numbers as they are, and what bad input is told."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run
from report_results import HOSTILE, HOSTILE_NAME, page_result

import equipoise as eq
from equipoise.errors import UserError
from equipoise.report.explorer import explorer_data
from equipoise.report.measurements import measured_models, measurements
from equipoise.report.page import contents_of, render
from equipoise.report.page.contents import card_of
from equipoise.results import Result


def unpacked(results: list[Result]) -> list[dict[str, Any]]:
    packed = explorer_data(measurements(results))
    content: list[dict[str, Any]] = json.loads(gzip.decompress(base64.b64decode(packed)))
    return content


def test_one_result_needs_no_list() -> None:
    assert render(page_result()) == render([page_result()])
    with pytest.raises(UserError, match="render takes results and was given 'results/m'"):
        render("results/m")  # type: ignore[arg-type]


def test_one_file_without_an_outside_address() -> None:
    page = eq.render([page_result()])
    outside = set(re.findall(r"https?://[\w./-]+", page))
    known = ("http://www.w3.org/", "https://vega.github.io/", "https://github.com/vega/")
    assert all(address.startswith(known) for address in outside), outside  # names in the bundle, never loaded
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<(script|img|link|iframe)\b", markup)
    assert '<html lang="en">' in page


def test_only_our_scripts_can_run() -> None:
    page = render([page_result(HOSTILE_NAME)])
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    allowed = set(re.findall(r"sha256-([\w+/=]+)", policy[1]))
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts}
    assert hashes == allowed
    assert len(scripts) == 2
    for hostile in ("<script>window.hit", "<img src=x", "<b onmouseover", "<u>farm", "<i>items"):
        assert hostile not in page
    assert "&lt;u&gt;farm&lt;/u&gt;" in page


def test_every_figure_has_a_place_a_chart_and_words() -> None:
    contents = contents_of([page_result()])
    page = render([page_result()])
    specs = json.loads(re.search(r'id="specs">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    names = re.findall(r'data-chart="([^"]+)"', page)
    assert sorted(names) == sorted(specs) == sorted(figure.name for figure in contents.figures)
    assert len(set(names)) == len(names) == 5
    assert all(len(figure.alt) > 40 for figure in contents.figures)


def test_a_card_answers_its_question_with_the_numbers_of_the_estimates() -> None:
    """The axis reaches 3.4 nats (30 times) to either side of 0, men on the right."""
    (screen,) = contents_of([page_result()]).screens
    (card,) = screen.cards
    first = page_result().headlines().iloc[0]
    assert (card.question, card.answer) == ("Does it link jobs with a gender?", "Yes, towards men")
    assert (card.size, card.certainty) == ("small", "certain")
    assert card.code == "tbe.appd"
    gauge = card.gauge
    assert gauge is not None
    assert (gauge.left, gauge.right, gauge.tone, gauge.neutral) == ("women", "men", "men", 50)
    places = [50 + 50 * first[name] / np.log(30) for name in ("value", "low", "high")]
    assert [gauge.value, gauge.low, gauge.high] == pytest.approx(places, rel=1e-3)
    assert "small" in screen.headline
    assert "certain" in screen.headline


def test_women_stand_on_the_left_whichever_side_is_above() -> None:
    result = page_result()
    quantity = result.declared[0]
    turned = replace(quantity, sides=quantity.sides[::-1])
    result.provenance["quantities"] = [turned.to_record()]
    (screen,) = contents_of([result]).screens
    gauge = screen.cards[0].gauge
    assert gauge is not None
    assert (gauge.left, gauge.right, gauge.tone) == ("women", "men", "women")
    assert gauge.low < gauge.value < gauge.high < 50


def test_the_explorer_has_every_item_with_its_score_and_words() -> None:
    result = page_result()
    (part,) = unpacked([result])
    assert part["items"] == result.items["item"].tolist()
    assert part["texts"]["stereotype"][:3] == list(HOSTILE[:3])
    assert part["texts"]["stereotype"][3].endswith("(10,006 characters)")
    known = result.items["score"]
    for shown, score in zip(part["scores"][0], known, strict=True):
        assert (shown is None) == pd.isna(score)
        assert shown is None or shown == pytest.approx(score, rel=1e-4)
    category = part["groups"]["category"]
    assert [category["levels"][code] for code in category["codes"]] == result.items["category"].tolist()
    assert part["tokens"]["counterpart"][5][0] == [0, 3, -1.5]
    assert sum(part["driving"]) == len(result.items)


def test_models_side_by_side_share_their_items() -> None:
    one, other = page_result("a/one"), page_result("b/two", shift=0.5, items=130, seed=1)
    (part,) = unpacked([one, other])
    assert part["models"] == ["one", "two"]
    assert len(part["items"]) == 130
    assert [len(column) for column in part["scores"]] == [130, 130]
    assert part["scores"][0][120:] == [None] * 10


def test_two_models_are_compared_and_three_ranked() -> None:
    models = [page_result(f"m/{name}", shift=shift) for name, shift in (("a", 0.0), ("b", 0.4), ("c", 0.9))]
    models += [
        page_result(f"m/{name}", shift=shift, instrument="lpbs")
        for name, shift in (("a", 0.1), ("b", 0.5), ("c", 0.8))
    ]
    for result in models:  # one model, one fingerprint
        result.provenance["model"]["fingerprint"] = f"print of {result.model}"
    between = contents_of(models).sections[0]
    assert between.title == "Between the models"
    verdicts = next(table for table in between.tables if table.name == "verdicts")
    assert len(verdicts.rows) == 6  # three pairs of models, two instruments
    assert {row[2] for row in verdicts.rows} == {"a", "b"}
    assert "agree with W = 1.00" in between.sentences[0]
    ranks = between.figures[0].spec["data"]["values"]
    assert {(row["model"], row["instrument"]): row["rank"] for row in ranks} == {
        (model, name): place for place, model in enumerate("abc", 1) for name in ("tbe", "lpbs")
    }


def test_what_cannot_be_compared_is_shown_and_said() -> None:
    one, other = page_result("a/one"), page_result("b/two", shift=0.5)
    other.provenance["data"]["files"] = {"items.csv": "b" * 64}
    between = contents_of([one, other]).sections[0]
    assert not between.tables
    assert between.notes[0].startswith("Not compared. tbe: 'one' and 'two' were measured on different data")


def test_short_names_where_they_tell_models_apart() -> None:
    same = [page_result("a/bert"), page_result("b/bert", shift=0.1), page_result("c/gpt", shift=0.2)]
    assert [model.label for model in measured_models(same)] == ["a/bert", "b/bert", "gpt"]


def test_other_data_of_one_instrument_has_a_section_of_its_own() -> None:
    one, other = page_result(), page_result()
    other.provenance["data"] = other.provenance["data"] | {"name": "path/to/mine.csv"}
    names = [section.name for section in contents_of([one, other]).sections]
    assert names == ["tbe-corrected-made-up-pronouns", "tbe-corrected-mine-csv-pronouns"]


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([], "There is nothing to report"),
        ([page_result(), page_result()], "Two results of tbe for 'models/one' are of the same data"),
        ([page_result(), page_result(shift=1.0)], "Two different models are called 'models/one'"),
    ],
)
def test_what_cannot_be_a_page(results: list[Result], message: str) -> None:
    with pytest.raises(UserError, match=message):
        contents_of(results)


def test_results_of_different_versions_are_said_to_be() -> None:
    other = page_result("models/two", shift=1.0)
    other.provenance["versions"] = {"equipoise": "0.2.0"}
    assert contents_of([page_result(), other]).notes[-1].endswith("why they differ: 0.1.0, 0.2.0.")


def test_a_card_has_its_headings() -> None:
    card = dict(card_of("tbe"))
    assert list(card)[:4] == ["Method", "Question", "Sign", "Good"]
    assert card["Sign"].startswith("Above 0 leans male, below 0 leans female")
    assert card_of("an instrument of mine") == []


def test_the_command_writes_page_figures_and_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page_result(items=30).save(tmp_path / "results")
    out = tmp_path / "new" / "report.html"
    assert (
        run(
            "report",
            tmp_path / "results",
            "--out",
            out,
            "--figures",
            tmp_path / "f",
            "--tables",
            tmp_path / "t",
        )
        == 0
    )
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"Page: {out} (")
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")
    figures = sorted(path.name for path in (tmp_path / "f").iterdir())
    assert "tbe-professions.png" in figures
    assert len(figures) == 10
    assert (tmp_path / "f" / "tbe-professions.png").read_bytes().startswith(b"\x89PNG")
    written = pd.read_csv(tmp_path / "t" / "tbe-headlines.csv")
    assert written["value"].tolist() == pytest.approx(page_result(items=30).headlines()["value"].tolist())
    assert "\\begin{tabular}" in (tmp_path / "t" / "tbe-estimates.tex").read_text(encoding="utf-8")
    again = ["report", tmp_path / "results", "--out", out]
    assert run(*again) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"Error: {out} exists.",
        "Give another path with --out, or --force to overwrite it.",
    ]
    assert run(*again, "--force") == 0
    assert run("report", tmp_path / "results", "--out", tmp_path / "x.html", "--tables", tmp_path / "t") == 2
    assert not (tmp_path / "x.html").exists()


def test_files_that_are_there_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A table in the way also stops the figures, and what stands there stays as it is."""
    page_result(items=30).save(tmp_path / "results")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "tbe-headlines.csv").write_text("my own")
    (mine / "notes.txt").write_text("other files are no hindrance")
    asked = [
        "report",
        tmp_path / "results",
        "--out",
        tmp_path / "p.html",
        "--figures",
        mine,
        "--tables",
        mine,
    ]
    assert run(*asked) == 2
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        f"Error: {mine / 'tbe-headlines.csv'} would be overwritten.",
        "Give another folder with --tables, or --force to overwrite it.",
    ]
    assert said.out == ""
    assert sorted(path.name for path in mine.iterdir()) == ["notes.txt", "tbe-headlines.csv"]
    assert (mine / "tbe-headlines.csv").read_text() == "my own"
    assert run(*asked, "--force") == 0
    assert "5 figures, each as PNG and SVG" in capsys.readouterr().out
    assert (mine / "tbe-headlines.csv").read_text() != "my own"


@pytest.mark.parametrize("name", ["items.csv", "estimates.json", "provenance.json", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_result_is_named(
    name: str, damage: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = page_result(items=20).save(tmp_path / "results") / name
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        path.unlink()
    assert run("report", tmp_path / "results", "--out", tmp_path / "page.html") == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert str(tmp_path / "results") in lines[0]
    assert not (tmp_path / "page.html").exists()
