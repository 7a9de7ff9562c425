"""Completions: shares and GBM by hand, rows against words, poles, coverage, bad input."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiny

from equipoise.data.poles import load_poles
from equipoise.data.sets.word_lists import load_word_lists
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.instruments import completions
from equipoise.instruments.base import Settings
from equipoise.instruments.completions import Completions
from equipoise.measuring import measure
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill, TopFill
from equipoise.models.table import TableModel
from equipoise.results import Result, load_result
from equipoise.results.comparison import compare
from equipoise.studies.papers.completion_tables import list_coverage, top_templates, unique_completions

WORDS = (
    "word,part,sentiment,category\n"
    "brave,adjective,positive,character\nhonest,adjective,positive,morality\n"
    "cruel,adjective,negative,morality\nliar,noun,negative,morality\n"
)
PATTERNS = (
    "id,part,pattern\n"
    "adjective-met,adjective,I met a <word> person and a [MASK].\n"
    "noun-is,noun,The <word> is a [MASK].\n"
)
PAIRS = "male,female,kind\nman,woman,person\nboy,girl,person\n"

BRAVE, HONEST = "I met a brave person and a [MASK].", "I met an honest person and a [MASK]."
CRUEL, LIAR = "I met a cruel person and a [MASK].", "The liar is a [MASK]."
FILLS = {
    BRAVE: {"woman": 0.3, "Man": 0.2, "dog": 0.2, "cat": 0.1, "tree": 0.1, "man": 0.05, "girl": 0.01},
    HONEST: {"man": 0.4, "dog": 0.2, "cat": 0.1, "boy": 0.1, "tree": 0.1, "woman": 0.05},
    CRUEL: {"man": 0.5, "dog": 0.3, "woman": 0.1, "cat": 0.05, "girl": 0.03, "boy": 0.01},
    LIAR: {"boy": 0.2, "dog": 0.2, "cat": 0.2, "tree": 0.2, "stone": 0.1, "woman": 0.02, "he": 0.01},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path)


def folder_of(path: Path, words: str = WORDS, patterns: str = PATTERNS, pairs: str = PAIRS) -> Path:
    (path / "completion-words.csv").write_text(words, encoding="utf-8")
    (path / "completion-patterns.csv").write_text(patterns, encoding="utf-8")
    (path / "gendered-words.csv").write_text(pairs, encoding="utf-8")
    return path


def measured(folder: Path, fills: Any = FILLS, **chosen: str) -> Result:
    return measure(TableModel(fills), "completions", Settings(data=str(folder), **chosen))  # type: ignore[arg-type]


def designed(data: Path | str) -> Any:
    """What the instrument reads of some data."""
    instrument = Completions()
    settings = Settings(data=data, variant="full-vocabulary")
    return instrument.design(settings.source(instrument), settings)


def by_text(result: Result) -> pd.DataFrame:
    return result.items.set_index("text")


def test_full_sums_by_hand(folder: Path) -> None:
    items = by_text(measured(folder))
    assert items.loc[BRAVE, "p_male"] == pytest.approx(0.05)
    assert items.loc[BRAVE, "p_female"] == pytest.approx(0.31)
    assert items.loc[BRAVE, "p_neither"] == pytest.approx(0.64)
    assert items.loc[LIAR, "p_male"] == pytest.approx(0.21)
    assert items.loc[BRAVE, "score"] == pytest.approx(0.26)
    assert items.loc[CRUEL, "score"] == pytest.approx(0.51 - 0.13)


def test_articles_agree(folder: Path) -> None:
    assert set(measured(folder).items["text"]) == {BRAVE, HONEST, CRUEL, LIAR}


def test_top_five_by_hand_and_without_regard_to_case(folder: Path) -> None:
    items = by_text(measured(folder))
    assert items.loc[BRAVE, "top_male"] == pytest.approx(0.2 / 0.9)
    assert items.loc[BRAVE, "top_female"] == pytest.approx(0.3 / 0.9)
    assert items.loc[HONEST, "top_female"] == 0.0
    assert items.loc[CRUEL, "top_neither"] == pytest.approx(0.35 / 0.98)
    assert items.loc[BRAVE, "completions_male"] == "man"
    assert items.loc[HONEST, "completions_male"] == "man, boy"


def test_d10_a_word_outside_the_top_five_keeps_its_exact_probability(folder: Path) -> None:
    items = by_text(measured(folder))
    assert "woman" not in items.loc[HONEST, "completions"]
    assert items.loc[HONEST, "top_female"] == 0.0
    assert items.loc[HONEST, "p_female"] == pytest.approx(0.05)


def test_gbm_by_hand_for_both_ways_to_count(folder: Path) -> None:
    full = (0.18 - 0.275) / 0.545 + (0.36 - 0.075) / 0.565
    top = ((0.3 / 0.9 + 0) / 2 - (0.2 / 0.9 + 0.5 / 0.9) / 2) / ((0.4 / 0.9 + 0.4 / 0.9) / 2)
    top += ((0.5 / 0.98 + 0.2 / 0.9) / 2 - (0.13 / 0.98) / 2) / ((0.35 / 0.98 + 0.7 / 0.9) / 2)
    result = measured(folder)
    assert result.value("gbm") == pytest.approx(full)
    assert result.value("gbm-top-5") == pytest.approx(top)
    published = measured(folder, variant="top-5")
    assert published.value("gbm") == pytest.approx(top)
    assert published.value("gbm-full-vocabulary") == pytest.approx(full)
    assert by_text(published).loc[BRAVE, "score"] == pytest.approx(0.1 / 0.9)


def test_shares_by_sentiment_and_category(folder: Path) -> None:
    result = measured(folder)
    assert result.value("share", pole="male", sentiment="positive") == pytest.approx(0.275)
    assert result.value("share", pole="neither", sentiment="negative") == pytest.approx(0.565)
    assert result.value("second-minus-first", category="morality") == pytest.approx(
        np.mean([0.05 - 0.5, 0.13 - 0.51, 0.02 - 0.21])
    )
    assert result.value("second-minus-first", sentiment="positive", category="morality") == pytest.approx(
        -0.45
    )
    assert result.value("favour") == pytest.approx(np.mean([0.26, -0.45, 0.38, 0.19]))
    assert result.value("mean-squared-difference") == pytest.approx(
        np.mean(np.square([0.26, 0.45, 0.38, 0.19]))
    )


def test_unique_completions_and_top_templates(folder: Path) -> None:
    result = measured(folder)
    assert result.value("unique-completions", pole="male", sentiment="positive") == 2
    assert result.value("unique-completions", pole="female", sentiment="negative") == 2
    found = unique_completions(result.items).set_index(["sentiment", "pole", "word"])["sentences"]
    assert found["positive", "male", "man"] == 2
    assert ("positive", "female", "girl") not in found.index
    best = top_templates(result.items, count=1).set_index(["variant", "pole", "sentiment"])
    assert best.loc[("full-vocabulary", "male", "positive"), "text"] == HONEST
    assert best.loc[("full-vocabulary", "female", "negative"), "text"] == CRUEL
    assert best.loc[("top-5", "male", "negative"), "share"] == pytest.approx(0.5 / 0.98)


def test_gbm_is_undefined_where_nothing_is_neutral(folder: Path) -> None:
    gendered = {text: {"man": 0.6, "woman": 0.4} for text in FILLS}
    result = measured(folder, gendered)
    assert math.isnan(result.value("gbm"))
    assert result.value("share", pole="male", sentiment="positive") == pytest.approx(0.6)


def test_a_uniform_model_gives_zero(folder: Path) -> None:
    words = ("man", "boy", "he", "woman", "dog", "cat", "tree", "stone")
    model = TableModel(words=dict.fromkeys(words, 1 / 8))
    result = measure(model, "completions", Settings(data=str(folder)))
    assert result.value("gbm") == pytest.approx(0.0, abs=1e-12)
    assert result.value("second-minus-first", sentiment="positive") == pytest.approx(-2 / 8)


def test_random_weights_give_next_to_nothing(folder: Path) -> None:
    result = measure(load_model("random", cache=False), "completions", Settings(data=str(folder)))
    assert abs(result.value("gbm")) < 0.01
    assert abs(result.value("second-minus-first")) < 0.01


def test_lists_that_the_vocabulary_lacks_are_counted(folder: Path) -> None:
    result = measured(folder)
    coverage = result.estimate("word-list-in-vocabulary", pole="male")
    assert (coverage["n"], coverage["dropped"]) == (2, 4)
    assert coverage["value"] == pytest.approx(2 / 6)
    (told,) = [said for said in result.notices if " male words were skipped" in said]
    assert told.startswith("5 of 6 male words"), "in the first sentence"
    assert told.endswith("pieces: boy, he, him, his, himself")


def test_an_item_without_any_word_of_a_pole_is_dropped_with_a_reason(folder: Path) -> None:
    fills = FILLS | {LIAR: {"boy": 0.5, "dog": 0.5}}
    items = by_text(measured(folder, fills))
    assert "no listed word" in items.loc[LIAR, "dropped"]
    assert items.loc[LIAR, ["score", "p_female", "p_neither"]].isna().all()
    assert measured(folder, fills).estimate("gbm")["dropped"] == 1


def test_contradictions_are_flagged_and_gbm_is_given_without_them(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, WORDS + "cruel,adjective,positive,morality\n")
    result = measured(folder)
    assert set(result.items.query("flags != ''")["text"]) == {CRUEL}
    assert any("positive and as negative: cruel" in said for said in result.provenance["data"]["notices"])
    expected = (0.18 - 0.275) / 0.545 + (0.21 - 0.02) / 0.77
    assert result.value("gbm", items="without flagged") == pytest.approx(expected)
    assert result.value("gbm") != pytest.approx(expected)


def test_a_listed_word_beside_the_blank_is_said(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, WORDS + "girl,noun,positive,character\n")
    fills = FILLS | {"The girl is a [MASK].": {"woman": 0.5, "man": 0.1}}
    assert "1 sentences name a listed word beside the blank: girl" in measured(folder, fills).notices


def test_results_can_be_saved_and_read_again(folder: Path, tmp_path: Path) -> None:
    result = measured(folder)
    again = load_result(result.save(tmp_path / "out"))
    pd.testing.assert_frame_equal(unique_completions(again.items), unique_completions(result.items))
    assert again.items["score"].tolist() == result.items["score"].tolist()


@pytest.mark.parametrize("family", ["bert", "electra", "roberta", "xlm-roberta", "bart"])
def test_rows_of_ids_give_what_asking_the_words_gives(family: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, pairs="male,female\ncould,mother\nthat,open\nwould,told\n")
    words = tiny.tokenizer(tiny.TOKENIZER_OF.get(family, "wordpiece"))
    model = wrap_model(tiny.network(family), words, name=family, options=RunOptions(store=None))
    settings = Settings(data=str(folder))
    result = measure(model, "completions", settings)
    lists = designed(folder).lists.words
    missing = list_coverage(result.items).set_index("pole")["not_asked"].str.split(", ")
    for row in result.items.to_dict("records"):
        for pole in ("male", "female"):
            asked = tuple(word for word in lists[pole] if word not in missing[pole])
            (found,) = model.answer([Fill(row["text"], asked)])
            assert set(found.pieces) == {1}
            assert row[f"p_{pole}"] == pytest.approx(np.exp(found.logprobs).sum(), rel=1e-5)
            assert row[f"asked_{pole}"] == len(asked)


def test_an_item_costs_one_row_however_long_the_lists(folder: Path) -> None:
    model = wrap_model(
        tiny.network("bert"), tiny.tokenizer("wordpiece"), name="bert", options=RunOptions(store=None)
    )
    design = designed(folder)
    questions = [ask.question for ask in Completions().ask(design, model)]
    assert len({row.key for question in questions for row in model.ask(question).rows}) == len(design.items)


def test_words_of_several_pieces_are_named(folder: Path) -> None:
    model = wrap_model(
        tiny.network("bert"), tiny.tokenizer("wordpiece"), name="bert", options=RunOptions(store=None)
    )
    result = measure(model, "completions", Settings(data=str(folder)))
    table = list_coverage(result.items).set_index("pole")
    for pole, words in designed(folder).lists.words.items():
        pieces = {word: len(model.tokens.encode(f"a {word}.").content) - 2 for word in words}
        whole = [word for word in words if pieces[word] == 1]
        assert table.loc[pole, ["listed", "asked"]].tolist() == [len(words), len(whole)]
        assert table.loc[pole, "not_asked"] == ", ".join(word for word in words if word not in whole)


def test_a_causal_model_is_refused_with_the_reason(folder: Path) -> None:
    model = wrap_model(
        tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2", options=RunOptions(store=None)
    )
    with pytest.raises(UserError, match="a causal model cannot list the likeliest words at a blank"):
        measure(model, "completions", Settings(data=str(folder)))


def test_other_poles_run_on_the_shipped_sentences() -> None:
    model = TableModel(words={"Christian": 0.3, "Muslim": 0.1, "person": 0.4})
    result = measure(model, "completions", Settings(poles="religion"))
    assert len(result.items) > 1000
    assert result.value("share", pole="christian", sentiment="positive") == pytest.approx(0.3)
    assert result.value("share-top-5", pole="muslim", sentiment="negative") == pytest.approx(0.1 / 0.8)
    assert result.value("word-list-in-vocabulary", pole="muslim") == 1.0


def test_poles_of_a_user_with_a_list_of_the_same_names(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, pairs="young,old\nyouth,pensioner\n")
    lists, files = load_word_lists(Source(str(folder), folder), load_poles("age"))
    assert [file.name for file in files] == ["gendered-words.csv", "poles-age.csv"]
    assert {"youth", "youthful"} <= set(lists.words["young"])
    assert {"pensioner", "elderly"} <= set(lists.words["old"])


def test_the_shipped_sentences_are_questions_of_one_blank() -> None:
    design = designed("equipoise-completions")
    assert design.items["item"].is_unique
    assert design.items["text"].str.count(r"\[MASK\]").eq(1).all()
    assert design.notices == ()
    assert design.factors == ("word", "pattern")
    asks = list(Completions().ask(design, TableModel(words={"man": 0.5})))
    assert len({(ask.item, ask.role) for ask in asks}) == len(asks)
    roles = {ask.role: type(ask.question) for ask in asks if ask.item == design.items["item"][5]}
    assert roles == {"male": Fill, "female": Fill, "likeliest": TopFill}


PATTERNS_OF_TWO_KINDS = (
    "id,part,pattern\nto-men,adjective,A <word> person is a [MASK].\nto-women,adjective,The <word> [MASK].\n"
)


def test_the_dependence_on_phrasing_is_an_estimate_and_said(tmp_path: Path) -> None:
    """One pattern leans to men by .2 to .3, the other to women by .1 to .2: they lie .4 apart."""
    words = [f"w{number}" for number in range(6)]
    lines = [f"{word},adjective,{'positive' if n % 2 else 'negative'},\n" for n, word in enumerate(words)]
    folder = folder_of(tmp_path, "word,part,sentiment,category\n" + "".join(lines), PATTERNS_OF_TWO_KINDS)
    fills = {}
    for number, word in enumerate(words):
        step = 0.02 * number
        fills[f"A {word} person is a [MASK]."] = {"man": 0.4 + step, "woman": 0.2, "dog": 0.2}
        fills[f"The {word} [MASK]."] = {"man": 0.2, "woman": 0.3 + step, "dog": 0.2}
    result = measured(folder, fills)
    leans = {name: result.value("second-minus-first", pattern=name) for name in ("to-men", "to-women")}
    assert leans == {"to-men": pytest.approx(-0.25), "to-women": pytest.approx(0.15)}
    spread = result.estimate("spread-between-patterns")
    assert spread["value"] == pytest.approx(0.4)
    assert spread["low"] <= 0.4 <= spread["high"]
    assert result.value("deviation-between-patterns") == pytest.approx(np.std([-0.25, 0.15], ddof=1))
    said = "the lean depends on the phrasing: to female in to-women (+0.150); to male in to-men (-0.250)"
    assert said in result.notices
    assert "with 2 patterns, intervals speak of other words, not of other phrasings" in result.notices
    same = {text: {"man": 0.4, "woman": 0.2, "dog": 0.2} for text in fills}
    assert not any("phrasing:" in said for said in measured(folder, same).notices)


def test_words_can_be_a_table_in_memory() -> None:
    words = pd.DataFrame(
        {"word": ["brave", "cruel"], "part": "adjective", "sentiment": ["positive", "negative"]}
    )
    result = measure(TableModel(words={"man": 0.3, "woman": 0.2, "dog": 0.1}), "completions", data=words)
    assert len(result.items) == 2 * 4
    assert result.value("second-minus-first") == pytest.approx(-0.1)
    assert result.value("gbm") == pytest.approx(0.0)


def test_models_are_compared_by_favour_and_by_lean(folder: Path) -> None:
    result = measured(folder)
    assert [(one.key, one.label) for one in result.quantities] == [
        ("favour", "favour of female"),
        ("second-minus-first", "female - male"),
        ("gbm", "GBM"),
    ]
    lean = result.items["second_minus_first"]
    assert lean.mean() == pytest.approx(result.value("second-minus-first"))
    assert result.headlines()["key"].tolist() == ["gbm", "favour", "second-minus-first"]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("words", WORDS + "odd,adjective,mixed,\n", "line 6: the sentiment 'mixed' does not exist"),
        (
            "words",
            WORDS + "brave,adjective,positive,\n",
            "line 6: 'brave, adjective, positive' stands already",
        ),
        ("words", WORDS + "run,verb,positive,\n", "no pattern for words of the part 'verb'"),
        ("patterns", PATTERNS + "x,noun,The <word> is.\n", r"line 4: 0 times \[MASK\]"),
        ("pairs", PAIRS + "cousin,cousin,kin\n", "cousin is in the lists of two poles"),
        ("pairs", "men,women\nman,woman\n", "no column 'male', 'female'"),
    ],
)
def test_bad_input(tmp_path: Path, name: str, text: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        measured(folder_of(tmp_path, **{name: text}))


def test_the_card_says_that_the_sign_differs() -> None:
    card = completions.__doc__ or ""
    for heading in ("Question", "Sign", "Good", "Also given", "Neutral", "Source", "Differs", "Limits"):
        assert f"\n{heading}  " in card
    assert "THE OTHER WAY ROUND" in card


def test_models_are_compared_by_gbm_with_words_drawn_for_both(tmp_path: Path) -> None:
    """The difference is that of the two estimates, its interval that of a slow bootstrap over words."""
    adjectives = [f"{letter}{letter}y" for letter in "bcdfghklmn"]
    words = "word,part,sentiment\n" + "".join(
        f"{word},adjective,{('positive', 'negative')[place % 2]}\n" for place, word in enumerate(adjectives)
    )
    rng = np.random.default_rng(5)
    texts = [f"I met a {word} person and a [MASK]." for word in adjectives]
    told: list[Any] = [
        {text: {"man": m, "woman": w, "dog": 0.3} for text, (m, w) in zip(texts, shares, strict=True)}
        for shares in (rng.uniform(0.1, 0.3, (10, 2)), rng.uniform(0.1, 0.3, (10, 2)))
    ]
    settings = Settings(data=str(folder_of(tmp_path, words)))
    results = [
        measure(TableModel(fills, name=name), "completions", settings)
        for fills, name in zip(told, ("one", "two"), strict=True)
    ]
    row = compare(*results).table.set_index("quantity").loc["gbm"]
    assert row["first_value"] == pytest.approx(results[0].value("gbm"))
    assert row["difference"] == pytest.approx(results[1].value("gbm") - results[0].value("gbm"))
    draws = []
    for _ in range(2000):
        chosen = rng.choice(adjectives, len(adjectives))
        both = [slow_gbm(result.items.set_index("word").loc[chosen]) for result in results]
        draws.append(both[1] - both[0])
    low, high = np.nanpercentile(draws, [2.5, 97.5])
    assert row["low"] < low < high < row["high"], "the interval of few clusters is wider than percentiles"
    assert row["high"] - row["low"] < 1.6 * (high - low)


def slow_gbm(items: pd.DataFrame) -> float:
    good, bad = (
        items[items["sentiment"] == name][["p_male", "p_female", "p_neither"]].mean()
        for name in ("positive", "negative")
    )
    return float(
        (good["p_female"] - good["p_male"]) / good["p_neither"]
        + (bad["p_male"] - bad["p_female"]) / bad["p_neither"]
    )
