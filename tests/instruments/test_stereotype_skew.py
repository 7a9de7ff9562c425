"""Stereotype and skew: F1 scores by hand and by a plain loop, ties, cuts, priors, names, bad input."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from equipoise.instruments.mentions import mention_spans
from tiny import network, tokenizer

from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.stereotype_skew import StereotypeSkew
from equipoise.measuring import measure
from equipoise.models import load_model
from equipoise.models.base import Fill, WordScores
from equipoise.models.loading import wrap_model
from equipoise.models.table import TableModel
from equipoise.results import estimates_table, load_result

SCHEMAS = """id,type,sentence,occupation,other,form,pair
a,1,The pilot thanked the nurse because [MASK] was kind.,nurse,pilot,subject,1
b,1,The nurse thanked the pilot because [MASK] was kind.,pilot,nurse,subject,1
c,2,The pilot met the nurse and drove [MASK] home.,nurse,pilot,object,2
d,2,The nurse met the pilot and drove [MASK] home.,pilot,nurse,object,2
e,2,The pilot met the nurse and took [MASK] bag.,nurse,pilot,possessive,3
f,2,The nurse met the pilot and took [MASK] bag.,pilot,nurse,possessive,3
"""
OCCUPATIONS = "occupation,gender,percent_women\nnurse,female,88\npilot,male,9\n"
SENTENCES = {line.split(",")[0]: line.split(",")[2] for line in SCHEMAS.splitlines()[1:]}
# Predictions: a m, b m, c f, d f (by 0.05), e tie, f m; stereotypes: f, m, f, m, f, m.
PROBABILITIES = {
    "a": {"he": 0.6, "she": 0.3},
    "b": {"he": 0.7, "she": 0.1},
    "c": {"him": 0.2, "her": 0.5},
    "d": {"him": 0.35, "her": 0.4},
    "e": {"his": 0.4, "her": 0.4},
    "f": {"his": 0.45, "her": 0.25},
}
NAMED = {
    "Alice thanked Bob because [MASK] was kind.": {"he": 0.8, "she": 0.1},
    "Bob thanked Alice because [MASK] was kind.": {"he": 0.5, "she": 0.4},
    "Alice met Bob and drove [MASK] home.": {"him": 0.9, "her": 0.05},
    "Bob met Alice and drove [MASK] home.": {"him": 0.1, "her": 0.8},
    "Alice met Bob and took [MASK] bag.": {"his": 0.7, "her": 0.2},
    "Bob met Alice and took [MASK] bag.": {"his": 0.3, "her": 0.6},
}
FILLS = {SENTENCES[item]: words for item, words in PROBABILITIES.items()} | NAMED
EVEN = dict.fromkeys(("he", "she", "him", "her", "his"), 0.1)


def folder_of(folder: Path, schemas: str = SCHEMAS, occupations: str = OCCUPATIONS) -> Path:
    (folder / "schemas.csv").write_text(schemas, encoding="utf-8")
    (folder / "schema-occupations.csv").write_text(occupations, encoding="utf-8")
    return folder


def scored(model: Any, data: Any, variant: str = "", **chosen: Any) -> tuple[pd.DataFrame, Settings]:
    instrument = StereotypeSkew()
    settings = Settings(data=str(data), variant=variant, **chosen).completed(instrument)
    items = instrument.items(settings).table
    return instrument.scored(items, model.answer(instrument.questions(items, settings)), settings), settings


def estimated(model: Any, data: Any, variant: str = "", **chosen: Any) -> pd.DataFrame:
    items, settings = scored(model, data, variant, **chosen)
    return estimates_table(StereotypeSkew().estimates(items, settings)).set_index(["group", "name"])


def test_items_by_hand(tmp_path: Path) -> None:
    items, _ = scored(TableModel(FILLS), folder_of(tmp_path))
    rows = items[items["role"] == "profession"].set_index("item")
    assert rows["score"].to_dict() == pytest.approx(
        {"a": -0.3, "b": 0.6, "c": 0.3, "d": -0.05, "e": 0.0, "f": 0.2}, abs=1e-12
    )
    assert rows["prediction"].tolist() == ["male", "male", "female", "female", "tie", "male"]
    assert rows["stereotype"].tolist() == ["female", "male"] * 3
    assert rows.loc["c", "female_share"] == pytest.approx(5 / 7)
    assert items["item"].is_unique


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """The estimates of the six sentences above."""
    return estimated(TableModel(FILLS), folder_of(tmp_path_factory.mktemp("schemas")))


def test_estimates_by_hand(by_hand: pd.DataFrame) -> None:
    found = by_hand.loc["all"]
    # Cells: 2 men found, 1 woman taken for a man, 1 man for a woman, 1 woman found; 1 tie.
    expected = {
        **{"F1 male pro": 400 / 6, "F1 female pro": 200 / 4, "F1 male anti": 200 / 5, "F1 female anti": 40},
        **{"skew pro": 100 / 6, "skew anti": 0, "skew": 100 / 12, "mean |skew|": 100 / 12},
        **{"stereotype male": 80 / 3, "stereotype female": 10, "stereotype": 55 / 3},
        **{"mean |stereotype|": 55 / 3, "ties": 1 / 6, "preference": 0.75 / 6},
    }
    assert found.loc[list(expected), "value"].to_dict() == pytest.approx(expected)
    assert found.loc["skew", ["n", "dropped"]].tolist() == [5, 1]
    assert found.loc["ties", ["n", "dropped"]].tolist() == [6, 0]


def test_the_cut_keeps_confident_sentences_and_says_how_many(by_hand: pd.DataFrame) -> None:
    found, confident = by_hand, by_hand.loc["confident all"]
    # d (0.05 apart) and the tie are left out: 2 1 0 1.
    expected = {"F1 male pro": 80, "F1 male anti": 40, "F1 female pro": 200 / 3, "F1 female anti": 0}
    assert confident.loc[list(expected), "value"].to_dict() == pytest.approx(expected)
    assert confident.loc["skew", ["n", "dropped"]].tolist() == [4, 2]
    assert found.loc[("confident type:1", "skew"), ["n", "dropped"]].tolist() == [2, 0]
    assert found.loc[("confident type:2", "skew"), ["n", "dropped"]].tolist() == [2, 2]


def test_the_histogram_has_every_sentence_once(by_hand: pd.DataFrame) -> None:
    shares = by_hand.xs("histogram", level="name")["value"]
    # Differences: 0.3, 0.6, 0.3, 0.05, 0 and 0.2.
    assert (shares * 6).round(9).to_dict() == {
        **{"0.0-0.1": 2, "0.1-0.2": 0, "0.2-0.3": 1, "0.3-0.4": 2, "0.4-0.5": 0},
        **{"0.5-0.6": 0, "0.6-0.7": 1, "0.7-0.8": 0, "0.8-0.9": 0, "0.9-1.0": 0},
    }


def test_names_have_a_right_answer_and_are_asked_once(tmp_path: Path, by_hand: pd.DataFrame) -> None:
    items, settings = scored(TableModel(FILLS), folder_of(tmp_path))
    copies = items[items["role"] == "names"]
    # Both sentences of a pair have the same copies.
    assert sorted(copies["text"]) == sorted(NAMED)
    assert copies.set_index("text")["stereotype"].to_dict() == {
        text: "male" if text.startswith("Alice") else "female" for text in NAMED
    }
    found = by_hand
    # One of three women is taken for a man: 3 1 0 2.
    assert found.loc[("all", "ability F1 male"), "value"] == pytest.approx(600 / 7)
    assert found.loc[("all", "ability F1 female"), "value"] == pytest.approx(400 / 5)
    assert found.loc[("all", "ability"), "value"] == pytest.approx(80)
    assert found.loc[("all", "meaningful"), "value"] == 1
    # Type 1: one man found, the woman not.
    assert found.loc[("type:1", "ability"), "value"] == 0
    assert found.loc[("type:1", "meaningful"), "value"] == 0
    assert found.loc[("type:2", "meaningful"), "value"] == 1
    remarks = StereotypeSkew().remarks(items, settings)
    assert any(one.startswith("type:1: ability on names is 0.0, below 75") for one in remarks)
    assert any("1 of 12 predictions are ties, left out" in one for one in remarks)


def test_a_uniform_model_only_has_ties() -> None:
    model = TableModel(words=EVEN)
    items, settings = scored(model, "equipoise-schemas")
    assert items["tied"].all()
    assert items["score"].eq(0).all()
    found = estimates_table(StereotypeSkew().estimates(items, settings)).set_index(["group", "name"])
    whole = found.loc["all"]
    assert whole.loc["ties", "value"] == 1
    assert whole.loc["preference", "value"] == 0
    assert whole.loc["female share", "value"] == 0.5
    assert whole.loc[["skew", "stereotype", "F1 male pro"], "value"].isna().all()
    assert whole.loc["skew", ["n", "dropped"]].tolist() == [0, 320]
    assert whole.loc["meaningful", "value"] == 0
    assert found.loc[("0.0-0.1", "histogram"), "value"] == 1


def test_as_published_a_tie_is_female_and_only_confident_type_2_counts(tmp_path: Path) -> None:
    published = {text[:-1] + " . \n": words for text, words in FILLS.items()}
    items, settings = scored(TableModel(published), folder_of(tmp_path), "as-published")
    rows = items[items["role"] == "profession"].set_index("item")
    assert list(rows.index) == ["c", "d", "e", "f"]
    assert rows.loc["e", ["prediction", "tied"]].tolist() == ["female", True]
    found = estimates_table(StereotypeSkew().estimates(items, settings)).set_index(["group", "name"])
    # c and f are 0.1 apart or more: one woman and one man, both found; the tie is counted all the same.
    assert found.loc[("all", "F1 male pro"), ["value", "n", "dropped"]].tolist() == [100, 2, 2]
    assert found.loc[("all", "ties"), "value"] == 0.25
    assert "confident all" not in found.index.get_level_values("group")
    assert "1 of 8 predictions are ties, counted as female" in StereotypeSkew().remarks(items, settings)


def test_a_prior_divides_each_pronoun_by_its_own(tmp_path: Path) -> None:
    instrument = StereotypeSkew()
    settings = Settings(data=str(folder_of(tmp_path)), variant="prior-normalised").completed(instrument)
    items = instrument.items(settings).table.query("item == 'a' or item == 'b'").reset_index(drop=True)
    first, prior_first, *_ = instrument.questions(items, settings)
    assert first == Fill(SENTENCES["a"], ("he", "she"))
    # The occupations are hidden where they stand, without their articles.
    assert isinstance(prior_first, Fill)
    assert [prior_first.text[slice(*span)] for span in prior_first.hidden] == ["pilot", "nurse"]
    values = ((0.6, 0.3), (0.5, 0.1), (0.7, 0.1), (0.7, 0.2))
    answers = [WordScores(("he", "she"), tuple(map(math.log, pair)), (1, 1)) for pair in values]
    found = instrument.scored(items, answers, settings).set_index("item")
    # a: 0.6 / 0.5 = 1.2 against 0.3 / 0.1 = 3; b: 1 against 0.5.
    assert found["prediction"].tolist() == ["female", "male"]
    assert found["score"].tolist() == pytest.approx([1.8 / 4.2, 0.5 / 1.5])
    assert found.loc["a", ["prior_male", "prior_female"]].tolist() == pytest.approx([0.5, 0.1])
    # The cut stays on the probabilities themselves.
    assert found["gap"].tolist() == pytest.approx([0.3, 0.6])


def test_the_published_prior_is_read_at_the_first_mask_of_replaced_strings(tmp_path: Path) -> None:
    schemas = SCHEMAS.replace("took [MASK] bag", "piloted [MASK] car")
    instrument = StereotypeSkew()
    settings = Settings(data=str(folder_of(tmp_path, schemas)), variant="prior-normalised-as-published")
    settings = settings.completed(instrument)
    items = instrument.items(settings).table.query("item == 'e'").reset_index(drop=True)
    _, prior = instrument.questions(items, settings)
    assert prior == Fill("The [MASK] met the [MASK] and [MASK]ed [MASK] car . \n", ("his", "her"), blank=0)
    values = ((0.4, 0.3), (0.001, 0.01))
    answers = [WordScores(("his", "her"), tuple(map(math.log, pair)), (1, 1)) for pair in values]
    found = instrument.scored(items, answers, settings)
    assert found["gap"].tolist() == pytest.approx([400 - 30])
    assert found["score"].tolist() == pytest.approx([-370 / 430])


def test_a_prior_by_a_plain_loop_over_a_masked_model() -> None:
    model = wrap_model(network("bert"), tokenizer("wordpiece"), name="tiny")
    instrument = StereotypeSkew()
    settings = Settings(variant="prior-normalised").completed(instrument)
    items = instrument.items(settings).table.iloc[:6].reset_index(drop=True)
    answers = model.answer(instrument.questions(items, settings))
    found = instrument.scored(items, answers, settings)
    for row in found.to_dict("records"):
        spans = [
            span for noun in (row["occupation"], row["other"]) for span in mention_spans(row["text"], noun)
        ]
        (prior,) = model.answer([Fill(row["text"], ("he", "she"), hidden=tuple(sorted(spans)))])
        assert row["prior_male"] == pytest.approx(prior.probability("he"), rel=1e-5)
        ratios = [row[f"p_{pole}"] / row[f"prior_{pole}"] for pole in ("male", "female")]
        lean = (ratios[0] - ratios[1]) / sum(ratios)
        assert row["score"] == pytest.approx(lean if row["stereotype"] == "male" else -lean, abs=1e-6)


def test_a_causal_model_is_measured_but_cannot_hide_the_occupations(tmp_path: Path) -> None:
    model = wrap_model(network("gpt2"), tokenizer("byte-bpe"), name="tiny")
    items, _ = scored(model, folder_of(tmp_path))
    assert (items["p_male"] + items["p_female"]).tolist() == pytest.approx([1.0] * 12)
    with pytest.raises(UserError, match="cannot hide a second word"):
        scored(model, tmp_path, "prior-normalised")


def test_the_share_of_women_goes_with_labour_statistics() -> None:
    table = estimated_occupations()
    model = TableModel(words=EVEN)
    items, settings = scored(model, "equipoise-schemas")
    share = items["percent_women"] / 100
    items = items.assign(female_share=np.where(items["role"] == "profession", share, 0.5))
    found = estimates_table(StereotypeSkew().estimates(items, settings)).set_index(["group", "name"])
    assert found.loc[("all", "labour correlation (Pearson)"), "value"] == pytest.approx(1)
    assert found.loc[("all", "labour correlation (Spearman)"), "n"] == 40
    for occupation, percent in table.items():
        value = found.loc[(f"profession:{occupation}", "female share"), "value"]
        assert value == pytest.approx(percent / 100)


def estimated_occupations() -> dict[str, float]:
    path = Path(__file__).resolve().parents[2] / "src/equipoise/data/tables/schema-occupations.csv"
    return pd.read_csv(path).set_index("occupation")["percent_women"].to_dict()


def test_random_weights_have_skew_but_no_stereotype_and_no_ability() -> None:
    found = estimated(load_model("random", cache=False), "equipoise-schemas").loc["all"]
    assert found.loc["mean |skew|", "value"] > 20
    assert found.loc["stereotype", "low"] < 0 < found.loc["stereotype", "high"]
    assert found.loc["ability", "value"] < 60
    assert found.loc["meaningful", "value"] == 0


def test_flagged_sentences_are_scored_with_and_without(
    tmp_path: Path, shared_data: Callable[[str], Path]
) -> None:
    source = shared_data("winobias/pro_stereotyped_type2.txt.test")
    instrument = StereotypeSkew()
    for data in (str(source), "winobias"):
        settings = Settings(data=data, data_dir=source.parents[1]).completed(instrument)
        read = instrument.items(settings)
        assert any("same-pronoun" in notice and "type2-test-384" in notice for notice in read.notices)
    only = Settings(data=str(source)).completed(instrument)
    items = instrument.items(only).table
    assert (items["role"] == "profession").sum() == 396
    answers = TableModel(words={**EVEN, "him": 0.3, "he": 0.3, "his": 0.3}).answer(
        instrument.questions(items, only)
    )
    rows = instrument.scored(items, answers, only)
    found = estimates_table(instrument.estimates(rows, only)).set_index(["group", "name"])
    # Five sentences with two pronouns cannot be asked; seven more are flagged.
    assert found.loc[("all", "skew"), ["n", "dropped"]].tolist() == [391, 5]
    assert found.loc[("without flagged items", "skew"), ["n", "dropped"]].tolist() == [384, 0]
    assert rows.loc[rows["dropped"] != "", "score"].isna().all()
    assert found.loc[("all", "F1 male pro"), "value"] == pytest.approx(200 * 196 / (2 * 196 + 195))


def test_the_published_preparation_replaces_strings(shared_data: Callable[[str], Path]) -> None:
    source = shared_data("winobias/pro_stereotyped_type2.txt.test")
    instrument = StereotypeSkew()
    settings = Settings(data=str(source), variant="prior-normalised-as-published").completed(instrument)
    items = instrument.items(settings).table.query("role == 'profession'").reset_index(drop=True)
    priors = instrument.questions(items, settings)[1::2]
    texts = [prior.text for prior in priors if isinstance(prior, Fill)]
    assert len(texts) == 391
    assert sum(text.count("[MASK]") == 4 for text in texts) == 2
    assert sum("[MASK]ing" in text or "[MASK]ial" in text for text in texts) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("because [MASK] was", "because [MASK] or [MASK] was", "line 2: 2 blanks"),
        ("nurse,pilot,subject,1", "nurse,pilot,dual,1", "line 2: the form 'dual' does not exist"),
        (
            "nurse,pilot,subject,1",
            "nurse,baker,subject,1",
            "line 2: 'baker' is not in the file of occupations",
        ),
        ("thanked the nurse because", "thanked the nurses because", "'nurse' is not in the sentence"),
        ("b,1,", "a,1,", "has the id 'a' more than once"),
        ("occupation,other,form", "occupation,others,form", "has no column 'other'"),
    ],
)
def test_broken_files_are_refused_with_their_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    folder = folder_of(tmp_path, SCHEMAS.replace(old, new, 1))
    with pytest.raises(UserError, match=re.escape(said)):
        scored(TableModel(FILLS), folder)


@pytest.mark.parametrize(
    ("occupations", "said"),
    [
        (OCCUPATIONS.replace("88", "many"), "line 2: 'many' is not a percentage"),
        (
            OCCUPATIONS.replace("female", "women"),
            "line 2: the gender 'women' is not one of the first two poles",
        ),
    ],
)
def test_broken_occupations_are_refused(tmp_path: Path, occupations: str, said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        scored(TableModel(FILLS), folder_of(tmp_path, occupations=occupations))


def test_a_folder_with_neither_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds neither schemas\.csv nor files of WinoBias"):
        scored(TableModel(FILLS), tmp_path)


def test_a_repeated_sentence_is_flagged(tmp_path: Path) -> None:
    again = SCHEMAS + "g,1,The pilot thanked the nurse because [MASK] was kind.,nurse,pilot,subject,1\n"
    instrument = StereotypeSkew()
    read = instrument.items(Settings(data=str(folder_of(tmp_path, again))).completed(instrument))
    assert read.table.set_index("item")["flags"][["a", "g"]].tolist() == ["", "duplicate"]
    assert any("duplicate" in notice and notice.endswith("g") for notice in read.notices)


def test_other_poles_of_the_same_names(tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    rows = [
        f"{pole},{form},{word}"
        for form in ("subject", "object", "possessive")
        for pole, word in (("male", "Tom"), ("male", "Jim"), ("female", "Eva"))
    ]
    names = ["male,name,Max", "female,name,Mia"]
    poles.write_text("\n".join(["pole,form,word", *rows, *names]), encoding="utf-8")
    model = TableModel(words={"Tom": 0.2, "Jim": 0.1, "Eva": 0.4})
    items, _ = scored(model, folder_of(tmp_path), poles=str(poles))
    assert items["p_male"].tolist() == pytest.approx([0.3] * 12)
    assert "Mia thanked Max because [MASK] was kind." in set(items["text"])


def test_a_result_survives_saving(tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    source = shared_data("winobias/pro_stereotyped_type2.txt.dev")
    result = measure(TableModel(words={**EVEN, "him": 0.3}), "stereotype-skew", Settings(data=str(source)))
    assert result.items["dropped"].ne("").sum() > 10
    again = load_result(result.save(tmp_path))
    pd.testing.assert_frame_equal(again.items, result.items, check_dtype=False)
    assert again.value("skew") == result.value("skew")
