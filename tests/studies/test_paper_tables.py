"""The tables of BEC-Pro and of GBM: rows and columns as printed, numbers worked out another way."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny
from scipy.stats import rankdata

from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.studies.papers.association_tables import can_be_paired, profession_means, table_4, table_5
from equipoise.studies.papers.completion_tables import table_2, table_3

CELLS = [(group, person) for group in ("male", "female", "balanced") for person in ("female", "male")]
PATTERNS = "id,template\nt,<person> met a <profession>.\nu,As a <profession> <person> was late.\n"
WORDS = """pair,gender,phrase,noun
1,male,he,he
1,female,she,she
2,male,our son,son
2,female,our mother,mother
"""
JOBS = """profession,group
welder,male
pilot,male
nurse,female
teacher,female
artist,balanced
baker,balanced
"""


def loaded(seed: int) -> Any:
    words = tiny.tokenizer("wordpiece")
    return wrap_model(tiny.network("bert", seed), words, name=f"bert-{seed}", options=RunOptions(cache=False))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    folder = tmp_path_factory.mktemp("persons")
    for name, text in (("templates", PATTERNS), ("words", WORDS), ("professions", JOBS)):
        (folder / f"person-{name}.csv").write_text(text, encoding="utf-8")
    return [measure(loaded(seed), "association", Settings(data=str(folder))) for seed in (7, 8)]


def cell_of(result: Result, row: dict[Any, Any]) -> pd.Series:
    items = result.items
    return items[(items["group"] == row["group"]) & (items["gender"] == row["person"])]["score"]


def slow_w(table: pd.DataFrame, group: str) -> tuple[float, int]:
    """The sum of the positive ranks of female - male, and the number of pairs that differ."""
    rows = table[table["group"] == group].set_index(["template", "pair", "profession", "gender"])["score"]
    gaps = rows.unstack("gender").eval("female - male").to_numpy()
    gaps = gaps[gaps != 0]
    return float(rankdata(np.abs(gaps))[gaps > 0].sum()), len(gaps)


def test_table_5_has_means_deviations_and_the_test_of_women_against_men(both: list[Result]) -> None:
    table = table_5(both[0])
    assert list(zip(table["group"], table["person"], strict=True)) == CELLS
    for row in table.to_dict("records"):
        cell = cell_of(both[0], row)
        assert row["mean"] == pytest.approx(cell.mean())
        assert row["sd"] == pytest.approx(np.std(cell, ddof=1))
        w, n = slow_w(both[0].items, row["group"])
        z = (w - n * (n + 1) / 4) / np.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        assert row["w"] == w
        assert row["r"] == pytest.approx(-abs(z) / np.sqrt(2 * n))
        assert row["r_signed"] == pytest.approx(z / np.sqrt(n))
    assert not any(name.startswith("printed") for name in table), "these are no sentences of the paper"


def test_table_4_has_both_models_the_change_and_the_test_of_the_change(both: list[Result]) -> None:
    before, after = both
    assert can_be_paired(before, after)
    table = table_4(before, after)
    assert list(zip(table["group"], table["person"], strict=True)) == CELLS
    moved = after.items.assign(score=after.items["score"] - before.items["score"])
    for row in table.to_dict("records"):
        cells = [cell_of(one, row).mean() for one in both]
        assert [row["before"], row["after"]] == pytest.approx(cells)
        assert row["change"] == pytest.approx(cells[1] - cells[0])
        assert row["w"] == slow_w(moved, row["group"])[0]


def test_the_printed_numbers_stand_beside_the_papers_own_sentences(both: list[Result]) -> None:
    told = both[0].provenance | {
        "instrument": {"name": "association", "variant": "as-published"},
        "data": {"name": "bec-pro", "files": {"BEC-Pro_EN_2020.tsv": "1"}},
    }
    results = [Result("association", one.items, one.estimates, told) for one in both]
    table = table_4(*results).set_index(["group", "person"])
    assert table.loc[("female", "male"), ["printed_before", "printed_w"]].tolist() == [-0.68, 96428]
    assert "printed_mean" not in table_5(results[0]), "Table 5 is of the German sentences"


def test_professions_have_a_bar_for_either_person(both: list[Result]) -> None:
    table = profession_means({"before": both[0], "after": both[1]})
    assert len(table) == 6 * 2 * 2
    row = table.query("profession == 'nurse' and person == 'female' and side == 'after'").iloc[0]
    mean = both[1].items.query("profession == 'nurse' and gender == 'female'")["score"].mean()
    assert row["mean"] == pytest.approx(mean)
    assert row["label"] == "nurse"


def test_german_tables_make_no_claim_about_bias(both: list[Result]) -> None:
    """They measure agreement: no interval and no direction stands beside what the paper prints."""
    german = replace(both[0], items=both[0].items.assign(language="de"))
    assert list(table_5(german)) == ["group", "person", "n", "mean", "sd", "w", "r"]
    assert {"low", "high", "r_signed"} <= set(table_5(both[0]))


def test_german_professions_are_called_by_their_german_forms() -> None:
    words = dict.fromkeys(("er", "Er", "sie", "Sie"), 0.1)
    result = measure(TableModel(words=words), "association", Settings(data="equipoise-persons-de"))
    labels = profession_means({"before": result}).set_index("profession")["label"]
    assert set(labels["speech therapist"]) == {"Logopäde / Logopädin"}


@pytest.fixture
def completed(tmp_path: Path) -> Result:
    words = (
        "word,part,sentiment\nbrave,adjective,positive\nkind,adjective,positive\ncruel,adjective,negative\n"
    )
    (tmp_path / "completion-words.csv").write_text(words)
    (tmp_path / "completion-patterns.csv").write_text(
        "id,part,pattern\nmet,adjective,I met a <word> [MASK].\n"
    )
    (tmp_path / "gendered-words.csv").write_text("male,female,kind\nman,woman,person\nboy,girl,person\n")
    fills = {
        "I met a brave [MASK].": {"man": 0.5, "dog": 0.3, "woman": 0.1, "boy": 0.05, "cat": 0.04},
        "I met a kind [MASK].": {"woman": 0.4, "man": 0.1, "dog": 0.3, "girl": 0.1, "cat": 0.1},
        "I met a cruel [MASK].": {"man": 0.3, "dog": 0.3, "cat": 0.2, "tree": 0.1, "woman": 0.1},
    }
    return measure(TableModel(fills), "completions", Settings(data=str(tmp_path)))


def test_table_2_has_six_shares_and_gbm_for_both_ways_to_count(completed: Result) -> None:
    table = table_2({"m": completed}).set_index(["way", "number"])
    assert table.columns.tolist() == [
        "model",
        *("negative_male", "negative_female", "negative_neither"),
        *("positive_male", "positive_female", "positive_neither"),
        "gbm",
    ]
    row = table.loc[("full-vocabulary", "estimate")]
    male, female = (0.55 + 0.1) / 2, (0.1 + 0.5) / 2
    assert row["positive_male"] == pytest.approx(male)
    assert row["positive_female"] == pytest.approx(female)
    assert row["negative_neither"] == pytest.approx(0.6)
    assert row["gbm"] == pytest.approx((female - male) / (1 - male - female) + (0.3 - 0.1) / 0.6)
    assert table.loc[("top-5", "95 % from"), "model"] == "m"
    assert "printed" not in table.index.get_level_values("number")


def test_table_2_of_the_published_file_has_the_printed_rows(completed: Result) -> None:
    told = completed.provenance | {"data": {"name": "gbm"}}
    table = table_2({"m": Result("completions", completed.items, completed.estimates, told)})
    printed = table[table["number"] == "printed"]
    assert printed["gbm"].tolist() == [0.063, 0.040]
    assert printed["negative_neither"].tolist() == [0.563, 0.678]


def test_table_3_has_top_sentences_and_unique_completions(completed: Result) -> None:
    table = table_3(completed.items, "top-5", count=1).set_index(["sentiment", "pole"])
    assert table.index.tolist() == [
        (sentiment, pole) for sentiment in ("negative", "positive") for pole in ("male", "female")
    ]
    assert table.loc[("positive", "male"), "top_sentences"] == "I met a brave [MASK]."
    assert table.loc[("positive", "female"), "top_sentences"] == "I met a kind [MASK]."
    assert table.loc[("positive", "male"), "unique_completions"] == "man, boy"
    assert table.loc[("negative", "female"), "unique_completions"] == "woman"
