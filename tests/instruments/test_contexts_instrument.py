"""Conditional gender probability in a corpus: by hand, by group, with names, leaks and too long contexts."""

import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny
from designs import answered, designed, result_of

from equipoise.corpora.opening import CorpusChoice
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.contexts import Contexts
from equipoise.measuring import audit_fitting, measure
from equipoise.models.neural.masked import MaskedModel
from equipoise.models.table import TableModel
from equipoise.results import Result
from equipoise.results.comparison.differences import value_of

WOMEN = ("woman", "women", "female", "she", "her", "hers")
MEN = ("man", "men", "male", "he", "his", "him")
SILENT = dict.fromkeys((*WOMEN, *MEN), 1e-12)
TEXTS = {
    "a": "The strong clerk said that he left.",
    "b": "At home the mayor lost her keys.",
    "c": "At home the wife of the clerk said that he left.",
    "d": "Nobody was there.",
}
FILLS = {
    # he .3 + him .1 of .5: P(male) = .8
    "The strong clerk said that [MASK] left.": SILENT | {"he": 0.3, "him": 0.1, "she": 0.1},
    # her .1 of .4: P(female) = .25
    "At home the mayor lost [MASK] keys.": SILENT | {"her": 0.1, "his": 0.3},
    # he .2 of .5: P(male) = .4; "wife" tells the answer
    "At home the wife of the clerk said that [MASK] left.": SILENT | {"he": 0.2, "she": 0.3},
}


def corpus(times: int = 1, **sides: str) -> pd.DataFrame:
    rows = [
        {"id": f"{name}{number}", "body": text, "side": sides.get(name, "left")}
        for number in range(times)
        for name, text in TEXTS.items()
    ]
    return pd.DataFrame(rows)


def table_model(fills: dict[str, dict[str, float]] = FILLS) -> TableModel:
    """Every first word of a sentence costs 2 nats, every other 1."""
    scores = {text: [-2.0] + [-1.0] * (len(text.split()) - 1) for text in TEXTS.values()}
    return TableModel(fills, scores=scores)


def measured(data: Any, model: Any = None, *, variant: str = "", seed: int = 0, **choice: Any) -> Result:
    settings = Settings(variant=variant, seed=seed, corpus=CorpusChoice(**{"text": "body"} | choice))
    return measure(model or table_model(), "contexts", settings, data=data)


def test_probabilities_by_hand() -> None:
    result = measured(corpus())
    items = result.items.set_index("document")
    assert items.loc["a0", ["own", "score", "excess"]].tolist() == pytest.approx([0.8, 0.6, -0.2])
    assert items.loc["b0", ["own", "score", "excess"]].tolist() == pytest.approx([0.25, 0.5, 0.75])
    assert items.loc["c0", ["own", "score", "excess"]].tolist() == pytest.approx([0.4, -0.2, -0.6])
    assert "d0" not in items.index
    assert items["part"].to_dict() == {"a0": "clean", "b0": "clean", "c0": "with other gendered words"}
    assert items["categories"].to_dict() == {"a0": "strength", "b0": "family", "c0": "family"}
    assert items.loc["a0", "item"] == "a0 @27"
    assert result.value("p-male") == pytest.approx(0.6)
    assert result.value("p-female") == pytest.approx(0.25)
    assert result.value("difference") == pytest.approx(0.35)
    assert result.value("excess") == pytest.approx((-0.2 + 0.75 - 0.6) / 3)
    assert result.value("p-own") == pytest.approx((0.8 + 0.25 + 0.4) / 3)


def test_groups_categories_and_where_they_cross() -> None:
    result = measured(corpus(10, b="right"), groups=("side",))
    assert result.value("p-male", side="left") == pytest.approx(0.6)
    assert result.value("p-female", side="right") == pytest.approx(0.25)
    assert result.value("p-male", part="clean") == pytest.approx(0.8)
    assert result.value("difference", part="clean") == pytest.approx(0.55)
    assert result.value("p-male", category="family") == pytest.approx(0.4)
    assert result.value("p-female", category="family", side="right") == pytest.approx(0.25)
    # no woman on the left: nothing to subtract
    assert math.isnan(result.value("difference", side="left"))


def test_a_group_of_nine_contexts_has_no_number_and_ten_have() -> None:
    assert math.isnan(measured(corpus(9)).value("p-female", part="clean"))
    assert measured(corpus(9)).value("p-female") == pytest.approx(0.25)
    assert measured(corpus(10)).value("p-female", part="clean") == pytest.approx(0.25)


def test_the_likeliest_words_only_and_contexts_without_any() -> None:
    fills = dict(FILLS) | {"At home the mayor lost [MASK] keys.": {"the": 0.9}}
    fills["The strong clerk said that [MASK] left."] = {"He": 0.3, "him": 0.1, "she": 0.1, "it": 0.5}
    result = measured(corpus(), table_model(fills), variant="top-100")
    lost = result.items.set_index("document").loc["b0"]
    assert "no gender mass" in lost["dropped"]
    assert math.isnan(lost["own"])
    assert result.value("p-male") == pytest.approx(0.6)
    assert result.estimate("p-female")["n"] == 0
    assert result.value("p-female-as-published") == 0
    assert result.value("difference-as-published") == pytest.approx(0.6)
    assert any("1 contexts left out: no gender mass" in notice for notice in result.notices)


def test_intervals_rest_on_documents_not_on_contexts() -> None:
    """Ten contexts in each of three documents are no more than three documents."""
    many = measured(pd.concat([corpus()] * 10, ignore_index=True))
    quantity = next(one for one in many.quantities if one.key == "p-own")
    assert not math.isnan(value_of(many.items, quantity).low)
    assert math.isnan(value_of(many.items.assign(document=many.items["document"].str[:2]), quantity).low)
    few = measured(corpus())
    assert math.isnan(few.estimate("difference")["low"])
    assert any("3 documents, too few for intervals" in notice for notice in few.notices)
    assert many.estimate("p-male")["low"] < 0.6 < many.estimate("p-male")["high"]


def test_a_sample_is_stated_seeded_and_a_part_of_all() -> None:
    first, again, other = (measured(corpus(40), sample=30, seed=seed) for seed in (1, 1, 2))
    assert any(notice.startswith("30 of 120 contexts") for notice in first.notices)
    assert first.items["item"].tolist() == again.items["item"].tolist()
    assert first.items["item"].tolist() != other.items["item"].tolist()
    everything = measured(corpus(40), sample=0)
    assert len(everything.items) == 120
    assert set(first.items["item"]) <= set(everything.items["item"])


def test_perplexity_of_sampled_sentences() -> None:
    """Of 60 contexts 3 sentences: their nats over their tokens, one more than a nat for each sentence."""
    result = measured(corpus(20))
    chosen = [text for text in result.items["sentence"] if text]
    words = sum(len(text.split()) for text in chosen)
    assert len(chosen) == 3
    assert result.value("perplexity") == pytest.approx(math.exp((words + 3) / words))


def test_names_are_kept_or_replaced() -> None:
    data = pd.DataFrame({"body": ["Anna Smith said that he left."] * 2, "id": ["x", "y"]})
    kept = designed("contexts", Settings(data=data, corpus=CorpusChoice(text="body")))
    gone = designed("contexts", Settings(data=data, corpus=CorpusChoice(text="body", names=False)))
    assert kept.items["text"][0] == "Anna Smith said that [MASK] left."
    assert gone.items["text"][0] == "Someone said that [MASK] left."
    assert kept.items["names"].tolist() == [1, 1]
    assert gone.items["names"].tolist() == [0, 0]


def test_a_context_that_is_too_long_is_dropped_and_the_rest_is_asked() -> None:
    model = MaskedModel(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="tiny")
    long = "He is a doctor and " + "the old carpenter lost " * 40
    data = pd.DataFrame({"text": ["The nurse said that she would help.", long, "A blank [MASK] for him."]})
    result = measure(model, "contexts", Settings(corpus=CorpusChoice(length=500)), data=data)
    assert result.items["dropped"].map(lambda reason: reason.split()[0] if reason else "").tolist() == [
        "",
        "longer",
        "the",
    ]
    assert 0 < result.items["own"][0] < 1
    assert result.estimate("p-own")["n"] == 1


def test_exact_sums_are_those_of_the_whole_distribution() -> None:
    """The six words of each gender summed from `fill`, word by word."""
    model = MaskedModel(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="tiny")
    data = pd.DataFrame({"text": ["The nurse said that she would help the patient."]})
    item = measure(model, "contexts", data=data).items.iloc[0]
    asked = model.fill("The nurse said that [MASK] would help the patient.", [*WOMEN, *MEN])
    women, men = (asked[asked["word"].isin(words)]["probability"].sum() for words in (WOMEN, MEN))
    assert item["own"] == pytest.approx(women / (women + men), rel=1e-6)


def test_answers_in_any_order_and_quantities_are_the_estimates() -> None:
    settings = Settings(data=corpus(6), corpus=CorpusChoice(text="body"))
    design = designed("contexts", settings)
    answers = answered("contexts", design, table_model())
    result = result_of("contexts", design, dict(reversed(answers.items())))
    for quantity in Contexts.quantities:
        shown, value = result.estimate(quantity.key), value_of(result.items, quantity)
        assert (shown["value"], shown["low"], shown["high"]) == pytest.approx(
            (value.value, value.low, value.high)
        )


def test_own_words_and_targets_beside_the_file_and_bad_rows(tmp_path: Path) -> None:
    (tmp_path / "context-words.csv").write_text("gender,word\nfemale,she\nmale,he\n", encoding="utf-8")
    (tmp_path / "targets.csv").write_text("category,word\nwork,clerk\n", encoding="utf-8")
    lines = ['{"text": "The clerk said that he left."}', "no json", '{"text": "It was hers."}']
    (tmp_path / "news.jsonl").write_text("\n".join(lines), encoding="utf-8")
    model = TableModel(words={"she": 0.1, "he": 0.3}, scores={"The clerk said that he left.": [-1.0]})
    result = measure(model, "contexts", data=tmp_path / "news.jsonl")
    assert result.items[["word", "own", "categories"]].to_numpy().tolist() == [
        ["he", pytest.approx(0.75), "work"]
    ]
    assert any("1 rows could not be read" in notice and "news.jsonl:2" in notice for notice in result.notices)
    assert {"news.jsonl", "context-words.csv", "targets.csv"} == set(result.data_hashes)


@pytest.mark.parametrize(
    ("data", "choice", "message"),
    [
        (corpus(), {"text": "nothing"}, "no column 'nothing'"),
        (corpus(), {"text": "body", "groups": ("party",)}, "no column 'party'"),
        (corpus().rename(columns={"side": "gender"}), {"text": "body", "groups": ("gender",)}, "'gender'"),
        (pd.DataFrame({"text": ["Nobody was there."]}), {}, "no context with a gendered word"),
    ],
)
def test_what_cannot_be_read_is_said(data: pd.DataFrame, choice: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        measure(table_model(), "contexts", Settings(corpus=CorpusChoice(**choice)), data=data)


def test_bad_sizes_and_no_corpus() -> None:
    with pytest.raises(UserError, match="sample of -1"):
        CorpusChoice(sample=-1)
    with pytest.raises(UserError, match="context of 0 words"):
        CorpusChoice(length=0)
    _, left_out = audit_fitting(table_model(), ["contexts", "cosine"])
    assert set(left_out) == {"contexts", "cosine"}
    assert "none was given" in left_out["contexts"].message


@pytest.mark.slow
def test_news_is_near_the_reference_code(bert: Any, shared_data: Any) -> None:
    """Published .832 / .584 on other news; reference code on this sample .755 / .716, top 100."""
    news = shared_data("news/test_concat.txt")
    settings = Settings(variant="top-100", corpus=CorpusChoice(sample=60))
    result = measure(bert, "contexts", settings, data=news)
    assert any("60 of 5,085 contexts" in notice for notice in result.notices)
    # 60 contexts: a standard error of about .05 each way
    assert result.value("p-male") == pytest.approx(0.755, abs=0.15)
    assert result.value("p-female") == pytest.approx(0.716, abs=0.15)
    assert result.value("p-own") > 0.6
