"""The price against numbers worked out by hand from a model made of tables, and on a real tokenizer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny

from equipoise import measure
from equipoise.data.sets.gap import load_named_pronouns
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.table import TableModel
from equipoise.studies.changes.price import Price

GAP = "ID\tText\tPronoun\tPronoun-offset\n"


@pytest.fixture
def gap(tmp_path: Path) -> Path:
    rows = [
        "a\tAnn lost her keys.\ther\t9",
        "b\tBen ran. He fell.\tHe\t9",
        "c\tCora fell, and Dan saw her.\ther\t23",
    ]
    (tmp_path / "gap-test.tsv").write_text(GAP + "\n".join(rows) + "\n")
    return tmp_path


def test_pronouns_of_gap_are_read_by_form(gap: Path) -> None:
    table = load_named_pronouns(Source("gap", gap)).table
    assert table["text"].tolist()[0] == "Ann lost [MASK] keys."
    assert table[["right", "other"]].to_numpy().tolist() == [["her", "his"], ["he", "she"], ["her", "him"]]
    assert table["form"].tolist() == ["possessive", "subject", "object"]


def test_the_form_of_her_does_not_hang_on_known_names(gap: Path) -> None:
    text = "They met Zambrana and thanked her. She was pregnant."
    (gap / "gap-test.tsv").write_text(GAP + f"a\t{text}\ther\t{text.index('her.')}\n")
    assert load_named_pronouns(Source("gap", gap)).table["other"].tolist() == ["him"]


def test_a_pronoun_that_is_not_where_it_should_be_is_refused(gap: Path) -> None:
    (gap / "gap-test.tsv").write_text(GAP + "a\tAnn lost her keys.\ther\t4\n")
    with pytest.raises(UserError, match="line 2: 'her' does not stand at 4"):
        load_named_pronouns(Source("gap", gap))


def test_our_own_names_are_as_many_of_either_sex() -> None:
    table = load_named_pronouns(Source("equipoise-named")).table
    assert table["gender"].value_counts().to_dict() == {"male": 60, "female": 60}
    assert table["item"].is_unique
    assert not table["text"].str.contains("<name>").any()


def test_the_price_of_a_table(gap: Path) -> None:
    sentences = {
        "He saw snow fall": [-1.0, -2.0, -3.0, -4.0],
        "Some wind came up": [-1.0, -1.0, -1.0, -1.0],
        "Her dog barked once": [-5.0, -2.0, -2.0, -2.0],
        "Rain fell on Monday": [-1.0, -1.0, -2.0, -2.0],
        "Lights went out early": [-2.0, -2.0, -2.0, -2.0],
    }
    texts = gap / "sentences.txt"
    texts.write_text("\n".join(sentences) + "\n")
    blanks = {
        "He saw [MASK] fall": {"snow": 0.5},
        "He saw snow [MASK]": {"melt": 0.6, "fall": 0.1},
        "Some wind [MASK] up": {"came": 0.5},
        "Her dog barked [MASK]": {"once": 0.9},
        "Rain [MASK] on Monday": {"fell": 0.9},
        "Lights went out [MASK]": {"early": 0.9},
        "Lights went [MASK] early": {"early": 0.9},
        "Ann lost [MASK] keys.": {"her": 0.6, "his": 0.1},
        "Ben ran. [MASK] fell.": {"he": 0.2, "she": 0.3},
        "Cora fell, and Dan saw [MASK].": {"her": 0.3, "him": 0.3},
    }
    result = measure(TableModel(blanks, scores=sentences), Price(texts, gap))
    others = [2, 3, 4, 1, 1, 1, 1, 2, 2, 2, 1, 1, 2, 2, 2, 2, 2, 2]
    assert result.value("perplexity-other") == pytest.approx(np.exp(np.mean(others)))
    assert result.value("perplexity-gendered") == pytest.approx(np.exp(3.0))
    assert result.value("pronouns") == pytest.approx(0.5)
    assert result.value("recovery") == pytest.approx(0.8)
    estimate = result.estimate("perplexity-other")
    assert estimate["low"] < estimate["value"] < estimate["high"]
    assert estimate["n"] == 18


def test_the_price_of_a_real_tokenizer() -> None:
    model: Any = wrap_model(
        tiny.network("bert"), tiny.tokenizer("wordpiece"), name="bert", options=RunOptions(cache=False)
    )
    result = measure(model, Price())
    assert set(result.items["part"]) == {"sentence", "word", "pronoun"}
    assert result.value("perplexity-other") > 10
    assert {quantity.key for quantity in result.quantities} == {
        "likelihood-other", "likelihood-gendered", "recovery", "pronouns",
    }  # fmt: skip


def test_too_little_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "few.txt").write_text("One sentence.\n")
    with pytest.raises(UserError, match="has 1 lines"):
        measure(TableModel({}), Price(tmp_path / "few.txt"))
