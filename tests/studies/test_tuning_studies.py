"""Studies that tune: learning curve, reminders, corpora, a domain; and professions before and after."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import run
from scipy.stats import linregress, t

from equipoise.corpora.documents import Document, Problems, Where
from equipoise.corpora.opening import CorpusChoice, CorpusTexts
from equipoise.data.reading import TABLES
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.mitigations.counterfactual import Counterfactual
from equipoise.mitigations.dropout import Dropout
from equipoise.models.loading.networks import random_parts, wrap_model
from equipoise.models.options import RunOptions
from equipoise.report.sections import Study, load_study, section_of
from equipoise.stats.means import mean_with_interval
from equipoise.stats.repeats import over_repeats
from equipoise.studies.papers.professions import mentions, professions_study
from equipoise.studies.steps import Keeping, read_study
from equipoise.studies.training import arms as arms_module
from equipoise.studies.training.arms import BASE, Arm, ArmRuns, Shown, Trial, steps_of, training_seconds
from equipoise.studies.training.corpus_bias import CONTROL, FLATTENED, corpus_bias, counted, without_gender
from equipoise.studies.training.domain import TUNED, domain, ways, with_control
from equipoise.studies.training.learning_curve import learning_curve
from equipoise.studies.training.reminding import Reminding, reminders_study, with_copies

QUICK = Counterfactual(batch_tokens=600, learning_rate=1e-3)
PEOPLE = ("The doctor said that he was late.", "She met her brother, who is a nurse.", "The house was cold.")


def corpus_of(count: int = 24, name: str = "made", **groups: str) -> CorpusTexts:
    documents = (
        Document(
            f"{name}-{number}",
            f"{PEOPLE[number % 3]} It was day {number}. Nobody spoke.",
            groups,
            Where(name, number),
        )
        for number in range(count)
    )
    return CorpusTexts(tuple(documents), name, Problems())


@pytest.fixture
def model() -> Any:
    network, words = random_parts()
    return wrap_model(copy.deepcopy(network), words, name="small", options=RunOptions(device="cpu"))


@pytest.fixture
def few(tmp_path: Path) -> Trial:
    """A quick training measured on a few pairs."""
    return Trial(QUICK, (0,), Settings(data=_few(tmp_path)))


def _few(folder: Path) -> Path:
    chosen = folder / "pairs"
    if not chosen.exists():
        chosen.mkdir()
        for name in ("pairs.csv", "neutral-pairs.csv", "occupations.csv"):
            table = pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)
            (table if name == "occupations.csv" else table[::20]).to_csv(chosen / name, index=False)
    return chosen


def test_repeats_have_students_interval() -> None:
    values = [1.0, 2.0, 4.0]
    repeats = over_repeats(values)
    low, high = t.interval(0.95, 2, np.mean(values), np.std(values, ddof=1) / np.sqrt(3))
    assert repeats.interval == pytest.approx((low, high))
    assert repeats.sd == pytest.approx(np.std(values, ddof=1))
    alone = over_repeats([3.0, float("nan")])
    assert (alone.mean, alone.n) == (3.0, 1)
    assert np.isnan(alone.sd)


def test_a_learning_curve_has_every_size_and_the_noise_of_its_repeats(
    model: Any, tmp_path: Path, few: Trial
) -> None:
    said: list[str] = []
    keeping = Keeping(tmp_path / "study", said.append)
    study = learning_curve(model, corpus_of(), (30,), repeats=2, trial=few, keeping=keeping)
    whole = study.table[(study.table["key"] == "asld") & (study.table["by"] == "")].set_index("size")
    assert list(whole.index) == [0, 30]
    assert list(whole["seeds"]) == [1, 2]
    assert whole["seed_sd"].isna().tolist() == [True, False]
    assert whole.loc[30, "change"] == pytest.approx(whole.loc[30, "mean"] - whole.loc[0, "mean"])
    assert set(study.differences["second"]) == {
        f"size-{size}, seed {seed}" for size in (30,) for seed in (0, 1)
    }
    assert said[0].startswith("How much rewritten text is needed: 3 steps, about")
    record = read_study(tmp_path / "study")
    assert record["tables"] == ["learning-curve.csv", "differences.csv"]
    assert len(record["sentences"]) == 2
    said.clear()
    again = learning_curve(model, corpus_of(), (30,), repeats=2, trial=few, keeping=keeping)
    pd.testing.assert_frame_equal(again.table, study.table)
    assert sum("finished before" in sentence for sentence in said) == 3
    with pytest.raises(UserError, match="make no curve"):
        learning_curve(model, corpus_of(), (1,))


def test_a_learning_curve_tells_before_it_measures_that_the_corpus_is_too_small(model: Any) -> None:
    said: list[str] = []
    with pytest.raises(UserError, match="sizes 5000, 9000 would all be the same text"):
        learning_curve(
            model, corpus_of(), (30, 5000, 9000), trial=Trial(QUICK), keeping=Keeping(None, said.append)
        )
    assert not said


def test_a_corpus_too_small_to_split_is_refused_before_anything_is_measured(model: Any) -> None:
    with pytest.raises(UserError, match="too small to hold some of them out"):
        steps_of([Arm(BASE), Arm("tuned", QUICK, corpus_of(3))], (0,), model)

    assert model.engine.rows_run == 0


def test_a_killed_study_goes_on_at_the_unfinished_step(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: Trial
) -> None:
    keeping, trained = Keeping(tmp_path / "study"), []
    original = arms_module.mitigate

    def counting(*given: Any, **named: Any) -> Any:
        trained.append(named["seed"])
        if len(trained) == 2:
            raise KeyboardInterrupt
        return original(*given, **named)

    monkeypatch.setattr(arms_module, "mitigate", counting)
    with pytest.raises(KeyboardInterrupt):
        learning_curve(model, corpus_of(), (10,), repeats=2, trial=few, keeping=keeping)
    learning_curve(model, corpus_of(), (10,), repeats=2, trial=few, keeping=keeping)
    assert trained == [0, 1, 1]
    assert not (tmp_path / "study" / "workshop").exists()


def test_corpora_are_compared_from_one_flattened_model(model: Any, tmp_path: Path, few: Trial) -> None:
    corpora = {"one": corpus_of(name="one"), "two": corpus_of(name="two")}
    study = corpus_bias(model, corpora, corpus_of(), trial=few, keeping=Keeping(tmp_path / "s"))
    whole = study.table[(study.table["key"] == "asld") & (study.table["by"] == "")].set_index("arm")
    assert list(whole.index) == [FLATTENED, BASE, "one", "two", CONTROL]
    assert whole.loc[FLATTENED, "change"] == 0
    assert whole.loc["one", "share_women"] == study.counts.set_index("corpus").loc["one", "share_women"]
    assert (tmp_path / "s" / "steps" / "flattening" / "model" / "config.json").exists()
    assert study.sentences[-1].startswith("Text that names no gender moves it by")
    shown = section_of(load_study(tmp_path / "s"))
    table = shown.tables[0]
    assert list(table.columns) == ["category", FLATTENED, BASE, "one", "two", CONTROL]
    assert [row[0] for row in table.rows] == ["occupation", "benevolent-sexism", "hostile-sexism", "all"]
    assert table.rows[0][2].endswith("; printed 5.18")  # BERTbase in Table 4
    assert table.rows[0][3].startswith(f"{_by_level(study.table, 'one', 'occupation')['mean']:.2f} [")
    assert shown.figures[0].name == "corpus-bias-asld"
    assert {row["model"] for row in shown.figures[0].spec["data"]["values"]} == set(table.columns[1:])
    with pytest.raises(UserError, match="cannot be called base"):
        corpus_bias(model, {"base": corpus_of()}, corpus_of())


def _by_level(table: pd.DataFrame, arm: str, level: str) -> dict[Any, Any]:
    (row,) = table[(table["key"] == "asld") & (table["arm"] == arm) & (table["level"] == level)].to_dict(
        "records"
    )
    return row


def test_the_control_names_nobody_and_counting_counts() -> None:
    corpus = corpus_of(30)
    control = without_gender({"made": corpus})
    text = " ".join(document.text for document in control.documents)
    assert "Nobody spoke." in text
    assert not {"he", "She", "her", "brother"} & set(text.replace(".", " ").split())
    (row,) = counted({"made": corpus}).to_dict("records")
    assert row["documents"] == 30
    assert 0 < row["share_women"] < 1
    gendered = replace(corpus, documents=tuple(one._replace(text="He left.") for one in corpus.documents))
    with pytest.raises(UserError, match="also needs sentences without gender"):
        without_gender({"made": gendered})


def test_reminders_are_compared_by_number_of_copies(
    model: Any, tmp_path: Path, templates: Callable[[], Path]
) -> None:
    trial = Trial(QUICK, (0,), Settings(data=templates()))
    reminding, keeping = Reminding(copies=(1, 3)), Keeping(tmp_path / "study")
    study = reminders_study(model, corpus_of(), reminding=reminding, trial=trial, keeping=keeping)
    words = ("pregnancy", "breastfeeding")
    arms = ["base", "copies-0", *(f"{word}-copies-{copies}" for word in words for copies in (1, 3))]
    whole = study.table[(study.table["key"] == "guard") & (study.table["by"] == "")]
    assert list(whole["arm"]) == arms
    assert whole["mean"].nunique() == len(arms)
    shown = section_of(load_study(tmp_path / "study"))
    assert list(shown.tables[0].columns) == ["word", "base", "copies-0", "copies-1", "copies-3"]
    assert [row[0] for row in shown.tables[0].rows] == list(words)
    assert set(shown.tables[0].rows[1][1:]) == {"-"}  # these templates have no such word
    before = measure(model, "tbe", trial.settings).items
    pregnant = before[(before["profession"] == "pregnant") & (before["variation"] == "original")]
    cell = study.words.set_index(["word", "column"]).loc[("pregnancy", "base")]
    assert cell["mean"] == pytest.approx(pregnant["score"].mean())
    assert (cell["n"], cell["published"]) == (2, -0.41)
    assert shown.figures[0].name == "reminders-words"
    assert "have no word for breastfeeding" in " ".join(study.sentences)
    assert with_copies(QUICK, 2).copies == 2
    assert with_copies(QUICK, 2).learning_rate == QUICK.learning_rate


def test_reminding_sentences_of_ones_own_are_added_together(
    model: Any, tmp_path: Path, templates: Callable[[], Path]
) -> None:
    own = tmp_path / "own.csv"
    own.write_text("category,sentence\npregnant,She is pregnant.\nbeard,He has a beard.\n")
    trial = Trial(QUICK, (0,), Settings(data=templates()))
    reminding = Reminding(str(own), copies=(2,), together=True)
    study = reminders_study(model, corpus_of(), reminding=reminding, trial=trial)
    assert list(dict.fromkeys(study.table["arm"])) == ["base", "copies-0", "copies-2"]
    assert set(study.words["word"]) == {"pregnant", "beard"}
    assert study.words["published"].isna().all()
    with pytest.raises(UserError, match="no category of reminding sentences called 'womb'"):
        reminders_study(model, corpus_of(), reminding=Reminding(str(own), "womb"), trial=trial)


@pytest.fixture
def templates(tmp_path: Path) -> Callable[[], Path]:
    """A few templates with two categories, one of words that are gendered by definition."""

    def write() -> Path:
        folder = tmp_path / "templates"
        folder.mkdir()
        rows = [
            f"{verb},work,occupation,subject,[MASK] {verb} a <profession>."
            for verb in ("is", "was", "met", "saw", "became")
        ]
        rows += [f"{verb}-g,body,guard,subject,[MASK] {verb} <profession>." for verb in ("is", "was")]
        (folder / "templates.csv").write_text("\n".join(["id,category,kind,form,template", *rows]))
        words = ("nurse", "cook", "baker", "farmer", "engineer")
        lines = [f"{word},work,occupation," for word in words] + ["pregnant,body,guard,female"]
        (folder / "professions.csv").write_text("\n".join(["profession,category,kind,gender", *lines]))
        return folder

    return write


def test_a_domain_is_measured_on_held_out_documents_only(model: Any, tmp_path: Path) -> None:
    texts = (
        "The strong leader said that he would help his family",
        "She was a clever doctor and her career was long",
    )
    documents = tuple(
        Document(
            f"d{number}",
            f"{texts[number % 2]} on day {number}.",
            {"paper": "ab"[number % 4 // 2]},
            Where("x", number),
        )
        for number in range(60)
    )
    corpus = CorpusTexts(documents, "made", Problems())
    study = domain(
        model, corpus, method=QUICK, seeds=(0,), asked=CorpusChoice(sample=0), keeping=Keeping(tmp_path / "s")
    )
    assert study.sentences[0] == "54 documents to train and validate, 6 to measure."
    whole = study.table[
        (study.table["instrument"] == "contexts")
        & (study.table["key"] == "p-male")
        & (study.table["by"] == "")
    ]
    assert list(whole["arm"]) == ["base", "fine-tuned", "dropout", "counterfactual"]
    assert {"category", "paper", "category x paper"} <= set(study.table["by"])
    with pytest.raises(UserError, match="has 9 documents, too few to split"):
        domain(model, replace(corpus, documents=documents[:9]))


def test_differences_of_differences_are_beyond_plain_tuning() -> None:
    rows = [("base", 0.5, 0.0), (TUNED, 0.4, -0.1), ("dropout", 0.25, -0.25)]
    key = {"instrument": "contexts", "key": "difference", "by": "", "level": ""}
    table = pd.DataFrame([{"arm": arm, "mean": mean, "change": change, **key} for arm, mean, change in rows])
    beyond = with_control(table)["beyond_tuning"]
    assert beyond.isna().tolist() == [True, True, False]
    assert beyond.iloc[2] == pytest.approx(-0.15)
    arms = ways(QUICK)
    assert isinstance(arms["dropout"], Dropout)
    assert arms["dropout"].learning_rate == QUICK.learning_rate
    assert arms[TUNED].mode == "unchanged"  # type: ignore[attr-defined]


def test_professions_have_bars_marks_and_a_line(
    model: Any, tmp_path: Path, templates: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = templates()
    before = measure(model, "tbe", Settings(data=folder))
    network, words = random_parts(2)
    after = measure(wrap_model(network, words, name="other"), "tbe", Settings(data=folder))
    study = professions_study(before, after, corpus_of())
    table = study.table.set_index("profession")
    assert table["seen"].to_dict() == {
        **dict.fromkeys(("cook", "baker", "farmer", "engineer", "pregnant"), False),
        "nurse": True,
    }
    items = before.items[(before.items["profession"] == "cook") & (before.items["variation"] == "original")]
    assert table.loc["cook", "before"] == pytest.approx(items["score"].mean())
    work = table[table["part"] == "occupation"]
    line = study.lines.set_index("group").loc["all professions"]
    assert line["slope"] == pytest.approx(linregress(work["before"], work["after"]).slope)
    assert line["low"] < line["slope"] < line["high"]
    cook = mean_with_interval(items["score"].to_numpy(), [items["template"]])
    assert tuple(table.loc["cook", ["before_low", "before_high"]]) == pytest.approx((cook.low, cook.high))
    assert line["r"] == pytest.approx(np.corrcoef(work["before"], work["after"])[0, 1])
    assert line["r_squared"] == pytest.approx(linregress(work["before"], work["after"]).rvalue ** 2)
    assert f"R² = {line['r_squared']:.2f}" in " ".join(study.sentences)
    level = replace(after, items=after.items.assign(score=0.0))
    said = " ".join(professions_study(before, level).sentences)
    assert "r = too few to tell" in said
    assert "nan" not in said
    before.save(tmp_path / "before")
    after.save(tmp_path / "after")
    out = tmp_path / "out"
    assert run("study", "professions", tmp_path / "before", tmp_path / "after", "--out", out, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert len(shown["table"]) == 6
    assert {path.name for path in out.iterdir()} >= {
        "professions.csv",
        "professions-leans.png",
        "professions-work.svg",
        "professions-gender-related-words.svg",
    }
    scatter, work_bars, word_bars = section_of(load_study(out)).figures
    assert "R² " in scatter.title
    assert work_bars.title.startswith("Work: ")
    assert work_bars.title.endswith(" nearer to neutral than before (bars: 95 % intervals)")
    assert [row["profession"] for row in word_bars.spec["data"]["values"]] == ["pregnant", "pregnant"]
    assert (
        section_of(Study("professions", "", (), {"professions": study.table}))
        .figures[1]
        .title.endswith("diamond: the training text names it)")
    )
    assert run("study", "professions", tmp_path / "before", tmp_path / "after") == 0
    assert "Mean |APPD| by category" in capsys.readouterr().out
    assert run("study", "professions", tmp_path / "before", tmp_path) == 2


def test_a_sentence_without_a_profession_is_no_profession(model: Any, templates: Callable[[], Path]) -> None:
    """An empty name was found 101,820 times in a text, had a bar and moved the fitted lines."""
    file = templates() / "templates.csv"
    header, *rows = file.read_text().splitlines()
    alone = "alone,family,,subject,The parent said that [MASK] was tired.,female"
    file.write_text("\n".join([f"{header},gender", *(f"{row}," for row in rows), alone]))
    network, words = random_parts(2)
    changed = wrap_model(network, words, name="other")
    before, after = (measure(one, "tbe", Settings(data=file.parent)) for one in (model, changed))
    assert "" in set(before.items["profession"])
    study = professions_study(before, after, corpus_of())
    assert "" not in set(study.table["profession"])
    assert study.table["profession"].tolist()[-1] == "family"  # a guard without a slot is about its category
    assert len(study.table) == 7


def test_names_that_differ_in_capitals_only_are_counted_alike() -> None:
    assert mentions(["Chef", "chef", ""], ["The chef met a Chef."]) == {"Chef": 2, "chef": 2, "": 0}
    assert mentions([""], ["A text."]) == {"": 0}


def test_mentions_are_counted_longest_first() -> None:
    texts = ["The fish farmer met two farmers.", "A cook, a Cook and cookery."]
    assert mentions(["farmer", "fish farmer", "cook"], texts) == {"farmer": 1, "fish farmer": 1, "cook": 2}


def test_studies_are_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(document.text for document in corpus_of(12).documents))
    out = tmp_path / "study"
    given = [
        "study",
        "learning-curve",
        "--model",
        "random",
        "--corpus",
        texts,
        "--sizes",
        "10",
        "--repeats",
        "1",
        "--pairs",
        "2",
    ]
    assert run(*given, "--set", "batch-tokens=600", "--device", "cpu", "--out", out) == 0
    told = capsys.readouterr()
    assert "1. Measure the model as it is" in told.err
    assert "As it was: ASLD" in told.out
    assert "sd over" not in told.out  # one sample has no spread
    for name in ("learning-curve-asld.png", "learning-curve-asld.csv"):
        assert (out / name).exists()
    assert pd.read_csv(out / "learning-curve-asld.csv").columns.tolist() == ["category", "0", "10"]
    assert "hostile-sexism" in told.out
    assert run("study", "learning-curve", "--corpus", "nowhere.txt", "--out", tmp_path / "x") == 2
    assert "There is no corpus 'nowhere.txt'" in capsys.readouterr().err
    assert run(*given, "--sizes", "many", "--out", tmp_path / "x") == 2
    assert not (tmp_path / "x").exists()


def test_tables_4_and_5_are_commands(
    tmp_path: Path, templates: Callable[[], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("\n".join(document.text for document in corpus_of(12).documents))
    quick = ("--model", "random", "--seeds", "0", "--set", "batch-tokens=600", "--device", "cpu")
    out = tmp_path / "table-4"
    chosen = ("--flatten-on", texts, "--data", _few(tmp_path), "--pairs", 2, "--out", out)
    assert run("study", "corpus-bias", f"mine={texts}", *chosen, *quick) == 0
    assert "benevolent-sexism" in capsys.readouterr().out
    table = pd.read_csv(out / "corpus-bias-asld.csv")
    assert table.columns.tolist() == ["category", "flattened", "base", "mine", "no-gender-control"]
    assert (out / "corpus-bias-asld.png").exists()
    out = tmp_path / "table-5"
    chosen = ("--corpus", texts, "--data", templates(), "--copies", "1", "--words", "pregnancy", "--out", out)
    assert run("study", "reminders", *chosen, *quick) == 0
    assert "APPD of each word by copies" in " ".join(capsys.readouterr().out.split())
    table = pd.read_csv(out / "reminders-words.csv")
    assert table.columns.tolist() == ["word", "base", "copies-0", "copies-1"]
    assert table["word"].tolist() == ["pregnancy"]
    assert "printed -0.41" in table["base"][0]
    assert (out / "reminders-words.png").exists()


def test_arms_without_a_mitigation_keep_the_interval_over_items(model: Any) -> None:
    from equipoise.measuring import audit

    results = audit(model, ("traits",))
    runs = ArmRuns({BASE: {0: results}})
    key = str(results[0].headlines()["key"].iloc[0])
    (row,) = runs.table([Shown("traits", key)]).to_dict("records")
    expected = results[0].estimate(key)
    assert (row["mean"], row["low"], row["interval_over"]) == (expected["value"], expected["low"], "items")
    assert Arm(BASE).mitigation is None


def test_a_guess_at_the_time_grows_with_epochs_and_the_sentences_that_are_drawn(model: Any) -> None:
    texts = [Document(str(number), "She left. " * 90, {}, Where("some", number)) for number in range(10)]
    corpus = CorpusTexts(tuple(texts), "some", Problems())
    whole, twice, few = (
        training_seconds(Arm("one", way, corpus), model)
        for way in (Counterfactual(), Counterfactual(epochs=2), Counterfactual(sentences=4))
    )
    assert twice == pytest.approx(2 * whole)
    assert few == pytest.approx(whole * 4 * 35 / (10 * 900 / 4.5))
