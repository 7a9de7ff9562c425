"""What other libraries hold is taken as it is: tables of polars, Arrow and datasets, and pipelines."""

from typing import Any

import datasets
import pandas as pd
import polars
import pyarrow
import pytest
import tiny
from transformers import pipeline

import equipoise
from equipoise.corpora.opening import read_corpus

ROWS = {
    "category": ["occupation", "occupation"],
    "stereotype": ["He repairs every window.", "He sold the roses."],
    "counterpart": ["She repairs every window.", "She sold the roses."],
}
TABLES = {"polars": polars.DataFrame, "arrow": pyarrow.table, "datasets": datasets.Dataset.from_dict}


@pytest.mark.parametrize("library", TABLES)
def test_a_table_of_another_library_gives_the_same_result(library: str) -> None:
    model = equipoise.wrap_model(tiny.network("bert"), tiny.tokenizer("wordpiece"), name="small")
    asked: dict[str, Any] = {"neutral_pairs": False}
    expected = equipoise.measure(model, "sbe", data=pd.DataFrame(ROWS), **asked)
    given = equipoise.measure(model, "sbe", data=TABLES[library](ROWS), **asked)
    assert given.items["score"].tolist() == expected.items["score"].tolist()
    assert given.data_hashes == expected.data_hashes


@pytest.mark.parametrize("library", TABLES)
def test_a_corpus_may_be_such_a_table(library: str) -> None:
    texts = ["He came home.", "She left early."]
    corpus = read_corpus(TABLES[library]({"text": texts}))
    assert [document.text for document in corpus.documents] == texts


def test_a_pipeline_is_a_model() -> None:
    network, words = tiny.network("bert"), tiny.tokenizer("wordpiece")
    asked: dict[str, Any] = {"data": pd.DataFrame(ROWS), "neutral_pairs": False}
    result = equipoise.measure(pipeline("fill-mask", model=network, tokenizer=words), "sbe", **asked)
    wrapped = equipoise.measure(equipoise.wrap_model(network, words, name="x"), "sbe", **asked)
    assert result.items["score"].tolist() == wrapped.items["score"].tolist()
    assert result.fingerprint == wrapped.fingerprint
