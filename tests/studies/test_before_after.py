"""Before and after: slopes and shares worked out by hand, and whole studies of small models."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.stats
import tiny

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import WordScores
from equipoise.models.wrappers.averaging import AveragedModel
from equipoise.stats.correlation import slope_of
from equipoise.studies.changes.before_after import MeasuredBy, before_after
from equipoise.studies.changes.gain import verdict_sentences
from equipoise.studies.changes.mitigations import Methods, compare_mitigations, planned
from equipoise.studies.changes.pareto import front_sentences, method_row, over_trainings, with_front
from equipoise.studies.changes.price import Price, divergence, divergence_of
from equipoise.studies.steps import read_study

TEMPLATES = """id,category,kind,form,template
a,care,occupation,subject,[MASK] is a <profession>.
b,care,occupation,possessive,The <profession> lost [MASK] keys.
c,care,occupation,subject,The <profession> said that [MASK] left.
e,care,occupation,subject,The <profession> left when [MASK] walked home.
f,care,occupation,possessive,The old <profession> opened [MASK] door.
d,body,state,subject,[MASK] was <profession>.
"""
PROFESSIONS = """profession,category,kind,gender
nurse,care,occupation,
doctor,care,occupation,
teacher,care,occupation,
pilot,care,occupation,
librarian,care,occupation,
gardener,care,occupation,
pregnant,body,state,female
"""
SENTENCES = """Nobody knew why the windows were open in winter.
The old carpenter lost his keys.
She and he walked home after the long concert.
They sold the roses.
The last three roses were sold today.
A careful accountant checks every number twice.
"""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> MeasuredBy:
    folder = tmp_path_factory.mktemp("data")
    for name, text in (
        ("templates.csv", TEMPLATES),
        ("professions.csv", PROFESSIONS),
        ("texts.txt", SENTENCES),
    ):
        (folder / name).write_text(text)
    settings = {"tbe": Settings(data=str(folder))}
    return MeasuredBy(("tbe",), settings, Price(folder / "texts.txt", most_pronouns=24))


def loaded(seed: int = 7) -> Any:
    words = tiny.tokenizer("wordpiece")
    return wrap_model(tiny.network("bert", seed), words, name=f"bert-{seed}", options=RunOptions(cache=False))


def test_a_slope_has_the_interval_of_its_residuals() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    y = 0.3 * x + 0.1 + rng.normal(scale=0.05, size=30)
    slope = slope_of([*x, np.nan], [*y, 1.0])
    design = np.column_stack([x, np.ones(30)])
    solved, residual, *_ = np.linalg.lstsq(design, y, rcond=None)
    error = np.sqrt(residual[0] / 28 * np.linalg.inv(design.T @ design)[0, 0])
    reach = scipy.stats.t.ppf(0.975, 28) * error
    assert slope[:4] == pytest.approx((solved[0], solved[0] - reach, solved[0] + reach, solved[1]))
    assert slope_of([1, 2, 3, 4, 5], [2, 2, 2, 2, 2]) == (0.0, 0.0, 0.0, 2.0, 5)
    assert np.isnan(slope_of([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]).value)


def test_the_divergence_counts_the_rest_as_one() -> None:
    own = WordScores(("a", "b"), tuple(np.log([0.5, 0.3])), (1, 1))
    other = WordScores(("a", "b"), tuple(np.log([0.4, 0.2])), (1, 1))
    expected = 0.5 * np.log(0.5 / 0.4) + 0.3 * np.log(0.3 / 0.2) + 0.2 * np.log(0.2 / 0.4)
    assert divergence_of(own, other) == pytest.approx(expected)
    model = loaded()
    blanks = ["The old [MASK] lost the keys.", "A careful [MASK] checks every number."]
    assert divergence(model, model, blanks).value == pytest.approx(0.0, abs=1e-9)
    assert divergence(model, loaded(8), blanks).value > 0.01


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, quick: MeasuredBy) -> Any:
    folder = tmp_path_factory.mktemp("study") / "out"
    model = loaded()
    return folder, before_after(model, AveragedModel(model), quick, folder=folder)


def test_averaging_removes_all_of_a_small_models_lean(study: Any) -> None:
    _, made = study
    (row,) = made.gain.to_dict("records")
    assert row["label"] == "mean |PPD| of a sentence"
    assert row["before"] > 0.0
    assert row["after"] == 0.0
    assert row["removed"] == pytest.approx(1.0)
    assert row["low"] <= 1.0 <= row["high"]
    assert set(made.price["quantity"]) == {
        "guard", "likelihood-other", "likelihood-gendered", "recovery", "pronouns", "divergence",
        "probe", "poles-age", "poles-religion",
    }  # fmt: skip
    assert made.leanings is not None
    occupations = made.leanings[made.leanings["part"] == "occupation"]
    assert occupations["after"].abs().max() == 0.0
    assert occupations["before"].abs().max() > 0.0


def test_a_probe_reads_what_averaging_only_hides(study: Any) -> None:
    """Averaging leaves the states as they are, so that the probe reads them as before; so do other poles."""
    rows = study[1].price.set_index("quantity")
    assert rows.loc["probe", "after"] == rows.loc["probe", "before"]
    assert rows.loc["probe", "n"] == 113
    # The small vocabulary cannot spell words of these poles: that is said, not hidden.
    assert rows.loc["poles-religion", "n"] == 0
    assert any("poles of religion could not be asked" in sentence for sentence in study[1].sentences)
    assert any(sentence.startswith("A probe still reads stereotypes") for sentence in study[1].sentences)


def test_a_study_is_written_and_goes_on(study: Any, quick: MeasuredBy) -> None:
    folder, made = study
    record = read_study(folder)
    assert record["name"] == "before-after"
    assert record["sentences"] == list(made.sentences)
    assert {path.name for path in folder.glob("*.csv")} == set(made.tables())
    said: list[str] = []
    model = loaded()
    again = before_after(model, AveragedModel(model), quick, folder=folder, say=said.append)
    assert sum("finished before" in sentence for sentence in said) == 3
    pd.testing.assert_frame_equal(again.gain, made.gain)
    with pytest.raises(UserError, match="holds another study"):
        before_after(loaded(8), AveragedModel(model), quick, folder=folder)


def test_a_model_is_not_its_own_successor(quick: MeasuredBy) -> None:
    with pytest.raises(UserError, match="are the same model"):
        before_after(loaded(), loaded(), quick)


def rows(**columns: Any) -> pd.DataFrame:
    named = {"instrument": "tbe", "quantity": "guard", "label": "guard", "n": 50}
    return pd.DataFrame([named | columns])


def leanings(share: float) -> pd.DataFrame:
    before = np.linspace(-0.5, 0.5, 11)
    return pd.DataFrame({"part": "occupation", "before": before, "after": share * before})


def test_words_tell_flattening_from_removal() -> None:
    gain = rows(quantity="appd", before=0.34, after=0.08, removed=0.76, low=0.7, high=0.82, change="better")
    kept = rows(before=0.5, after=0.49, loss=0.02, low=-0.01, high=0.05, change="same")
    gone = rows(before=0.5, after=0.2, loss=0.6, low=0.5, high=0.7, change="worse")
    said = verdict_sentences(gain, kept, leanings(0.2))
    assert said[0] == "Bias fell in 1 of 1 number, and the model kept what it should know."
    moved = "Pronoun gap by occupation fell from 34 points towards men to 8 points towards men, certain"
    assert said[1] == f"{moved}: 76 % of the bias went (70 % to 82 %)."
    assert said[2].startswith("The model lost less than 2 % of what it should know.")
    assert said[3].startswith("Pronouns were not merely flattened: definitional words keep 98 %")
    said = verdict_sentences(gain, gone, leanings(0.2))
    assert said[0].startswith("The changed model is broken: it lost what it should know.")
    assert said[2] == "It lost: guard 0.500 to 0.200 (60 % lost)."
    assert said[3].startswith(
        "Pronouns were merely flattened, in part at least: definitional words keep 40 %"
    )
    unsure = rows(before=0.5, after=0.2, loss=0.6, low=-0.1, high=1.3, change="unknown")
    said = verdict_sentences(gain, unsure, leanings(0.2))
    assert said[0].endswith(", but too few items tell whether the model kept what it should know.")
    assert said[2].startswith(
        "There are too few items to say whether the model kept what it should know: guard 0.500 to"
    )
    assert "not enough data to say" in said[3]


def test_a_guard_that_was_hardly_there_tells_nothing_of_flattening() -> None:
    gain = rows(label="APPD", before=0.01, after=0.01, removed=0.01, low=0.0, high=0.02, change="same")
    blind = rows(before=0.002, after=0.002, loss=np.nan, low=np.nan, high=np.nan, change="same")
    said = verdict_sentences(gain, blind, leanings(0.9))
    assert said[0] == "No change in bias was found in 1 number, and the model kept what it should know."
    assert said[3].startswith(
        "There is not enough data to say whether pronouns were merely flattened: definitional words keep"
    )


def method(name: str, removed: float, price: float) -> dict[str, object]:
    change = "better" if removed > 0.1 else "unknown"
    gain = rows(removed=removed, low=removed - 0.1, high=removed + 0.1, change=change)
    return method_row(name, gain, rows(loss=price, low=price - 0.01, high=price + 0.01))


def test_the_front_is_what_nothing_beats() -> None:
    made = [method("a", 0.9, 0.05), method("b", 0.5, 0.01), method("c", 0.4, 0.06), method("d", 0.5, 0.02)]
    table = with_front(pd.DataFrame(made))
    assert table["front"].tolist() == [True, True, False, False]
    assert table["dominated_by"].tolist() == ["", "", "a", "b"]
    said = front_sentences(table)
    assert said[0].startswith("b removes 50 % and costs 1 % (guard)")
    assert said[2] == "c is dominated by a (40 % removed for 6 % here)."
    nothing = with_front(pd.DataFrame([*made, method("e", 0.05, 0.0)]))
    assert nothing["dominated_by"].iloc[-1] == "no change at all"
    assert front_sentences(nothing)[2] == (
        "e does not surely remove any bias (5 % removed, 95 % interval -5 % to 15 %; it costs 0 %)."
    )


def test_what_surely_fell_is_named_where_the_average_is_not_sure() -> None:
    fell = rows(label="APPD", removed=0.6, low=0.5, high=0.7, change="better")
    unsure = rows(instrument="skew", label="skew", removed=-0.4, low=-1.4, high=0.6, change="unknown")
    price = rows(loss=0.03, low=0.02, high=0.04)
    made = method_row("half", pd.concat([fell, unsure], ignore_index=True), price)
    table = with_front(pd.DataFrame([made, method("whole", 0.9, 0.05)]))
    assert table["front"].tolist() == [False, True]
    assert table["dominated_by"].tolist() == ["", ""]
    assert front_sentences(table)[1] == (
        "half surely lowers tbe, APPD; that bias falls on average over the instruments is not sure "
        "(10 % removed, 95 % interval -40 % to 60 %; it costs 3 %)."
    )
    rose = unsure.assign(change="worse")
    worse = with_front(pd.DataFrame([method_row("half", pd.concat([fell, rose], ignore_index=True), price)]))
    assert front_sentences(worse)[0].endswith("costs 3 %); bias surely rose or changed sides in skew, skew.")


def test_what_does_not_fit_the_budget_is_left_out() -> None:
    fitting, left_out = planned(Methods(minutes=15), loaded())
    assert [run.step for run in fitting] == ["counterfactual-averaging", "head-refit"]
    assert left_out[0].startswith("self-distillation is left out: about 12 min would go beyond the budget")
    with pytest.raises(UserError, match="No method fits 1 minutes"):
        compare_mitigations(loaded(), Methods(minutes=1))
    with pytest.raises(UserError, match="averging") as unknown:
        Methods(names=("averging",))
    assert "Known: all, counterfactual" in unknown.value.hint
    with pytest.raises(UserError, match="all, leace were named"):
        Methods(names=("all", "leace"))


def test_repeats_with_other_seeds_come_last_and_as_far_as_the_budget_reaches() -> None:
    names = ("counterfactual-averaging", "head-refit")
    fitting, left_out = planned(Methods(names, minutes=30), loaded())
    assert [run.step for run in fitting] == [*names, "head-refit-1", "head-refit-2"]
    assert [run.seed for run in fitting] == [0, 0, 1, 2]
    assert left_out == ()
    fitting, left_out = planned(Methods(names, minutes=15), loaded())
    assert [run.step for run in fitting] == list(names)
    assert left_out[0].startswith("head-refit: one seed only, so that the noise of the tuning is not known")
    assert planned(Methods(names, minutes=15, seeds=(4,)), loaded())[1] == ()


def test_a_change_made_with_several_seeds_has_their_noise_beside_the_mean(quick: MeasuredBy) -> None:
    model = loaded()
    others = [loaded(seed) for seed in (8, 9, 10)]
    made = before_after(model, others, quick)
    single = [before_after(model, other, quick) for other in others]
    for name, share in (("gain", "removed"), ("price", "loss")):
        table = getattr(made, name).set_index("quantity")
        each = pd.concat([getattr(one, name) for one in single]).groupby("quantity")
        for key in ("mean-size", "guard", "recovery"):
            if key in table.index:
                values = each.get_group(key)[share]
                assert table.loc[key, share] == pytest.approx(values.mean(), nan_ok=True)
                assert table.loc[key, "seed_sd"] == pytest.approx(values.std(ddof=1), nan_ok=True)
                assert table.loc[key, "seeds"] == 3
        assert getattr(single[0], name)["seeds"].tolist() == [1] * len(getattr(single[0], name))
    row = made.gain.iloc[0]
    reach = scipy.stats.t.ppf(0.975, 2) * row["seed_sd"] / np.sqrt(3)
    assert (row["seeds_low"], row["seeds_high"]) == pytest.approx(
        (row["removed"] - reach, row["removed"] + reach)
    )
    assert row["low"] == pytest.approx(np.mean([one.gain["low"].iloc[0] for one in single]))
    assert any("over 3 trainings" in sentence for sentence in made.sentences)
    moved = made.price[made.price["quantity"] == "divergence"]["after"].iloc[0]
    expected = [one.price[one.price["quantity"] == "divergence"]["after"].iloc[0] for one in single]
    assert moved == pytest.approx(np.mean(expected))
    with pytest.raises(UserError, match="are the same model"):
        before_after(model, [others[0], loaded(8)], quick)


def test_the_noise_of_seeds_widens_a_methods_interval() -> None:
    gains = [
        rows(removed=share, low=share - 0.1, high=share + 0.1, change="better") for share in (0.7, 0.8, 0.9)
    ]
    price = rows(loss=0.02, low=0.01, high=0.03)
    middle = rows(removed=0.8, low=0.7, high=0.9, change="better")
    made = over_trainings("a", [(gain, price) for gain in gains], (middle, price))
    noise = scipy.stats.t.ppf(0.975, 2) * 0.1 / np.sqrt(3)
    assert made["removed_sd"] == pytest.approx(0.1)
    assert made["removed_low"] == pytest.approx(0.8 - np.hypot(0.1, noise))
    assert made["price_high"] == pytest.approx(0.03)
    assert over_trainings("a", [(middle, price)], (middle, price))["removed_low"] == pytest.approx(0.7)


def test_mitigations_side_by_side(tmp_path: Path, quick: MeasuredBy) -> None:
    model = loaded()
    names = ("counterfactual-averaging", "prior-normalisation")
    said: list[str] = []
    made = compare_mitigations(model, Methods(names, choice=quick), folder=tmp_path / "out", say=said.append)
    assert said[0].startswith("Mitigations of bert-7: 3 steps")
    assert made.table["method"].tolist() == list(names)
    assert made.table["removed"].iloc[0] == pytest.approx(1.0)
    # Whether these surely remove anything hangs on the drawn weights; what does not is never on the front.
    assert not (made.table["front"] & made.table["removed_low"].le(0)).any()
    assert json.loads((tmp_path / "out" / "study.json").read_text())["tables"] == list(made.tables())
    numbers = made.side_by_side()
    assert numbers.columns.tolist() == ["number", "before", *names]
    first = made.details[names[1]].gain.iloc[0]
    assert (
        numbers[names[1]].iloc[0].startswith(f"{first['after']:.3f} ({100 * first['removed']:.0f} % removed")
    )
    assert (tmp_path / "out" / "models" / "counterfactual-averaging" / "equipoise-wrapper.json").exists()
    card = (tmp_path / "out" / "models" / "counterfactual-averaging" / "README.md").read_text()
    assert made.details["counterfactual-averaging"].sentences[0] in card
    assert "Not measured yet" not in card
