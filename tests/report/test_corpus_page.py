"""A corpus in words and as a page: what its sentences say is what its tables hold."""

import math
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run

from equipoise.report.corpus_findings import CorpusFindings, load_corpus, say_corpus


def group(by: str, level: str, women: int, men: int, half: float, role: str = "all") -> dict[str, Any]:
    """A row of mentions; `half` is half the width of the interval on the scale of log-odds."""
    centre = math.log(women / men)
    low, high = (1 / (1 + math.exp(-(centre + side * half))) for side in (-1, 1))
    share = women / (women + men)
    return {
        **{"by": by, "level": level, "role": role, "women": women, "men": men, "documents": 500},
        **{"share_women": share, "low": low, "high": high, "note": ""},
    }


def word(text: str, log_odds: float, half: float) -> dict[str, Any]:
    ends = {"log_odds": log_odds, "log_odds_low": log_odds - half, "log_odds_high": log_odds + half}
    return {
        "by": "all",
        "level": "all",
        "category": "c",
        "word": text,
        "male": 9,
        "female": 9,
        **ends,
        "note": "",
    }


def said(*mentions: dict[str, Any], words: tuple[dict[str, Any], ...] = ()) -> CorpusFindings:
    columns = [*word("", 0.0, 1.0)]
    return say_corpus(pd.DataFrame(mentions), pd.DataFrame(words, columns=columns))


def test_groups_that_lean_alike_are_the_headline_and_differ_for_certain() -> None:
    """47 against 39 %: 0.327 in log-odds; with half widths of 0.1 that is 4.5 standard errors."""
    findings = said(
        group("all", "all", 4200, 5800, 0.05),
        group("paper", "Herald", 1410, 1590, 0.1),
        group("paper", "Globe", 1170, 1830, 0.1),
    )
    assert findings.headline == "Men are mentioned more often than women."  # the Herald is within 5 points
    first, second, _ = findings.sentences
    assert first == "Of 10,000 mentions 42 % are women (41 to 43): small, certain."
    assert second == (
        "Women among the people mentioned: Herald 47 %, Globe 39 %, a difference of 8.0 points: "
        "small, certain."
    )
    apart = said(
        group("all", "all", 4200, 5800, 0.05),
        group("paper", "Herald", 1290, 1710, 0.1),
        group("paper", "Globe", 1170, 1830, 0.1),
    )
    assert apart.headline == "Both groups by paper mention men more often than women."


@pytest.mark.parametrize(("half", "answer"), [(0.1, "Yes"), (0.6, "No difference found")])
def test_a_difference_is_found_only_if_the_intervals_allow_it(half: float, answer: str) -> None:
    rows = [group("paper", name, women, 100, half) for name, women in (("a", 80), ("b", 58))]
    (_, finding, _) = said(group("all", "all", 138, 200, 0.1), *rows).findings
    z = math.log(80 / 58) / math.hypot(half / 1.96, half / 1.96)
    assert (math.erfc(z / math.sqrt(2)) < 0.05) == answer.startswith("Yes")
    assert finding.answer.startswith("Yes") == answer.startswith("Yes")


def test_the_words_named_are_certain_over_all_words() -> None:
    """A word at 1.75 times its half width has p = 0.0006; of 400 words, that is not enough."""
    sure = [word("wedding", -2.0, 0.5), word("captain", 1.5, 0.4)]
    unsure = [word(f"word{number}", 0.2 if number else 0.7, 0.4) for number in range(398)]
    findings = said(group("all", "all", 50, 50, 0.1), words=(*sure, *unsure))
    assert findings.sentences[-1].startswith(
        "Closest to women: wedding. Closest to men: captain. 2 of 400 words"
    )
    nothing = said(group("all", "all", 50, 50, 0.1), words=tuple(unsure))
    assert nothing.sentences[-1] == "No word stands nearer to one gender for certain (398 words)."


def test_too_few_people_are_said_to_be_too_few() -> None:
    few = group("all", "all", 2, 1, 1.0) | {"note": "too few", "share_women": float("nan")}
    assert said(few).headline.startswith("There are too few people")


def test_the_folder_of_a_corpus_is_a_page(tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(["He left his office.", "She saw her <b>friend</b>."] * 40), encoding="utf-8")
    assert run("corpus", texts, "--out", tmp_path / "survey") == 0
    assert run("report", tmp_path / "survey", "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    headline = say_corpus(
        *(load_corpus(tmp_path / "survey").tables[name] for name in ("mentions", "cooccurrence"))
    )
    assert f"<h1>{headline.headline}</h1>" in page
    assert str(tmp_path) not in page


def test_damaged_tables_of_a_corpus_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("mentions", "cooccurrence", "drivers"):
        (tmp_path / f"{name}.csv").write_text("by,level\nall,all\n", encoding="utf-8")
    assert run("report", tmp_path, "--out", tmp_path / "page.html") == 2
    assert capsys.readouterr().err.splitlines()[1] == "Run `equipoise corpus` again."


@pytest.mark.parametrize(("high", "low"), [(507, 403), (500, 400), (476, 394), (470, 390)])
def test_shares_and_their_difference_add_up_as_they_are_written(high: int, low: int) -> None:
    findings = said(
        group("all", "all", high + low, 2000 - high - low, 0.01),
        group("paper", "A", high, 1000 - high, 0.01),
        group("paper", "B", low, 1000 - low, 0.01),
    )
    (sentence,) = (one for one in findings.sentences if "a difference of" in one)
    first, second, apart = map(float, re.findall(r"(?:[AB]|of) ([\d.]+)", sentence))
    assert first - second == pytest.approx(apart), sentence
