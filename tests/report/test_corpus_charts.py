"""Charts of a corpus hold the numbers of its tables, leave out what is too few, and are written as files."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from command_line import run

from equipoise.corpora.documents import Grouping
from equipoise.corpora.reading import ReadSettings, open_corpus
from equipoise.corpora.survey import Survey, survey_corpus
from equipoise.report.figures import figures_of
from equipoise.report.figures.both_sides import side_figures
from equipoise.report.figures.survey import survey_figures
from equipoise.report.measurements import Measurement
from equipoise.results import Result
from equipoise.results.estimate import Estimate, estimates_table
from tests.made_results import made_result

TEXTS = (
    "He was a strong man at the office.",
    "She wore a pretty dress, and he saw it.",
    "She was afraid, and the office was far.",
    "His courage was strong.",
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    rows = [
        {"text": TEXTS[number % 4], "side": "left" if number % 3 else "right", "year": 1990 + number % 2}
        for number in range(120)
    ]
    rows.append({"text": "She left.", "side": "small", "year": 1990})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.fixture
def survey(source: Path, tmp_path: Path) -> Survey:
    corpus = open_corpus(source, ReadSettings(grouping=Grouping(("side",), year="year")))
    return survey_corpus(corpus, tmp_path / "out")


def test_charts_hold_the_tables(survey: Survey) -> None:
    charts = {figure.name: figure.spec["data"]["values"] for figure in survey_figures(survey)}
    assert list(charts) == ["top-words", "categories", "over-time", "mentions-side", "mentions-over-time"]
    table = survey.cooccurrence[(survey.cooccurrence["by"] == "all") & (survey.cooccurrence["note"] == "")]
    drawn = {row["name"].partition(" ")[0]: row for row in charts["top-words"]}
    words = table[table["word"] != ""].set_index("word")["log_odds"]
    assert {word: row["value"] for word, row in drawn.items()} == pytest.approx(dict(words), rel=1e-5)
    assert drawn["dress"]["side"] == "closer to women"
    assert drawn["courage"]["side"] == "closer to men"
    shares = {row["name"]: row["value"] for row in charts["mentions-side"]}
    assert list(shares) == sorted(("left", "right"), key=shares.__getitem__)
    women = survey.mentions[(survey.mentions["level"] == "left") & (survey.mentions["role"] == "all")].iloc[0]
    assert shares["left"] == pytest.approx(women["women"] / (women["women"] + women["men"]), rel=1e-5)
    assert {row["year"] for row in charts["over-time"]} == {1990, 1991}


def test_a_group_with_too_few_is_not_drawn(survey: Survey) -> None:
    mentions = survey.mentions
    few = mentions[mentions["level"] == "small"]
    assert set(few["note"]) == {"too few"}
    nothing = replace(survey, mentions=few, cooccurrence=survey.cooccurrence.assign(note="too few"))
    assert survey_figures(nothing) == []


def of_instrument(name: str, result: Result) -> Measurement:
    return Measurement(name, name, {"one": replace(result, instrument=name)})


def test_what_is_recovered_of_women_and_men() -> None:
    values = {("p-male", "career"): 0.8, ("p-female", "career"): 0.6, ("p-male", "family"): 0.7}
    values |= {("p-male", "strength"): 0.9, ("p-female", "strength"): 0.5}
    estimates = [
        Estimate(key, value, value - 0.1, value + 0.1, 20, groups={"category": level})
        for (key, level), value in values.items()
    ]
    crossed = [
        Estimate(key, 0.5, 0.4, 0.6, 20, groups={"side": "left", "category": "career"})
        for key in ("p-male", "p-female")
    ]
    made = made_result({"score": [0.0], "categories": ["career; family"], "side": ["left"]})
    result = replace(made, estimates=estimates_table([*estimates, *crossed]))
    (figure,) = side_figures(of_instrument("contexts", result))
    point, other = figure.spec["data"]["values"]
    assert (other["name"], other["male"], other["female"]) == ("strength", 0.9, 0.5)
    assert (point["kind"], point["name"], point["male"], point["female"]) == ("category", "career", 0.8, 0.6)
    assert (point["male_low"], point["female_high"]) == pytest.approx((0.7, 0.7))
    assert "career: 0.800 and 0.600" in figure.alt
    alone = replace(made, estimates=estimates_table(estimates[:2]))  # one level is all there is
    assert side_figures(of_instrument("contexts", alone)) == []
    assert side_figures(of_instrument("contexts", made_result({"score": [0.0]}))) == []
    assert side_figures(of_instrument("tbe", result)) == []


def test_women_and_men_are_drawn_beside_each_other_by_everything() -> None:
    """Figs. 7, 8, 11 and 12: both genders by category, by publisher, by ideology and by both."""
    levels = {"category": ("career", "family"), "publisher": ("Post", "Sun"), "ideology": ("left", "right")}
    groups: list[dict[str, str]] = [{}]
    groups += [{by: level} for by, known in levels.items() for level in known]
    groups += [{"category": one, "ideology": two} for one in levels["category"] for two in levels["ideology"]]
    estimates = [
        Estimate(key, value, value - 0.1, value + 0.1, 20, groups=group, headline=True)
        for group in groups
        for key, value in (("difference", 0.2), ("p-male", 0.8), ("p-female", 0.6))
    ]
    made = made_result(
        {"score": [0.0], "categories": ["career"], "publisher": ["Post"], "ideology": ["left"]}
    )
    measured = of_instrument("contexts", replace(made, estimates=estimates_table(estimates)))
    figures = {figure.name: figure for figure in figures_of(measured)}
    for by in (*levels, "category-x-ideology"):
        bars = figures[f"contexts-women-and-men-by-{by}"].spec["data"]["values"]
        assert [bar["value"] for bar in bars] == [0.8, 0.6] * (len(bars) // 2)
        assert {bar["gender"][:3] for bar in bars} == {"men", "wom"}
        assert (bars[0]["low"], bars[0]["high"]) == pytest.approx((0.7, 0.9))
    crossed = figures["contexts-women-and-men-by-category-x-ideology"].spec["data"]["values"]
    assert {bar["name"] for bar in crossed} == {
        f"{one} x {two}" for one in levels["category"] for two in levels["ideology"]
    }
    assert {f"contexts-difference-by-{by}" for by in levels} <= set(figures)


def test_target_words_beside_women_and_men() -> None:
    items = pd.DataFrame(
        {
            "target": ["office"] * 20 + ["dress"] * 5,
            "categories": ["career; family"] * 20 + ["appearance"] * 5,
            "gender": (["male", "female"] * 13)[:25],
            "score": [0.5, 0.3] * 10 + [0.1] * 5,
        }
    )
    (figure,) = side_figures(of_instrument("cosine", made_result(items)))
    (dot,) = figure.spec["data"]["values"]
    assert (dot["name"], dot["kind"]) == ("office", "career")
    assert (dot["male"], dot["female"]) == pytest.approx((0.5, 0.3))
    assert side_figures(of_instrument("cosine", made_result(items.tail(5)))) == []


def test_the_command_writes_figures(source: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "equipoise", "corpus", str(source), "--group", "side"]
    figures = tmp_path / "figures"
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "tables"), "--figures", str(figures)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names = {path.name for path in figures.iterdir()}
    assert {"top-words.png", "top-words.svg", "categories.png", "mentions-side.svg"} <= names
    refused = subprocess.run(
        [*command, "--pairs", str(tmp_path / "pairs.csv"), "--figures", str(figures)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (refused.returncode, "--figures needs the tables" in refused.stderr) == (2, True)


def test_charts_that_are_there_are_refused_before_the_corpus_is_read(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, out = tmp_path / "figures", tmp_path / "tables"
    figures.mkdir()
    (figures / "mentions-side.png").write_bytes(b"my own")
    (figures / "photo.png").write_bytes(b"other files are no hindrance")
    asked = ["corpus", source, "--group", "side", "--out", out, "--figures", figures]
    assert run(*asked) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"Error: {figures / 'mentions-side.png'} would be overwritten.",
        "Give another folder with --figures, or --force to overwrite it.",
    ]
    assert not out.exists()
    assert (figures / "mentions-side.png").read_bytes() == b"my own"
    assert run(*asked, "--force") == 0
    assert (figures / "mentions-side.png").read_bytes().startswith(b"\x89PNG")
    assert (figures / "photo.png").read_bytes() == b"other files are no hindrance"
