"""A network that answers NaN, as after a training that diverged, is refused by name and nothing is kept."""

import copy
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import tiny
import torch
import transformers

from equipoise.errors import UserError
from equipoise.measuring import measure
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Classify, Embed, Fill, Question, Score, TopFill

QUESTIONS = {
    "fill": Fill("[MASK] is a good teacher.", ("he", "she")),
    "likeliest": TopFill("[MASK] is a good teacher.", 3),
    "score": Score("He is a good teacher."),
    "embed": Embed("He is a good teacher."),
}


def stored(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT COUNT(*) FROM answers").fetchone()[0])


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_weights_that_diverge_behind_a_model_are_refused(question: Question, tmp_path: Path) -> None:
    network = copy.deepcopy(tiny.network("bert"))
    options = RunOptions(store=tmp_path / "answers.sqlite")
    model = wrap_model(network, tiny.tokenizer("wordpiece"), name="mine", options=options)
    model.answer([question])
    kept = stored(tmp_path / "answers.sqlite")
    with torch.no_grad():
        network.bert.encoder.layer[0].output.dense.weight[0, 0] = torch.nan
    for _ in range(2):  # the second time nothing comes from memory either
        with pytest.raises(UserError, match=r"^'mine' answers NaN") as caught:
            model.answer([question])
    assert "before its training diverged" in caught.value.hint
    assert stored(tmp_path / "answers.sqlite") == kept > 0


def test_one_broken_word_is_enough() -> None:
    network, words = copy.deepcopy(tiny.network("bert")), tiny.tokenizer("wordpiece")
    model = wrap_model(network, words, name="mine", options=RunOptions(cache=False))
    with torch.no_grad():
        network.get_output_embeddings().bias[words.convert_tokens_to_ids("she")] = torch.nan
    with pytest.raises(UserError, match=r"^'mine' answers NaN"):
        measure(model, "traits")


def test_a_broken_classifier_is_refused() -> None:
    words = tiny.tokenizer("wordpiece")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        num_labels=2,
    )
    network = transformers.BertForSequenceClassification(config)
    torch.nn.init.constant_(network.classifier.bias, torch.nan)
    model = wrap_model(network, words, name="mine", options=RunOptions(cache=False))
    with pytest.raises(UserError, match=r"^'mine' answers NaN"):
        model.answer([Classify("He is a good teacher.")])
