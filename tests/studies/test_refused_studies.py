"""Studies refuse what cannot be done before they measure, keep to their folder, and count ties as ties."""

import copy
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny

from equipoise import measure
from equipoise.cli.study_models import method_cells, show_gain
from equipoise.cli.writing import show_arms
from equipoise.corpora.documents import Document, Problems, Where
from equipoise.corpora.opening import CorpusTexts
from equipoise.errors import UserError
from equipoise.mitigating import mitigate
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.dropout import Dropout
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.wrappers.averaging import AveragedModel
from equipoise.studies.changes.before_after import MeasuredBy, before_after
from equipoise.studies.changes.gain import gain_table, verdict_sentences
from equipoise.studies.changes.mitigations import Methods, compare_mitigations, doable, planned
from equipoise.studies.changes.pareto import method_row
from equipoise.studies.changes.price import Price
from equipoise.studies.steps import Keeping, Plan, Step
from equipoise.studies.training.arms import BASE, Arm, steps_of
from equipoise.studies.training.corpus_bias import corpus_bias
from equipoise.studies.training.resolving import HeldOutPronouns, pronoun_items, resolution_study


def loaded(family: str = "bert") -> Any:
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    options = RunOptions(cache=False, device="cpu")
    return wrap_model(copy.deepcopy(tiny.network(family)), words, name="tiny", options=options)


def corpus_of(text: str, count: int = 30) -> CorpusTexts:
    documents = (
        Document(f"d{one}", f"{text} It was day {one}.", {}, Where("x", one)) for one in range(count)
    )
    return CorpusTexts(tuple(documents), "made", Problems())


THINGS, PEOPLE = corpus_of("The house was cold."), corpus_of("The doctor said that he was late.")


def test_a_corpus_without_a_gendered_word_is_refused_before_the_model_is_measured() -> None:
    model = loaded()
    with pytest.raises(UserError, match="holds a gendered word"):
        steps_of([Arm(BASE), Arm("tuned", Counterfactual(), THINGS)], (0,), model)
    with pytest.raises(UserError, match="holds a gendered word"):
        corpus_bias(model, {"people": corpus_of("He left. It rained.")}, THINGS)
    with pytest.raises(UserError, match="held out has a gendered pronoun"):
        resolution_study(model, THINGS)
    with pytest.raises(UserError, match=r"head-refit cannot be tried\. No short sentence"):
        compare_mitigations(model, Methods(("head-refit",), THINGS))
    assert model.engine.rows_run == 0


def test_a_model_that_cannot_be_tuned_is_refused_before_it_is_measured() -> None:
    model = loaded("gpt2")
    with pytest.raises(UserError, match="is a causal model"):
        steps_of([Arm(BASE), Arm("tuned", Dropout(), PEOPLE)], (0,), model)
    with pytest.raises(UserError, match=r"dropout cannot be tried\..*is a causal model") as error:
        compare_mitigations(model, Methods(("dropout",), PEOPLE))
    assert error.value.hint.endswith("Or name other methods, or all: then what cannot be done is left out.")
    assert model.engine.rows_run == 0


def test_all_methods_are_those_that_model_and_corpus_allow() -> None:
    chosen, left_out = doable(Methods(("all",)), loaded())
    assert "leace" in chosen.names
    assert any(one.startswith("oscar is left out: The vocabulary has 1 pairs") for one in left_out)
    assert not {"counterfactual", "neutralise-equalise", "pretraining"} & set(chosen.names)
    assert any(one.startswith("dropout is left out: dropout trains on text") for one in left_out)
    with_text, _ = doable(Methods(("all",), PEOPLE), loaded())
    assert {"counterfactual", "dropout", "reminders"} <= set(with_text.names)


def test_the_guess_at_a_training_grows_with_its_text() -> None:
    quick = planned(Methods(("dropout",), PEOPLE, (0,), 6), loaded())
    long = planned(Methods(("dropout",), corpus_of("He left. " * 400_000), (0,), 6), loaded())
    assert [len(fitting) for fitting, _ in (quick, long)] == [1, 0]


def test_force_leaves_nothing_of_another_study_and_spares_what_no_study_wrote(tmp_path: Path) -> None:
    plan = Plan("first", "First", {"model": "a"}, [Step("one", "Do it")])
    begun = Keeping(tmp_path / "study").begin(plan)
    begun.table("one", lambda: pd.DataFrame({"x": [1]}))
    model = tmp_path / "study" / "models" / "head-refit"
    model.mkdir(parents=True)
    Keeping(tmp_path / "study", force=True).begin(Plan("first", "First", {"model": "b"}, plan.steps))
    assert not model.exists()
    assert not (tmp_path / "study" / "steps").exists()
    own = tmp_path / "mine" / "steps" / "notes.txt"
    own.parent.mkdir(parents=True)
    own.write_text("mine")
    with pytest.raises(UserError, match="steps was written by no study"):
        Keeping(tmp_path / "mine", force=True).begin(plan)
    assert own.read_text() == "mine"
    assert not (tmp_path / "mine" / "study.json").exists()


def test_the_name_of_a_corpus_stays_in_the_studys_folder() -> None:
    with pytest.raises(UserError, match=r"'\.\./x' cannot be the name of a corpus"):
        corpus_bias(loaded(), {"../x": PEOPLE}, PEOPLE)


class _Compared:
    def __init__(self, **row: Any) -> None:
        self.table = pd.DataFrame([{"instrument": "i", "quantity": "q", "label": "l", "n": 9, **row}])


class _Measured:
    instrument = "i"

    def __init__(self, neutral: float = 0.0) -> None:
        self.quantities = [type("Q", (), {"key": "q", "ranks": True, "neutral": neutral})()]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.3, 0.1, -0.25, -0.15), (2 / 3, 0.5, 5 / 6)),
        ((0.3, -0.1, -0.42, -0.38), (2 / 3, 0.6, 1 - 0.08 / 0.3)),
        ((0.3, 0.0, -0.31, -0.29), (1.0, 1 - 0.01 / 0.3, 1.0)),
        ((-0.2, -0.3, -0.15, -0.05), (-0.5, -0.75, -0.25)),
    ],
)
def test_the_interval_of_a_share_removed_holds_the_share(
    values: tuple[float, ...], expected: tuple[float, ...]
) -> None:
    first, second, low, high = values
    row = {"first_value": first, "second_value": second, "low": low, "high": high, "change": "better"}
    (gained,) = gain_table(_Compared(**row), [_Measured()]).to_dict("records")  # type: ignore[arg-type, list-item]
    assert (gained["removed"], gained["low"], gained["high"]) == pytest.approx(expected)
    assert gained["low"] - 1e-12 <= gained["removed"] <= gained["high"] + 1e-12


def test_a_price_that_nobody_knows_is_not_nothing() -> None:
    gain = pd.DataFrame(
        [{"instrument": "i", "label": "l", "removed": 0.5, "low": 0.4, "high": 0.6, "change": ""}]
    )
    price = pd.DataFrame(
        [{"quantity": "guard", "label": "guard", "loss": np.nan, "low": np.nan, "high": np.nan}]
    )
    assert np.isnan(method_row("some", gain, price)["price"])
    assert method_row("some", gain, price.assign(loss=-0.2))["price"] == 0.0


def test_a_symmetric_model_has_half_of_the_hidden_pronouns_right() -> None:
    documents = [Document("a", "The nurse said that she left.", {}, Where("x", 1))]
    items = pronoun_items(documents)
    tied = measure(AveragedModel(loaded()), HeldOutPronouns(), data=items)
    assert tied.items["score"].tolist() == [0.5]
    assert json.dumps(tied.value("right")) == "0.5"


def test_words_name_no_loss_where_nothing_was_lost_and_no_zero_where_something_is() -> None:
    row = {"instrument": "i", "label": "lean", "before": 0.00047, "after": 0.00023, "removed": 0.5, "n": 9}
    gain = pd.DataFrame([row | {"low": 0.4, "high": 0.6, "change": "better"}])
    kept = {"label": "guard", "quantity": "guard", "before": 0.4, "after": 0.5, "low": -0.3, "high": -0.2}
    price = pd.DataFrame([kept | {"loss": -0.25, "change": "better"}])
    headline, fell, whole = verdict_sentences(gain, price, None)
    assert headline == "Bias fell in 1 of 1 number, and the model kept what it should know."
    assert fell == "I, lean fell from 4.7e-04 to 2.3e-04, certain: 50 % of the bias went (40 % to 60 %)."
    assert whole == "The model lost less than 2 % of what it should know."
    broken = verdict_sentences(gain, price.assign(loss=0.25, change="worse"), None)
    assert broken[0].startswith("The changed model is broken: it lost what it should know. Bias fell in 1 of")
    assert broken[2] == "It lost: guard 0.400 to 0.500 (25 % lost)."
    leanings = pd.DataFrame({"part": "occupation", "before": [0.1, 0.2, 0.4], "after": [0.1, 0.1, 0.2]})
    said = verdict_sentences(gain, price.assign(loss=np.nan), leanings)[-1]
    assert "definitional words keep an unknown share of their lean" in said


def test_a_table_of_a_study_fits_a_narrow_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"instrument": "stereotype-skew", "label": "preference for the stereotype, type 2", "n": 160}
    row |= {"before": 4.7e-4, "after": 4.7e-4, "removed": 0.0054, "low": -0.0264, "high": 0.0361}
    gain = pd.DataFrame([row | {"seed_sd": np.nan, "change": "unknown"}])
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    show_gain(gain)
    narrow = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(map(len, narrow.splitlines())) <= 80
    assert "stereotype," in narrow
    assert " sd " not in narrow
    show_gain(gain.assign(seed_sd=0.1))
    assert "sd" in capsys.readouterr().out


def test_a_method_is_shown_with_intervals_and_the_noise_of_its_seeds() -> None:
    row = {"method": "dropout", "removed": 0.5, "removed_low": 0.4, "removed_high": 0.6, "removed_sd": 0.015}
    row |= {"price": np.nan, "price_low": np.nan, "price_high": np.nan, "price_sd": np.nan, "seeds": 3}
    shown = method_cells(row | {"dearest": "", "minutes": 1.25, "front": True})
    assert shown == ("dropout", "50 % (40 to 60), sd over 3 seeds 1.5", "unknown", "", "1.2", "yes")


def test_one_training_is_said_to_be_one(tmp_path: Path) -> None:
    model = loaded()
    changed = mitigate(model, Counterfactual(mode="invert"), corpus=PEOPLE)
    changed.save(tmp_path / "tuned")
    (tmp_path / "texts.txt").write_text("\n".join(one.text for one in PEOPLE.documents))
    choice = MeasuredBy(("traits",), price=Price(tmp_path / "texts.txt", most_pronouns=24))
    tuned = before_after(model, load_model(tmp_path / "tuned", model.options), choice)
    assert tuned.sentences[-1].startswith("This is one training: how far another seed would lie")
    assert not any(
        "one training" in one for one in before_after(model, AveragedModel(model), choice).sentences
    )


def test_arms_are_shown_number_by_number_on_a_narrow_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"label": "P(male | male) - P(female | female)", "unit": "probability", "by": "", "level": ""}
    row |= {
        "instrument": "contexts",
        "mean": -0.9166,
        "low": -0.9346,
        "high": -0.8986,
        "change": -0.0016,
        "seeds": 2,
        "key": "difference",
    }
    rows = [row | {"arm": "counterfactual", "seed_sd": 2.6e-5, "beyond_tuning": -3e-4}]
    rows.append(rows[0] | {"label": "skew", "by": "type", "level": "2", "beyond_tuning": np.nan})
    rows.append(rows[0] | {"label": "of a category", "by": "category", "level": "medical"})
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    show_arms(pd.DataFrame(rows))
    shown = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)
    assert max(map(len, shown.splitlines())) <= 80
    assert "P(male | male) - P(female | female) (probability, 2 seeds)" in shown
    assert "skew, type 2 (probability, 2 seeds)" in shown
    assert "medical" not in shown
