"""Controls: doses by hand, limits that follow from the spread of the items, and few false alarms."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run

from equipoise.errors import UserError
from equipoise.instruments.base import Ask
from equipoise.models.questions import Fill, Score, TokenScores, WordScores
from equipoise.models.table import TableModel
from equipoise.results import Quantity
from equipoise.studies.proof.controls import (
    Rule,
    _limit,
    _Sides,
    controls,
    dosed,
)
from equipoise.studies.proof.planting import stereotyped_sentences, workforce_side

QUANTITY = Quantity("lean", "lean", 0.1, factors=("word",))


def test_a_dose_moves_the_log_ratio_and_keeps_the_mass_of_both() -> None:
    answer = WordScores(("he", "she", "they"), tuple(np.log([0.5, 0.3, 0.1])), (1, 1, 1))
    he, she, they = np.exp(
        dosed(Ask("i", "blank", Fill("[MASK]", ("he", "she", "they"))), answer, 0.4).logprobs
    )
    assert np.log(he / she) == pytest.approx(np.log(0.5 / 0.3) + 0.4)
    assert (he + she, they) == pytest.approx((0.8, 0.1))


def test_a_dose_moves_both_sentences_of_a_pair_apart() -> None:
    score = TokenScores(("a", "b"), (-1.0, -2.0), ((0, 1), (2, 3)), (1.0, 1.0))
    for role, total in (("stereotype", -2.8), ("counterpart", -3.2)):
        assert dosed(Ask("i", role, Score("a b")), score, 0.4).total == pytest.approx(total)


def test_hidden_professions_and_persons_of_either_gender() -> None:
    answer = WordScores(("uncle",), (-2.0,), (1,))
    question = Fill("[MASK]", ("uncle",))
    assert dosed(Ask("i", "prior", question), answer, 1.0, "male").logprobs == (-2.0,)
    assert dosed(Ask("i", "beside", question), answer, 1.0, "male").logprobs == (-1.5,)
    assert dosed(Ask("i", "beside", question), answer, 1.0, "female").logprobs == (-2.5,)


def sides(scores: np.ndarray, dose: float = 0.0) -> _Sides:
    """Words with five items each; a dose moves every score up by so much."""
    words = np.repeat(np.arange(len(scores)), 5)
    plain = pd.DataFrame({"word": words.astype(str), "score": scores[words]})
    moved = [plain.assign(score=plain["score"] + way * dose) for way in (1, -1)]
    return _Sides.of(plain, moved, QUANTITY, Rule("lean", lambda row: 1, "word"))


def test_a_dose_is_found_where_it_is_large_beside_the_error() -> None:
    """The standard error is 1/sqrt(80) = 0.11: 0.05 is hardly ever found, 0.6 always."""
    scores = np.random.default_rng(1).normal(size=80)
    assert sides(scores, 0.05).found(40) < 0.4
    assert sides(scores, 0.6).found(40) == 1.0


@pytest.mark.parametrize("kind", ["even", "leaning", "skewed"])
def test_nothing_is_found_without_a_dose_or_with_a_placebo(kind: str) -> None:
    """At 5 % expected, 200 draws give more than 9 % once in a hundred times, whatever the model leans to."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=40) if kind == "even" else rng.normal(0.7, size=40)
    scores = np.exp(2 * scores) if kind == "skewed" else scores
    assert sides(scores).found(200, either=True) <= 0.09
    assert sides(scores, 1.0).found(200, either=True, placebo=True) <= 0.09


def test_a_mirrored_item_answers_as_if_he_and_she_had_changed_places() -> None:
    share = pd.DataFrame({"word": ["a"], "score": [0.8]})
    rule = Rule("lean", lambda row: 1, "word", even=0.5)
    moved = [share.assign(score=score) for score in (0.9, 0.7)]
    scores = _Sides.of(share, moved, QUANTITY, rule).dosed
    assert {way: one.tolist() for way, one in scores.items()} == {
        (1, 1): [0.9],
        (1, -1): [0.7],
        (-1, 1): [pytest.approx(0.3)],
        (-1, -1): [pytest.approx(0.1)],
    }


def test_a_dose_in_the_weights_is_of_labour_statistics() -> None:
    said = stereotyped_sentences()
    assert "The aerospace engineer lost his keys on the train." in said
    assert "After school she wanted to become an administrative assistant." in said
    assert not any("{" in sentence for sentence in said)


def test_the_limit_is_the_smallest_dose_found_in_four_of_five_draws() -> None:
    rows = pd.DataFrame({"dose": [0.1, 0.2, 0.5], "change": [0.01, 0.02, 0.05], "found": [0.3, 0.85, 1.0]})
    limit = _limit(rows.assign(instrument="tbe", estimate="APPD", unit="", draws=20))
    assert (limit["limit_dose"], limit["limit"], limit["rises"]) == (0.2, 0.02, True)
    assert limit["slope"] == pytest.approx(0.1)


@pytest.mark.parametrize(("share", "side"), [("17.4", 1), (92.5, -1), ("", 0), (float("nan"), 0)])
def test_labour_statistics_say_whose_occupation_it_is(share: object, side: int) -> None:
    assert workforce_side({"percent_women": share}) == side


def test_an_instrument_without_controls_is_refused() -> None:
    with pytest.raises(UserError, match="no controls for honest"):
        controls(TableModel({}), ("honest",))


def test_controls_are_a_command_that_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    asked: tuple[Any, ...] = ("study", "controls", "--model", "random", "-i", "traits", "--draws", 5)
    assert run(*asked, "--out", out) == 0
    said = capsys.readouterr().out
    assert "Detection limits" in said
    assert "False alarms" in said
    doses = pd.read_csv(out / "doses.csv")
    assert doses["change"].is_monotonic_increasing
    assert set(pd.read_csv(out / "negative.csv")["control"]) >= {"no dose", "placebo", "random weights"}
    assert run(*asked, "--out", out, "--json") == 0
    told = capsys.readouterr()
    assert told.err.count("finished before") == 4
    assert json.loads(told.out)["limits"][0]["instrument"] == "traits"
