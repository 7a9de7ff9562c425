"""CEAT on a corpus written for it: which sentences are drawn, what is combined, what is missing."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.meta_analysis import combine_effects as reference

import equipoise as eq
from equipoise.corpora.contexts import contexts_of_words
from equipoise.corpora.documents import Document, Where
from equipoise.errors import UserError
from equipoise.models.static import StaticModel
from equipoise.stats.repeats import combine_effects, effect_size_variance

SETS = {
    "first target": ["men", "boys", "uncles"],
    "second target": ["women", "girls", "aunts"],
    "first attribute": ["work", "wages"],
    "second attribute": ["home", "babies"],
}
TABLE = pd.DataFrame(
    [("t", role, role, word) for role, words in SETS.items() for word in words],
    columns=["test", "role", "set", "word"],
)
WORDS = [word for words in SETS.values() for word in words]


def documents(texts: list[str]) -> list[Document]:
    return [Document(str(number), text, {}, Where("f", number)) for number, text in enumerate(texts)]


def write_corpus(folder: Path, words: list[str]) -> Path:
    (folder / "association-sets.csv").write_text(TABLE.to_csv(index=False))
    lines = [
        f"Somebody spoke of {word} in{' the town' * number}." for word in words for number in range(1, 31)
    ]
    path = folder / "corpus.txt"
    path.write_text("\n".join(lines))
    return path


def test_every_word_gets_sentences_that_hold_it() -> None:
    texts = ["Men came. The lemons were sour, and a woman left.", "No MEN here; mark my words.", "Mark left."]
    drawn = contexts_of_words(documents(texts), ["men", "Mark", "women"], size=5, seed=0)
    assert [context.text for context in drawn["men"]] == ["Men came.", "No MEN here; mark my words."]
    assert [context.text[slice(*context.span)] for context in drawn["men"]] == ["Men", "MEN"]
    assert [context.text for context in drawn["Mark"]] == ["Mark left."]
    assert drawn["women"] == []


def test_each_sentence_is_as_likely_as_any_other() -> None:
    texts = [f"Word number {number} men." for number in range(40)]
    counts = np.zeros(40)
    for seed in range(400):
        for context in contexts_of_words(documents(texts), ["men"], size=10, seed=seed)["men"]:
            counts[int(context.document)] += 1
    assert counts.sum() == 4000
    assert abs(counts - 100).max() < 5 * np.sqrt(100 * 0.75)


def test_the_combination_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(3)
    effects, variances = rng.normal(0.4, 0.5, size=12), rng.uniform(0.02, 0.3, size=12)
    combined = combine_effects(effects, variances)
    other = reference(effects, variances, method_re="dl")
    assert combined.value == pytest.approx(other.mean_effect_re)
    assert combined.between == pytest.approx(other.tau2)
    assert combined.between > 0
    assert effect_size_variance(np.array([0.5]), 8, 12)[0] == pytest.approx(20 / 96 + 0.25 / 40)


def test_static_vectors_give_weat_in_every_sample(tmp_path: Path) -> None:
    """A static vector is the same in every sentence: all samples agree with weat."""
    rng = np.random.default_rng(1)
    model = StaticModel({word: rng.normal(size=5).astype(np.float32) for word in WORDS}, name="v")
    result = eq.measure(model, "ceat", data=write_corpus(tmp_path, WORDS))
    weat = eq.measure(model, "weat", data=TABLE).value("effect-size", test="t")
    assert result.items["score"].tolist() == pytest.approx([weat] * 500)
    estimate = result.estimate("combined-effect-size", test="t")
    assert estimate["value"] == pytest.approx(weat)
    half = 1.96 * np.sqrt(6 / 9 + weat**2 / 12)
    assert estimate["high"] - estimate["value"] == pytest.approx(half)


def test_contexts_move_a_contextual_model(tmp_path: Path) -> None:
    result = eq.measure("random", "ceat", data=write_corpus(tmp_path, WORDS))
    assert result.items["score"].std() > 0
    assert result.provenance["questions"] == 20 * len(WORDS)


def test_words_that_the_corpus_lacks_are_told_and_a_small_set_refused(tmp_path: Path) -> None:
    path = write_corpus(tmp_path, [word for word in WORDS if word != "uncles"])
    result = eq.measure("random", "ceat", data=path)
    assert any("1 words have no sentence in the corpus: uncles" in notice for notice in result.notices)
    path = write_corpus(tmp_path, [word for word in WORDS if word != "wages"])
    with pytest.raises(UserError, match="fewer than 2 words of first attribute"):
        eq.measure("random", "ceat", data=path)
