"""Rows that begin alike are run as trees: fewer tokens, the same answers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from tiny import plain_logprobs, tokenizer, wrapped

from equipoise.models.engine.plan import WIDTH, batches, cut_into_trees, grow, tokens_in, tree_size
from equipoise.models.engine.rows import Row
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.questions import Fill, Score

WORDS = ("he", "she", "they", "the nurse", "a doctor")
BLANKS = (
    "The nurse said that [MASK] would help.",
    "The nurse said that [MASK] left.",
    "[MASK] is a doctor.",
    "She, he and they walked home together after the long concert, and [MASK] smiles.",
)
TEXTS = [blank.replace("[MASK]", word) for blank in BLANKS for word in WORDS]


def test_a_tree_holds_every_beginning_once() -> None:
    rows = [Row(ids, shared=True) for ids in ((1, 2, 3), (1, 2, 4, 5), (1, 6), (7,))]
    tree = grow(rows)
    assert len(tree.ids) == tree_size(rows) == 7  # 1, 1-2, 1-2-3, 1-2-4, 1-2-4-5, 1-6, 7
    assert [[tree.ids[node] for node in nodes] for nodes in tree.nodes] == [list(row.ids) for row in rows]
    assert [tree.depths[node] for node in tree.nodes[1]] == [0, 1, 2, 3]


def test_batches_keep_every_row_and_whoever_cuts_them_finds_the_same_trees() -> None:
    rng = np.random.default_rng(0)
    rows = [
        Row(tuple(rng.integers(0, 3, size=rng.integers(1, 60)).tolist()), shared=True) for _ in range(400)
    ]
    pairs = list({row.key: row for row in rows}.items())
    packed = batches(pairs, 1024)
    assert sorted(key for batch in packed for key, _ in batch) == sorted(key for key, _ in pairs)
    for batch in packed:
        assert tokens_in(batch) <= 1024
        sizes = [tree_size(tree) for tree in cut_into_trees([row for _, row in batch])]
        assert max(sizes) <= WIDTH
    whole = {row.ids[: place + 1] for _, row in pairs for place in range(len(row.ids))}
    assert sum(map(tokens_in, packed)) < 1.35 * len(whole)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_answers_are_those_of_each_sentence_by_itself(family: str, tmp_path: Path) -> None:
    model = wrapped(family, tmp_path)
    questions = [Score(text) for text in TEXTS]
    assert all(row.shared for one in questions for row in model.ask(one).rows)
    for question, answer in zip(questions, model.answer(questions), strict=True):
        encoded = model.encode(question.text)
        table = plain_logprobs(model, list(encoded.ids))
        expected = [table[place - 1, encoded.ids[place]].item() for place in encoded.content if place]
        np.testing.assert_allclose(answer.logprobs, expected, atol=1e-5)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_padding_and_company_change_nothing(family: str, tmp_path: Path) -> None:
    alone, together = wrapped(family, tmp_path / "a"), wrapped(family, tmp_path / "b")
    questions = [Fill(blank, WORDS) for blank in BLANKS]
    one_by_one = [alone.answer([question])[0].logprobs for question in questions]
    np.testing.assert_allclose([one.logprobs for one in together.answer(questions)], one_by_one, atol=1e-5)
    rows = [replace(row, shared=False) for one in questions for row in alone.ask(one).rows]
    padded = alone.engine.compute(rows)
    trees = alone.engine.compute([replace(row, shared=True) for row in rows])
    for plain, shared in zip(padded, trees, strict=True):
        assert plain.logprobs.keys() == shared.logprobs.keys()
        np.testing.assert_allclose(list(plain.logprobs.values()), list(shared.logprobs.values()), atol=1e-5)


def test_what_two_words_share_is_run_once(tmp_path: Path) -> None:
    model = wrapped("llama", tmp_path)
    text = "The old carpenter lost his keys, so her brother opened the door and [MASK] smiles."
    rows = model.ask(Fill(text, ("he", "she"))).rows
    pairs = [(row.key, row) for row in rows]
    beginnings = {row.ids[: place + 1] for row in rows for place in range(len(row.ids))}
    assert sum(tokens_in(batch) for batch in batches(pairs, 4096)) == len(beginnings)
    assert len(beginnings) < 0.65 * sum(len(row.ids) for row in rows)


def test_a_network_that_looks_only_so_far_back_runs_longer_rows_by_themselves(tmp_path: Path) -> None:
    words = tokenizer("unigram")
    config = transformers.MistralConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        intermediate_size=48,
        sliding_window=12,
        initializer_range=0.3,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        mistral = transformers.MistralForCausalLM(config).eval()
    model = wrap_model(mistral, words, name="m", options=RunOptions(store=tmp_path / "a.sqlite"))
    by_length = [model.ask(Score(text)).rows[0] for text in TEXTS]
    assert {row.shared for row in by_length} == {True, False}
    assert all(row.shared == (len(row.ids) <= 12) for row in by_length)
    _check_against_plain(model)


def test_a_network_that_ignores_where_tokens_stand_is_run_row_by_row(tmp_path: Path) -> None:
    words = tokenizer("unigram")
    with torch.random.fork_rng():
        torch.manual_seed(1)
        bloom = transformers.BloomForCausalLM(
            transformers.BloomConfig(vocab_size=len(words), hidden_size=32, n_layer=2, n_head=2)
        ).eval()
    model = wrap_model(bloom, words, name="b", options=RunOptions(store=tmp_path / "a.sqlite"))
    assert not any(row.shared for text in TEXTS for row in model.ask(Score(text)).rows)
    _check_against_plain(model)


def test_what_was_stored_row_by_row_is_not_run_again(tmp_path: Path) -> None:
    row = Row((1, 2, 3), ((0, 2),))
    assert row.key == replace(row, shared=True).key


def _check_against_plain(model: Any) -> None:
    for text, answer in zip(TEXTS, model.answer([Score(text) for text in TEXTS]), strict=True):
        encoded = model.encode(text)
        table = plain_logprobs(model, list(encoded.ids))
        expected = [table[place - 1, encoded.ids[place]].item() for place in encoded.content if place]
        np.testing.assert_allclose(answer.logprobs, expected, atol=1e-5)
