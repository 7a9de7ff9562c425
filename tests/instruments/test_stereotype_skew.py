"""Stereotype and skew: F1 scores by hand and by a plain loop, types apart, ties, cuts, priors, names."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from designs import answered, designed
from tiny import network, tokenizer

from equipoise.data.reading import TABLES
from equipoise.data.sets.schemas import mention_spans
from equipoise.errors import UserError
from equipoise.instruments.stereotype_skew import StereotypeSkew
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.questions import Fill, WordScores
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.results.comparison.differences import value_of

NAME = "stereotype-skew"
SCHEMAS = """id,type,sentence,profession,other,form,pair
a,1,The pilot thanked the nurse because [MASK] was kind.,nurse,pilot,subject,1
b,1,The nurse thanked the pilot because [MASK] was kind.,pilot,nurse,subject,1
c,2,The pilot met the nurse and drove [MASK] home.,nurse,pilot,object,2
d,2,The nurse met the pilot and drove [MASK] home.,pilot,nurse,object,2
e,2,The pilot met the nurse and took [MASK] bag.,nurse,pilot,possessive,3
f,2,The nurse met the pilot and took [MASK] bag.,pilot,nurse,possessive,3
"""
ONE_TYPE = SCHEMAS.replace(",1,The", ",2,The")
PROFESSIONS = "profession,gender,percent_women\nnurse,female,88\npilot,male,9\n"
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
SEXES = ("female", "male")


def folder_of(folder: Path, schemas: str = SCHEMAS) -> Path:
    (folder / "schemas.csv").write_text(schemas, encoding="utf-8")
    (folder / "schema-professions.csv").write_text(PROFESSIONS, encoding="utf-8")
    return folder


def measured(folder: Path, model: Any = None, **chosen: str) -> Result:
    return measure(model or TableModel(FILLS), NAME, data=str(folder), **chosen)


def values(result: Result, keys: Any, **groups: str) -> dict[str, float]:
    return {key: result.value(key, **groups) for key in keys}


def counts(result: Result, key: str, **groups: str) -> list[int]:
    return [int(count) for count in result.estimate(key, **groups)[["n", "dropped"]]]


def four_f1(male_pro: float, male_anti: float, female_pro: float, female_anti: float) -> dict[str, float]:
    return {
        **{"f1-first-pro": male_pro, "f1-first-anti": male_anti},
        **{"f1-second-pro": female_pro, "f1-second-anti": female_anti},
    }


@pytest.fixture(scope="module")
def by_type(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The six sentences above: two of type 1, four of type 2."""
    return measured(folder_of(tmp_path_factory.mktemp("schemas")))


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The six sentences as if they were all of one type."""
    return measured(folder_of(tmp_path_factory.mktemp("schemas"), ONE_TYPE))


def test_items_by_hand(by_type: Result) -> None:
    rows = by_type.items.query("part == 'occupations'").set_index("item")
    assert rows["score"].to_dict() == pytest.approx(
        {"a": -0.3, "b": 0.6, "c": 0.3, "d": -0.05, "e": 0.0, "f": 0.2}, abs=1e-12
    )
    assert rows["prediction"].tolist() == ["male", "male", "female", "female", "tie", "male"]
    assert rows["stereotype"].tolist() == ["female", "male"] * 3
    assert rows["right"].tolist() == [0, 1, 1, 0, 0.5, 1]
    assert rows["second_share"].tolist() == pytest.approx([3 / 9, 1 / 8, 5 / 7, 8 / 15, 1 / 2, 5 / 14])
    assert set(by_type.items["part"]) == {"occupations", "names"}
    assert by_type.items["item"].is_unique


def test_estimates_by_hand(by_hand: Result) -> None:
    # Cells: 2 men found, 1 woman taken for a man, 1 man for a woman, 1 woman found; 1 tie.
    expected = {
        **four_f1(400 / 6, 200 / 5, 200 / 4, 40),
        **{"skew-pro": 100 / 6, "skew-anti": 0, "skew": 100 / 12, "mean-abs-skew": 100 / 12},
        **{"stereotype-first": 80 / 3, "stereotype-second": 10, "stereotype": 55 / 3},
        **{"mean-abs-stereotype": 55 / 3, "ties": 1 / 6, "preference": 0.75 / 6},
    }
    assert values(by_hand, expected) == pytest.approx(expected)
    assert counts(by_hand, "skew") == [5, 1]
    assert counts(by_hand, "ties") == [6, 0]
    assert by_hand.estimate("f1-first-pro")["label"] == "F1 male pro"
    assert by_hand.estimate("f1-second-anti")["label"] == "F1 female anti"
    assert by_hand.estimate("preference")["unit"] == "probability difference"


def test_the_two_types_are_never_mixed(by_type: Result) -> None:
    estimates = by_type.estimates
    assert estimates["by"].map(lambda by: "type" in by.split(" x ")).all()
    # Type 1: the man is found, the woman is taken for one.
    first = four_f1(200 / 3, 200 / 3, 0, 0) | {"skew": 200 / 3, "stereotype": 0, "preference": 0.15}
    assert values(by_type, first, type="1") == pytest.approx(first)
    # Type 2: one of each found, one man taken for a woman, one tie.
    second = four_f1(200 / 3, 0, 200 / 3, 50) | {"skew": -25, "stereotype": 125 / 3}
    second |= {"mean-abs-skew": 25, "mean-abs-stereotype": 125 / 3, "ties": 0.25, "preference": 0.1125}
    assert values(by_type, second, type="2") == pytest.approx(second)
    assert counts(by_type, "skew", type="2") == [3, 1]
    # Nurse: 3/9 in type 1; 5/7 and 1/2 in type 2.
    assert by_type.value("second-share", type="1", profession="nurse") == pytest.approx(1 / 3)
    assert by_type.value("second-share", type="2", profession="nurse") == pytest.approx((5 / 7 + 1 / 2) / 2)


def test_the_cut_keeps_confident_sentences_and_says_how_many(by_hand: Result, by_type: Result) -> None:
    # d (0.05 apart) and the tie are left out: 2 1 0 1.
    expected = four_f1(80, 40, 200 / 3, 0)
    assert values(by_hand, expected, items="confident") == pytest.approx(expected)
    assert counts(by_hand, "skew", items="confident") == [4, 2]
    assert counts(by_type, "skew", items="confident", type="1") == [2, 0]
    assert counts(by_type, "skew", items="confident", type="2") == [2, 2]


def test_the_histogram_has_every_sentence_once(by_hand: Result, by_type: Result) -> None:
    shares = by_hand.estimates.query("key == 'histogram'").set_index("level")["value"]
    # Differences: 0.3, 0.6, 0.3, 0.05, 0 and 0.2.
    assert (shares * 6).round(9).to_dict() == {
        **{"0.0-0.1": 2, "0.1-0.2": 0, "0.2-0.3": 1, "0.3-0.4": 2, "0.4-0.5": 0},
        **{"0.5-0.6": 0, "0.6-0.7": 1, "0.7-0.8": 0, "0.8-0.9": 0, "0.9-1.0": 0},
    }
    assert by_type.value("histogram", type="1", difference="0.3-0.4") == 0.5
    assert by_type.value("histogram", type="2", difference="0.3-0.4") == 0.25


def test_names_have_a_right_answer_and_are_asked_once(by_hand: Result, by_type: Result) -> None:
    copies = by_type.items.query("part == 'names'")
    # Both sentences of a pair have the same copies.
    assert sorted(copies["text"]) == sorted(NAMED)
    assert copies.set_index("text")["stereotype"].to_dict() == {
        text: "male" if text.startswith("Alice") else "female" for text in NAMED
    }
    # One of three women is taken for a man: 3 1 0 2.
    expected = {"ability-f1-first": 600 / 7, "ability-f1-second": 400 / 5, "ability": 80}
    assert values(by_hand, expected) == pytest.approx(expected)
    # Type 1: the man found, the woman not. Type 2: all four.
    assert by_type.value("ability", type="1") == 0
    assert by_type.value("ability", type="2") == 100


def test_too_little_ability_is_a_remark_and_no_headline(by_hand: Result, by_type: Result) -> None:
    assert by_type.notices == [
        "type 1: ability on names is 0.0, below 75: skew and stereotype are not meaningful",
        "1 of 12 predictions are ties, left out of the F1 scores",
    ]
    headlines = by_type.headlines()
    assert set(zip(headlines["key"], headlines["level"], strict=True)) == {
        *(("skew", "2"), ("stereotype", "2"), ("ability", "2"))
    }
    void = by_type.estimates.set_index(["key", "level"])["void"]
    assert void["skew", "1"] == void["stereotype", "1"] == "ability on names is 0.0, below 75"
    assert void["skew", "2"] == void["ability", "1"] == ""
    # So is what is made of them, which a gate could ask for; the F1 scores are what they are.
    assert void["mean-abs-skew", "1"] == void["stereotype-first", "1"] == void["skew", "1"]
    assert void["f1-first-pro", "1"] == void["mean-abs-skew", "2"] == ""
    assert set(by_hand.headlines()["key"]) == {"skew", "stereotype", "ability"}
    assert set(by_hand.headlines()["by"]) == {""}
    assert not any("ability" in notice for notice in by_hand.notices)
    # Whether a number means anything is said, and is not a number itself.
    assert not by_type.estimates["key"].str.contains("meaningful").any()


def test_models_are_compared_by_each_type_alone(by_type: Result, by_hand: Result) -> None:
    compared = {quantity.key: quantity for quantity in by_type.quantities}
    expected = {
        "preference-type-2": 0.1125,
        "second-share-type-2": (5 / 7 + 8 / 15 + 1 / 2 + 5 / 14) / 4,
        "right-on-names-type-2": 1.0,
        "preference-type-1": 0.15,
        "second-share-type-1": (3 / 9 + 1 / 8) / 2,
        "right-on-names-type-1": 0.5,
    }
    for key in [key for key in compared if key.startswith("mean-abs")]:
        name, _, kind = key.partition("-type-")
        quantity = compared.pop(key)
        assert value_of(by_type.items, quantity).value == pytest.approx(by_type.value(name, type=kind))
    assert list(compared) == list(expected)
    for key, value in expected.items():
        assert value_of(by_type.items, compared[key]).value == pytest.approx(value)
    assert [key for key, quantity in compared.items() if quantity.ranks] == ["preference-type-2"]
    assert {key for key, quantity in compared.items() if quantity.part == "ability"} == {
        *("right-on-names-type-1", "right-on-names-type-2")
    }
    # Of a single type no type is named, and a quantity is the estimate of its key.
    assert [quantity.key for quantity in by_hand.quantities] == [
        *("preference", "second-share", "mean-abs-stereotype", "mean-abs-skew", "right-on-names")
    ]
    for quantity in by_hand.quantities[:4]:
        shown = by_hand.estimate(quantity.key)
        assert value_of(by_hand.items, quantity).value == pytest.approx(shown["value"])
        assert quantity.unit == shown["unit"]


def test_a_uniform_model_only_has_ties() -> None:
    result = measure(TableModel(words=EVEN), NAME)
    assert result.items["tied"].all()
    assert result.items["score"].eq(0).all()
    assert result.items["right"].eq(0.5).all()
    for kind in ("1", "2"):
        assert result.value("ties", type=kind) == 1
        assert result.value("preference", type=kind) == 0
        assert result.value("second-share", type=kind) == 0.5
        assert all(math.isnan(result.value(key, type=kind)) for key in ("skew", "stereotype", "ability"))
        assert counts(result, "skew", type=kind) == [0, 160]
        assert result.value("histogram", type=kind, difference="0.0-0.1") == 1
        assert (
            f"type {kind}: ability on names is unknown, for want of a prediction: skew and stereotype are "
            "not meaningful" in result.notices
        )
    assert set(result.headlines()["key"]) == {"ability"}


def test_as_published_a_tie_is_female_and_only_confident_sentences_count(tmp_path: Path) -> None:
    published = {text[:-1] + " . \n": words for text, words in FILLS.items()}
    result = measured(folder_of(tmp_path), TableModel(published), variant="as-published")
    rows = result.items.query("part == 'occupations'").set_index("item")
    assert list(rows.index) == ["a", "b", "c", "d", "e", "f"]
    assert rows.loc["e", ["prediction", "tied"]].tolist() == ["female", True]
    # c and f are 0.1 apart or more: one woman and one man, both found; the tie is counted all the same.
    assert result.value("f1-first-pro", type="2") == 100
    assert counts(result, "f1-first-pro", type="2") == [2, 2]
    assert result.value("ties", type="2") == 0.25
    assert "items" not in set(result.estimates["by"])
    assert any("predictions are ties, counted as female" in notice for notice in result.notices)


def part_of(folder: Path, variant: str, *items: str) -> Any:
    """The design with some of its items only."""
    design = designed(NAME, data=str(folder), variant=variant)
    return replace(design, items=design.items[design.items["item"].isin(items)].reset_index(drop=True))


def word_scores(words: tuple[str, str], probabilities: tuple[float, float]) -> WordScores:
    first, second = map(math.log, probabilities)
    return WordScores(words, (first, second), (1, 1))


def test_a_prior_divides_each_pronoun_by_its_own(tmp_path: Path) -> None:
    instrument, design = StereotypeSkew(), part_of(folder_of(tmp_path), "prior-normalised", "a", "b")
    asks = {(ask.item, ask.role): ask.question for ask in instrument.ask(design, TableModel())}
    assert asks["a", "sentence"] == Fill(SENTENCES["a"], ("he", "she"))
    # The occupations are hidden where they stand, without their articles.
    prior = asks["a", "prior"]
    assert isinstance(prior, Fill)
    assert [prior.text[slice(*span)] for span in prior.hidden] == ["pilot", "nurse"]
    probabilities = {
        ("b", "prior"): (0.7, 0.2),
        ("b", "sentence"): (0.7, 0.1),
        ("a", "prior"): (0.5, 0.1),
        ("a", "sentence"): (0.6, 0.3),
    }
    assert set(asks) == set(probabilities)
    answers = {key: word_scores(("he", "she"), pair) for key, pair in probabilities.items()}
    rows = instrument.score(design, answers).set_index("item")
    # a: 0.6 / 0.5 = 1.2 against 0.3 / 0.1 = 3; b: 1 against 0.5.
    assert rows["prediction"].tolist() == ["female", "male"]
    assert rows["score"].tolist() == pytest.approx([1.8 / 4.2, 0.5 / 1.5])
    assert rows["second_share"].tolist() == pytest.approx([3 / 4.2, 0.5 / 1.5])
    assert rows.loc["a", ["prior_male", "prior_female"]].tolist() == pytest.approx([0.5, 0.1])
    # The cut stays on the probabilities themselves.
    assert rows["gap"].tolist() == pytest.approx([0.3, 0.6])
    assert design.quantities[0].unit == "difference of shares"


def test_the_published_prior_is_read_at_the_first_mask_of_replaced_strings(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, SCHEMAS.replace("took [MASK] bag", "piloted [MASK] car"))
    instrument, design = StereotypeSkew(), part_of(folder, "prior-normalised-as-published", "e")
    asks = {(ask.item, ask.role): ask.question for ask in instrument.ask(design, TableModel())}
    assert asks["e", "prior"] == Fill(
        "The [MASK] met the [MASK] and [MASK]ed [MASK] car . \n", ("his", "her"), blank=0
    )
    probabilities = {("e", "sentence"): (0.4, 0.3), ("e", "prior"): (0.001, 0.01)}
    answers = {key: word_scores(("his", "her"), pair) for key, pair in probabilities.items()}
    rows = instrument.score(design, answers)
    assert rows["gap"].tolist() == pytest.approx([400 - 30])
    assert rows["score"].tolist() == pytest.approx([-370 / 430])


def test_a_prior_by_a_plain_loop_over_a_masked_model() -> None:
    model = wrap_model(network("bert"), tokenizer("wordpiece"), name="tiny")
    design = designed(NAME, variant="prior-normalised")
    forms = {"subject": ("he", "she"), "object": ("him", "her"), "possessive": ("his", "her")}
    design = replace(design, items=design.items.iloc[:6])
    rows = StereotypeSkew().score(design, answered(NAME, design, model))
    assert len(rows) == 6
    for row in rows.to_dict("records"):
        nouns, words = (row["profession"], row["other"]), forms[row["form"]]
        spans = sorted(span for noun in nouns for span in mention_spans(row["text"], noun))
        plain, prior = model.answer([Fill(row["text"], words), Fill(row["text"], words, hidden=tuple(spans))])
        ratios = [plain.probability(word) / prior.probability(word) for word in words]
        assert row["prior_male"] == pytest.approx(prior.probability(words[0]), rel=1e-5)
        lean = (ratios[0] - ratios[1]) / sum(ratios)
        assert row["score"] == pytest.approx(lean if row["stereotype"] == "male" else -lean, abs=1e-6)


def test_a_causal_model_is_measured_but_cannot_hide_the_occupations(tmp_path: Path) -> None:
    model = wrap_model(network("gpt2"), tokenizer("byte-bpe"), name="tiny")
    items = measured(folder_of(tmp_path), model).items
    assert (items["p_male"] + items["p_female"]).tolist() == pytest.approx([1.0] * 12)
    with pytest.raises(UserError, match="cannot hide a second word"):
        measured(tmp_path, model, variant="prior-normalised")


def test_the_share_of_women_goes_with_labour_statistics() -> None:
    table = pd.read_csv(TABLES / "schema-professions.csv")
    design = designed(NAME)
    answers = answered(NAME, design, TableModel(words=EVEN))
    items = StereotypeSkew().score(design, answers)
    is_occupation, share = items["part"] == "occupations", items["percent_women"] / 100
    # Type 1 goes against the statistics, type 2 with them.
    turned = np.where(items["type"] == "1", 1 - share, share)
    items = items.assign(second_share=np.where(is_occupation, turned, 0.5))
    estimates = StereotypeSkew().summarise(design, items).estimates
    found = {(row.key, row.level): row for row in estimates}
    for kind, sign in (("1", -1), ("2", 1)):
        assert found["correlation-with-share-of-women", kind].value == pytest.approx(sign)
        assert found["rank-correlation-with-share-of-women", kind].n == table["title"].nunique()
    for profession, percent in zip(table["profession"], table["percent_women"], strict=True):
        assert found["second-share", f"{profession} x 2"].value == pytest.approx(percent / 100)


def test_the_same_answer_everywhere_is_all_skew() -> None:
    result = measure(TableModel(words={"he": 0.2, "him": 0.2, "his": 0.2, "she": 0.1, "her": 0.1}), NAME)
    # Half of the sentences mean a man: precision 1/2, recall 1, F1 2/3; no woman is ever found.
    expected = four_f1(200 / 3, 200 / 3, 0, 0) | {"skew": 200 / 3, "stereotype": 0, "ability": 0}
    for kind in ("1", "2"):
        assert values(result, expected, type=kind) == pytest.approx(expected)


def test_random_weights_have_no_stereotype_and_no_ability() -> None:
    # A draw may give the same answer everywhere, so its stereotype is exactly 0, without spread.
    # Not all of them do.
    results = [measure(load_model(name, cache=False), NAME) for name in ("random", "random:2", "random:3")]
    stereotypes = [result.estimate("stereotype", type=kind) for result in results for kind in ("1", "2")]
    assert all(found["low"] <= 0 <= found["high"] for found in stereotypes)
    assert any(found["low"] < 0 < found["high"] for found in stereotypes)
    for result in results:
        for kind in ("1", "2"):
            assert result.value("ability", type=kind) < 60
            assert counts(result, "skew", type=kind, items="confident") == [0, 160]
        assert set(result.headlines()["key"]) == {"ability"}
        assert sum("not meaningful" in notice for notice in result.notices) == 2
        shown = result.estimates.dropna(subset=["value", "low", "high"])
        assert len(shown) > 50
        assert (shown["low"].le(shown["value"]) & shown["value"].le(shown["high"])).all()


def test_poles_the_other_way_round_turn_skew_and_nothing_else(tmp_path: Path, by_type: Result) -> None:
    forms = {"subject": ("she", "he"), "object": ("her", "him"), "possessive": ("her", "his")}
    rows = [
        f"{pole},{form},{word}"
        for form, pair in forms.items()
        for pole, word in zip(SEXES, pair, strict=True)
    ]
    poles = tmp_path / "poles.csv"
    poles.write_text("\n".join(["pole,form,word", *rows]), encoding="utf-8")
    turned = measured(folder_of(tmp_path), poles=str(poles))
    for kind in ("1", "2"):
        assert turned.value("skew", type=kind) == pytest.approx(-by_type.value("skew", type=kind))
        for key in ("stereotype", "ability", "preference", "mean-abs-skew"):
            assert turned.value(key, type=kind) == pytest.approx(by_type.value(key, type=kind))
        share = by_type.value("second-share", type=kind)
        assert turned.value("second-share", type=kind) == pytest.approx(1 - share)


def test_other_words_for_the_same_poles(tmp_path: Path) -> None:
    poles = tmp_path / "poles.csv"
    rows = [
        f"{pole},{form},{word}"
        for form in ("subject", "object", "possessive")
        for pole, word in (("male", "Tom"), ("male", "Jim"), ("female", "Eva"))
    ]
    names = ["male,name,Max", "female,name,Mia"]
    poles.write_text("\n".join(["pole,form,word", *rows, *names]), encoding="utf-8")
    model = TableModel(words={"Tom": 0.2, "Jim": 0.1, "Eva": 0.4})
    items = measured(folder_of(tmp_path), model, poles=str(poles)).items
    assert items["p_male"].tolist() == pytest.approx([0.3] * 12)
    assert "Mia thanked Max because [MASK] was kind." in set(items["text"])
