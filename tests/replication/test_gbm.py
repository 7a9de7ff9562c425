"""GBM: the arithmetic of the published table and the facts of the published files.

The two published checkpoints (BERT-large cased with whole-word masking, BART-base) are not beside the
checkout, so the shares themselves cannot be replicated; the sums are checked on BERT-base instead.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from equipoise.data.sets.gbm import (
    ARTICLE,
    BOTH,
    FILES,
    flagged_words,
    read_gbm_templates,
    read_gbm_words,
)
from equipoise.data.sources import Source, altered_problem
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.instruments.completions import CompletionDesign, Completions
from equipoise.measuring import measure
from equipoise.models.table import TableModel
from equipoise.stats.ratios import gender_bias_metric, sided_cells
from equipoise.studies.papers.completion_tables import list_coverage

TABLE_2 = {
    "bart": ((0.234, 0.138, 0.629), (0.279, 0.158, 0.563), 0.063, 0.0623),
    "bert": ((0.178, 0.147, 0.675), (0.190, 0.132, 0.678), 0.040, 0.0396),
}


@pytest.fixture
def folder(shared_data: Callable[[str], Path]) -> Path:
    return shared_data("gbm/templates.csv").parent


def designed(folder: Path) -> CompletionDesign:
    instrument = Completions()
    settings = Settings(data="gbm", variant="full-vocabulary", data_dir=folder.parent)
    return instrument.design(settings.source(instrument), settings)


@pytest.mark.parametrize("model", TABLE_2)
def test_gbm_of_the_rounded_cells(model: str) -> None:
    positive, negative, printed, exact = TABLE_2[model]
    gbm = gender_bias_metric(sided_cells(np.array([positive, negative]), [True, False]).sum(axis=0))
    assert gbm == pytest.approx(exact, abs=5e-5)
    assert gbm == pytest.approx(printed, abs=1e-3)


def test_the_files_are_the_published_ones(folder: Path) -> None:
    assert [altered_problem(folder / name, "gbm") for name in FILES] == ["", "", ""]


def test_composition_of_the_published_templates(folder: Path) -> None:
    table = read_gbm_templates(folder / "templates.csv")
    assert len(table) == 2000
    counts = table.groupby(["sentiment", "part_of_speech"]).size().to_dict()
    assert counts == {
        ("negative", "adjective"): 920,
        ("negative", "noun"): 80,
        ("positive", "adjective"): 1000,
    }
    assert table.groupby(["part_of_speech", "word", "sentiment"]).size().eq(2).all()
    assert not table["text"].str.contains("  ").any()
    assert table["text"].str.endswith(" a [MASK].").all()


def test_contradictions_are_counted_and_named(folder: Path) -> None:
    table = read_gbm_templates(folder / "templates.csv")
    both = table[table["flags"] == BOTH]
    assert set(both["word"]) == {"envious", "feisty"}
    assert (len(both), both["text"].nunique()) == (8, 4)
    assert set(table.loc[table["flags"] == ARTICLE, "word"]) == {"honest", "honorable", "useless"}
    notices = flagged_words(table)
    assert "8 of 2000 sentences" in notices[0]
    assert notices[0].endswith("envious, feisty")
    assert "3 of 2000 sentences" in notices[1]


def test_the_published_word_lists(folder: Path) -> None:
    male, female = (read_gbm_words(folder / name) for name in FILES[1:])
    assert (len(male), len(set(male)), len(female), len(set(female))) == (222, 207, 222, 202)
    design = designed(folder)
    assert [len(words) for words in design.lists.words.values()] == [207, 202]
    assert [file.name for file in design.files] == list(FILES)
    assert "with 4 patterns, intervals speak of other words, not of other phrasings" in design.notices


def test_gbm_with_and_without_the_flagged_sentences(folder: Path) -> None:
    """A model that leans in the one sentence with a wrong article before "honest" and nowhere else."""
    table = read_gbm_templates(folder / "templates.csv")
    (text,) = table.loc[table["word"].eq("honest") & table["flags"].eq(ARTICLE), "text"]
    told = {text: {"man": 0.1, "woman": 0.5, "person": 0.3}}
    model = TableModel(told, words={"man": 0.1, "woman": 0.1, "person": 0.5})
    result = measure(model, "completions", Settings(data="gbm", data_dir=folder.parent))
    assert result.value("gbm") == pytest.approx(0.4 / 1000 / (0.8 - 0.4 / 1000))
    assert result.value("gbm", items="without flagged") == pytest.approx(0.0, abs=1e-9)
    assert result.estimate("gbm", items="without flagged")["n"] == 1989


def test_full_sums_are_those_of_a_plain_softmax(folder: Path, bert: Any) -> None:
    """On a few sentences: tokens, softmax over the vocabulary and sums over the lists, by hand."""
    settings = Settings(data="gbm", data_dir=folder.parent)
    result = measure(bert, _FirstFew(), settings)
    vocabulary = bert.tokenizer.get_vocab()
    male, female = (set(words) & set(vocabulary) for words in designed(folder).lists.words.values())
    assert len(result.items) == 2 * 6, "two patterns of positive sentences, four of negative ones"
    for row in result.items.to_dict("records"):
        ids = bert.tokenizer(row["text"], return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = bert.transformers_model(input_ids=ids).logits[0, ids[0].tolist().index(bert.mask_id)]
        p = torch.softmax(logits.double(), dim=-1)
        for pole, words in (("male", male), ("female", female)):
            assert row[f"p_{pole}"] == pytest.approx(float(sum(p[vocabulary[w]] for w in words)), rel=1e-4)
        top = torch.topk(p, 5)
        among = [bert.tokenizer.convert_ids_to_tokens(token) in male for token in top.indices.tolist()]
        expected = float(top.values[torch.tensor(among)].sum() / top.values.sum())
        assert row["top_male"] == pytest.approx(expected, rel=1e-4)


def test_coverage_of_the_published_lists_in_bert_base(folder: Path, bert: Any) -> None:
    """The paper counts 89 and 56 for the cased vocabulary; the uncased one holds more of both."""
    result = measure(bert, _FirstFew(), Settings(data="gbm", data_dir=folder.parent))
    table = list_coverage(result.items).set_index("pole")
    vocabulary = bert.tokenizer.get_vocab()
    for pole, words in designed(folder).lists.words.items():
        missing = [word for word in words if word not in vocabulary]
        assert table.loc[pole, "not_asked"].split(", ") == missing
    assert table["asked"].to_dict() == {"male": 116, "female": 81}


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("0,The dull person was a,2", "line 2: the labels '2'"),
        ("0,Dull people are a,1", "line 2: .* none of the four published patterns"),
    ],
)
def test_bad_rows(tmp_path: Path, row: str, problem: str) -> None:
    path = tmp_path / "templates.csv"
    path.write_text(f",sentences,labels\n{row}\n", encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        read_gbm_templates(path)


class _FirstFew(Completions):
    """The same with two sentences of each sentiment and pattern."""

    def design(self, source: Source, settings: Settings) -> CompletionDesign:
        whole = super().design(source, settings)
        few = whole.items.groupby(["sentiment", "pattern"]).head(2).reset_index(drop=True)
        return replace(whole, items=few)
