"""Controls: doses by hand, limits that follow from the spread of the items, and few false alarms."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run

from equipoise.errors import UserError
from equipoise.instruments.base import Ask, Settings
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.questions import Fill, Score, TokenScores, WordScores
from equipoise.models.table import TableModel
from equipoise.results import Quantity
from equipoise.results.comparison.differences import value_of
from equipoise.studies.proof.controls import SAMPLE, _headline, _limit, _Sides, controls, in_unit
from equipoise.studies.proof.doses import RULES, Rule, ask_model, dosed
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


@pytest.mark.parametrize("name", RULES)
def test_every_estimate_rises_with_the_dose(name: str) -> None:
    """The dose of `completions` once added nothing, because the roles of its questions had new names."""
    asked = ask_model(load_model("random"), name, Settings(), SAMPLE)
    low, none, high = (value_of(asked.items(dose), asked.quantity).value for dose in (-0.5, 0.0, 0.5))
    assert low < none - 1e-6
    assert high > none + 1e-6


def test_what_is_asked_gives_the_estimate_of_the_whole_instrument() -> None:
    """Named persons and sentences of type 1 are left out; the number stays the same."""
    model = load_model("random")
    asked, whole = ask_model(model, "stereotype-skew", Settings()), measure(model, "stereotype-skew")
    assert value_of(asked.items(), asked.quantity) == pytest.approx(value_of(whole.items, asked.quantity))
    assert 0 < len(asked.asks) < len(whole.items) / 3


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


def test_the_first_sentence_names_tests_that_are_blind_or_cry_wolf() -> None:
    limits = pd.DataFrame({"instrument": ["sbe", "tbe"], "limit": [0.5, float("nan")]})
    rows = {"instrument": ["sbe", "tbe", "tbe"], "found": [0.09, 0.06, 1.0], "draws": [1000, 1000, 1]}
    said = _headline(limits, pd.DataFrame(rows))
    assert said == (
        "1 of 2 tests find a lean that was put in; tbe found none of the doses often enough. "
        "Too many false alarms: sbe, in more than 7% of draws."
    )
    quiet = _headline(limits.iloc[:1], pd.DataFrame(rows).iloc[1:])
    assert quiet == (
        "1 of 1 tests find a lean that was put in. No test raises false alarms in more than 7% of draws."
    )


def test_a_lean_is_said_in_points_or_in_nats() -> None:
    assert in_unit(0.127, "probability difference") == "13 points"
    assert in_unit(0.5, "nats") == "0.50 nats (1.6 times as likely)"


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
    assert "False alarms with placebo" in said
    assert run("report", out, "--out", tmp_path / "page.html") == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index("1 of 1 tests find a lean that was put in") < page.index("traits finds a lean of")
    assert "Share of draws in which a lean was found" in page
    capsys.readouterr()
    doses = pd.read_csv(out / "doses.csv")
    assert doses["change"].is_monotonic_increasing
    assert set(pd.read_csv(out / "negative.csv")["control"]) >= {"no dose", "placebo", "random weights"}
    assert run(*asked, "--out", out, "--json") == 0
    told = capsys.readouterr()
    assert told.err.count("finished before") == 4
    assert json.loads(told.out)["limits"][0]["instrument"] == "traits"
