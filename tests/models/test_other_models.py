"""Word vectors, tables, and asking a model what it cannot answer."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import tiny
from tiny import wrapped

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Embed, Fill, Score, TopFill
from equipoise.models.static import StaticModel
from equipoise.models.table import TableModel

VECTORS = "3 2\nhe 1 0\nshe 0 1\nnurse 0.5 0.5\n"


def test_word_vectors_with_and_without_a_first_line(tmp_path: Path) -> None:
    (tmp_path / "a.vec").write_text(VECTORS)
    (tmp_path / "b.txt").write_text(VECTORS.split("\n", 1)[1])
    with gzip.open(tmp_path / "c.vec.gz", "wt") as file:
        file.write(VECTORS)
    for name in ("a.vec", "b.txt", "c.vec.gz"):
        model = load_model(tmp_path / name)
        assert model.kind == "static"
        np.testing.assert_array_equal(model.embed(["He, nurse", "she"]), [[0.75, 0.25], [0, 1]])


def test_unknown_words_have_no_vector() -> None:
    model = StaticModel({"he": np.ones(2, np.float32)}, name="v")
    assert np.isnan(model.embed(["zebra"])).all()


def test_word_vectors_answer_embed_only() -> None:
    model = StaticModel({"he": np.ones(2, np.float32)}, name="v")
    with pytest.raises(UserError, match="cannot fill a blank"):
        model.fill("[MASK] is a doctor.", ["he"])
    with pytest.raises(UserError, match="cannot score"):
        model.score(["He is a doctor."])


@pytest.mark.parametrize(
    ("text", "message"),
    [("he 1 0\nshe 0\n", "line 2"), ("he 1 x\n", "line 1"), ("", "no word vectors")],
)
def test_bad_vector_files(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "v.vec").write_text(text)
    with pytest.raises(UserError, match=message):
        load_model(tmp_path / "v.vec")


def test_a_causal_model_lists_no_words(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="likeliest words"):
        wrapped("gpt2", tmp_path).answer([TopFill("[MASK] is a doctor.")])


def test_a_causal_model_hides_one_word_only(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="second word"):
        wrapped("gpt2", tmp_path).answer([Fill("[MASK] is a [MASK].", ("he",), blank=0)])


def test_the_table_model_says_what_it_was_told() -> None:
    model = TableModel(
        {"[MASK] is a nurse.": {"he": 0.1, "she": 0.6}},
        scores={"He left.": [-1.0, -2.0]},
        vectors={"he": [1.0, 2.0]},
    )
    assert isinstance(model, LanguageModel)
    table = model.fill("[MASK] is a nurse.", ["she", "he"])
    np.testing.assert_allclose(table["probability"], [0.6, 0.1])
    assert model.fill("[MASK] is a nurse.", top=1)["word"].tolist() == ["she"]
    assert model.answer([Score("He left.")])[0].total == -3.0
    assert model.answer([Embed("he")])[0].vector.tolist() == [1.0, 2.0]
    with pytest.raises(UserError, match="told nothing"):
        model.fill("[MASK] is a pilot.", ["he"])


def test_fill_and_score_have_one_shape_each(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    assert list(model.fill("[MASK] is a doctor.", ["he"])) == list(model.fill("[MASK] is a doctor.", top=3))
    assert model.fill("[MASK] is a doctor.", "he").equals(model.fill("[MASK] is a doctor.", ["he"]))
    assert set(model.score(["He left.", "She left."])["sentence"]) == {0, 1}
    assert model.score("He left.")["sentence"].tolist() == model.score(["He left."])["sentence"].tolist()


def test_embed_is_the_mean_hidden_state(tmp_path: Path) -> None:
    import torch

    model = wrapped("bert", tmp_path)
    encoded = model.tokens.encode("Her mother was a pilot.")
    with torch.no_grad():
        states = model.transformers_model(
            input_ids=torch.tensor([encoded.ids]), output_hidden_states=True
        ).hidden_states
    for layer in (0, 1, -1):
        expected = states[layer][0, encoded.content].mean(0)
        found = model.embed(["Her mother was a pilot."], layer=layer)[0]
        np.testing.assert_allclose(found, expected, atol=1e-5)
    (word,) = model.answer([Embed("Her mother was a pilot.", span=(4, 10))])
    places = encoded.positions((4, 10))
    np.testing.assert_allclose(word.vector, states[-1][0, places].mean(0), atol=1e-5)
    with pytest.raises(UserError, match="Layer 9"):
        model.embed(["He left."], layer=9)


def test_an_unknown_word_is_refused_or_nan(tmp_path: Path) -> None:
    model = wrapped("bert", tmp_path)
    with pytest.raises(UserError, match="unknown to the tokenizer"):
        model.fill("[MASK] is a doctor.", ["雪"])
    (found,) = model.answer([Fill("[MASK] is a doctor.", ("he", "雪"), unknown_as_nan=True)])
    assert np.isfinite(found.logprobs[0])
    assert np.isnan(found.logprobs[1])
    assert found.pieces == (1, 0)


def test_a_causal_model_that_knows_none_of_the_words(tmp_path: Path) -> None:
    model = wrapped("llama", tmp_path)
    (found,) = model.answer([Fill("[MASK] is a doctor.", ("雪", "月"), unknown_as_nan=True)])
    assert np.isnan(found.logprobs).all()


def test_a_word_asked_twice_of_a_causal_model_counts_once() -> None:
    model = wrap_model(
        tiny.network("gpt2"), tiny.tokenizer("byte-bpe"), name="gpt2", options=RunOptions(cache=False)
    )
    once = model.fill("[MASK] is a nurse.", ["he", "she"]).set_index("word")["probability"]
    twice = model.fill("[MASK] is a nurse.", ["he", "he", "she"])["probability"].tolist()
    assert twice == pytest.approx([once["he"], once["he"], once["she"]])


@pytest.mark.parametrize("top", [0, -1])
def test_no_likeliest_words_are_refused(top: int) -> None:
    model = wrap_model(
        tiny.network("bert"), tiny.tokenizer("wordpiece"), name="bert", options=RunOptions(cache=False)
    )
    with pytest.raises(UserError, match=f"The {top} likeliest words"):
        model.fill("[MASK] is a nurse.", top=top)
    with pytest.raises(UserError, match="No text was given"):
        model.embed([])
    assert model.embed(iter(["He left."])).shape == (1, 32)
