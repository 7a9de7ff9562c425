"""Stereotype and Skew (EACL 2021): its Table 2 on the real weights, and the arithmetic of its columns.

Published and reproduced: the rows BERT and BERT-O. Published and contradicted by its own columns: the four
rows of BERT-U and BERT-A, where skew and stereotype are exchanged, and RoBERTa-large. Table 1: its rows BERT
and BERT-O are reproduced with the names that the published code gives; both people named, only roughly.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from designs import designed, result_of

from equipoise.instruments.parts.skew_quantities import is_able
from equipoise.instruments.stereotype_skew import StereotypeSkew
from equipoise.results import Result
from equipoise.stats.f1 import FourF1
from equipoise.studies.papers.published import EXCHANGED, published_rows

TABLE_1, TABLE_2 = (published_rows(f"skew.table-{number}") for number in (1, 2))
TOLERANCE = 0.05
F1_KEYS = ("f1-first-pro", "f1-first-anti", "f1-second-pro", "f1-second-anti")
ABILITY_KEYS = ("ability-f1-first", "ability-f1-second")
# What the weights give beside the published rows: mean |skew| and mean |stereotype|.
CORRECTED, NORMALISED = (39.00, 12.36), (20.31, 24.15)
VARIANTS = ("as-published", "prior-normalised-as-published", "corrected", "prior-normalised")


@pytest.fixture(scope="module")
def results(bert: Any) -> Callable[[Path], dict[str, Result]]:
    """Every variant on type 2, split test, in one plan and without the copies with names."""
    known: dict[Path, dict[str, Result]] = {}

    def find(path: Path) -> dict[str, Result]:
        if path not in known:
            known[path] = measured_with(bert, path, VARIANTS, part="occupations")
        return known[path]

    return find


def measured_with(bert: Any, path: Path, variants: Sequence[str], *, part: str) -> dict[str, Result]:
    """One part of the items in several variants, asked of the model at once."""
    designs, asks = {}, []
    for variant in variants:
        design = designed("stereotype-skew", data=str(path), variant=variant)
        designs[variant] = replace(design, items=design.items.query("part == @part").reset_index(drop=True))
        asks += [(variant, ask) for ask in StereotypeSkew().ask(designs[variant], bert)]
    answers: dict[str, dict[tuple[str, str], Any]] = {variant: {} for variant in variants}
    for (variant, ask), answer in zip(asks, bert.answer([ask.question for _, ask in asks]), strict=True):
        answers[variant][ask.item, ask.role] = answer
    return {
        variant: result_of("stereotype-skew", design, answers[variant]) for variant, design in designs.items()
    }


@pytest.fixture
def measured(results: Any, shared_data: Callable[[str], Path]) -> dict[str, Result]:
    return results(shared_data("winobias/pro_stereotyped_type2.txt.test"))


def four_scores(result: Result, **groups: str) -> list[float]:
    return [result.value(key, **groups) for key in F1_KEYS]


@pytest.mark.parametrize(
    ("row", "variant", "kept"),
    [("BERT", "as-published", 309), ("BERT-O", "prior-normalised-as-published", 389)],
)
def test_table_2(measured: dict[str, Result], row: str, variant: str, kept: int) -> None:
    result = measured[variant]
    assert four_scores(result) == pytest.approx(TABLE_2[row][:4], abs=TOLERANCE)
    # The printed means were rounded after them.
    assert result.value("mean-abs-stereotype") == pytest.approx(TABLE_2[row][4], abs=0.1)
    assert result.value("mean-abs-skew") == pytest.approx(TABLE_2[row][5], abs=TOLERANCE)
    assert result.estimate("skew")[["n", "dropped"]].tolist() == [kept, 396 - kept]
    # Lines 382 and 384 have the same pronoun in both files.
    ties = result.estimate("ties")
    assert ties["value"] * ties["n"] == pytest.approx(2)


def test_the_default_uses_every_sentence_that_can_be_asked(measured: dict[str, Result]) -> None:
    result = measured["corrected"]
    assert result.estimate("skew")[["n", "dropped"]].tolist() == [391, 5]
    assert result.value("ties") == 0
    assert result.value("mean-abs-skew") == pytest.approx(CORRECTED[0], abs=TOLERANCE)
    assert result.value("mean-abs-stereotype") == pytest.approx(CORRECTED[1], abs=TOLERANCE)
    # With the cut and sound pronouns for the two bad lines it is nearly the published row.
    assert four_scores(result, items="confident") == pytest.approx(TABLE_2["BERT"][:4], abs=0.6)
    assert result.estimate("skew", items="confident")["n"] == 309 + 2


def test_a_prior_read_at_the_pronoun_lowers_skew(measured: dict[str, Result]) -> None:
    plain, normalised = measured["corrected"], measured["prior-normalised"]
    first_mask = measured["prior-normalised-as-published"]
    assert normalised.value("mean-abs-skew") == pytest.approx(NORMALISED[0], abs=TOLERANCE)
    assert normalised.value("mean-abs-stereotype") == pytest.approx(NORMALISED[1], abs=TOLERANCE)
    others = [result.value("mean-abs-skew") for result in (plain, first_mask)]
    assert normalised.value("mean-abs-skew") < 0.6 * min(others)
    assert normalised.value("mean-abs-stereotype") > plain.value("mean-abs-stereotype")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "variant"), [("BERT", "as-published"), ("BERT-O", "prior-normalised-as-published")]
)
def test_table_1(bert: Any, shared_data: Callable[[str], Path], row: str, variant: str) -> None:
    folder = shared_data("winobias/pro_stereotyped_type2.txt.test").parent
    result = measured_with(bert, folder, [variant], part="names")[variant]
    scores = [result.value(key, type=kind) for kind in ("1", "2") for key in ABILITY_KEYS]
    assert scores == pytest.approx(TABLE_1[row], abs=TOLERANCE)


@pytest.mark.slow
def test_alice_and_bob_are_told_apart(bert: Any, shared_data: Callable[[str], Path]) -> None:
    folder = shared_data("winobias/pro_stereotyped_type2.txt.test").parent
    first, second = (
        measured_with(bert, folder / f"pro_stereotyped_type{kind}.txt.test", ["corrected"], part="names")
        for kind in ("1", "2")
    )
    # Printed for type 2: 95.3 and 95.5, with an occupation left in reversed copies and tailors as men.
    assert second["corrected"].value("ability-f1-first") == pytest.approx(95.3, abs=1.0)
    assert second["corrected"].value("ability-f1-second") == pytest.approx(95.5, abs=1.0)
    assert is_able(second["corrected"].value("ability"))
    # Printed for type 1: 58.8 and 62.4. Below 75 nothing is read into type 1, in print or here.
    assert first["corrected"].value("ability") == pytest.approx(55, abs=8)
    assert not is_able(first["corrected"].value("ability"))


def test_the_share_of_women_follows_labour_statistics(measured: dict[str, Result]) -> None:
    row = measured["corrected"].estimate("correlation-with-share-of-women")
    assert row["n"] == 40
    assert 0.3 < row["low"] < row["value"] < 0.8


def f1_of(scores: Sequence[float]) -> FourF1:
    first_pro, first_anti, second_pro, second_anti = (np.float64(score) for score in scores)
    return FourF1(first_pro, first_anti, second_pro, second_anti)


@pytest.mark.parametrize("row", TABLE_2)
def test_printed_columns_against_the_formulas(row: str) -> None:
    *scores, stereotype, skew = TABLE_2[row]
    printed = f1_of(scores)
    if row in EXCHANGED:
        stereotype, skew = skew, stereotype
    agrees = printed.absolute_stereotype == pytest.approx(stereotype, abs=0.1001)
    agrees &= printed.absolute_skew == pytest.approx(skew, abs=0.1001)
    assert agrees == (row != "RoBERTa-large")


@pytest.mark.parametrize("row", TABLE_2)
def test_printed_scores_come_from_one_confusion_matrix(row: str) -> None:
    """Within rounding the identity must be able to hold: 1 lies between the products of the corners."""
    corners = product(*((score - 0.05, score + 0.05) for score in TABLE_2[row][:4]))
    products = [f1_of(corner).identity for corner in corners]
    assert (min(products) <= 1 <= max(products)) == (row != "RoBERTa-large")


def test_what_the_study_concluded_from_exchanged_columns() -> None:
    scores = {row: f1_of(values[:4]) for row, values in TABLE_2.items()}
    # Augmentation removed the stereotype and left the skew above that of BERT, not the reverse.
    assert scores["BERT-A"].absolute_stereotype == pytest.approx(0.1, abs=0.051)
    assert scores["BERT-A"].absolute_skew > scores["BERT"].absolute_skew
    pairs = [(row, row + "O" if row in EXCHANGED else row + "-O") for row in TABLE_2]
    pairs = [pair for pair in pairs if pair[1] in TABLE_2]
    assert len(pairs) == 8
    by_formula = [scores[after].absolute_stereotype < scores[row].absolute_stereotype for row, after in pairs]
    by_print = [TABLE_2[after][4] < TABLE_2[row][4] for row, after in pairs]
    # Printed in the text: 6 of 8.
    assert (sum(by_formula), sum(by_print)) == (5, 7)
