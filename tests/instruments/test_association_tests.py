"""WEAT, SEAT and C-SEAT against slow loops over the published formula, on vectors made by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tiny import network, tokenizer

import equipoise as eq
from equipoise.data.sets.association_tests import ROLES
from equipoise.errors import UserError
from equipoise.instruments.base import Settings, VectorChoice
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.static import StaticModel

SETS = {
    "first target": ["james", "robert", "david", "mark", "carl"],
    "second target": ["mary", "linda", "susan", "karen", "ruth"],
    "first attribute": ["work", "wages", "trade"],
    "second attribute": ["home", "babies", "cooking"],
}
TABLE = pd.DataFrame(
    [("t", role, f"set of {role}", word) for role, words in SETS.items() for word in words],
    columns=["test", "role", "set", "word"],
)
RNG = np.random.default_rng(12)
VECTORS = {word: RNG.normal(size=6).astype(np.float32) for words in SETS.values() for word in words}
MODEL = StaticModel(VECTORS, name="vectors")


def small_bert() -> Any:
    """A small BERT with random weights."""
    return wrap_model(network("bert"), tokenizer("wordpiece"), name="tiny", options=RunOptions(cache=False))


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def slow_effect(ddof: int) -> tuple[float, dict[str, float]]:
    """The formula of Caliskan et al. 2017, word by word."""
    first, second, one, other = (SETS[role] for role in ROLES)
    s = {
        w: np.mean([cosine(VECTORS[w], VECTORS[a]) for a in one])
        - np.mean([cosine(VECTORS[w], VECTORS[b]) for b in other])
        for w in (*first, *second)
    }
    spread = np.std(list(s.values()), ddof=ddof)
    return (np.mean([s[w] for w in first]) - np.mean([s[w] for w in second])) / spread, s


@pytest.mark.parametrize(("variant", "ddof"), [("sample", 1), ("wefe", 0)])
def test_weat_is_the_published_formula(variant: str, ddof: int) -> None:
    result = eq.measure(MODEL, "weat", data=TABLE, variant=variant)
    expected, associations = slow_effect(ddof)
    assert result.value("effect-size", test="t") == pytest.approx(expected, abs=1e-6)
    assert result.value("effect-size", measure="cosine", test="t") == pytest.approx(expected, abs=1e-6)
    scores = result.items.set_index("word")["score"]
    assert scores.to_dict() == pytest.approx(associations, abs=1e-6)


def test_what_models_are_compared_by_is_the_effect_size() -> None:
    result = eq.measure(MODEL, "weat", data=TABLE)
    assert result.value("effect-size") == pytest.approx(result.value("effect-size", test="t"))
    comparison = eq.compare(
        result, eq.measure(StaticModel(VECTORS | {"james": VECTORS["mary"]}, name="b"), "weat", data=TABLE)
    )
    assert "effect size" in str(comparison)


def test_the_p_counts_every_permutation() -> None:
    from itertools import combinations

    _, s = slow_effect(1)
    values = np.array([s[w] for w in (*SETS["first target"], *SETS["second target"])])
    observed = values[:5].sum()
    deals = [values[list(chosen)].sum() >= observed - 1e-9 for chosen in combinations(range(10), 5)]
    estimate = eq.measure(MODEL, "weat", data=TABLE).estimate("p", test="t")
    assert estimate["value"] == pytest.approx(np.mean(deals))
    assert estimate["low"] == estimate["high"] == estimate["value"]
    assert "all 252 permutations" in estimate["label"]


def test_all_four_measures_stand_side_by_side_and_one_is_chosen() -> None:
    result = eq.measure(MODEL, "weat", data=TABLE, vectors=VectorChoice(measure="manhattan"))
    by_measure = result.estimates[result.estimates["by"] == "measure x test"]
    assert by_measure["level"].str.split(" x ").str[0].tolist() == [
        "cosine",
        "euclidean",
        "manhattan",
        "mahalanobis",
    ]
    assert result.value("effect-size", test="t") == result.value("effect-size", measure="manhattan", test="t")
    james, work = VECTORS["james"], [VECTORS[word] for word in SETS["first attribute"]]
    home = [VECTORS[word] for word in SETS["second attribute"]]
    expected = np.mean([-np.abs(james - a).sum() for a in work]) - np.mean(
        [-np.abs(james - b).sum() for b in home]
    )
    assert result.items.set_index("word")["score"]["james"] == pytest.approx(expected, rel=1e-5)


def test_a_missing_word_is_named_and_counted() -> None:
    known = {word: vector for word, vector in VECTORS.items() if word not in ("mark", "wages")}
    result = eq.measure(StaticModel(known, name="v"), "weat", data=TABLE)
    estimate = result.estimate("effect-size", test="t")
    assert (estimate["n"], estimate["dropped"]) == (9, 1)
    assert any("mark" in notice for notice in result.notices)
    assert any("'mark'" in notice or "'wages'" in notice or "wages" in notice for notice in result.notices)


def test_attributes_without_a_vector_are_named_and_counted() -> None:
    known = {word: vector for word, vector in VECTORS.items() if word not in ("wages", "james")}
    result = eq.measure(StaticModel(known, name="vectors"), "weat", data=TABLE)
    assert "'vectors' has no vector for 2 words: james, wages" in result.notices


def test_a_set_that_becomes_too_small_is_refused_with_its_words() -> None:
    known = {word: vector for word, vector in VECTORS.items() if word not in ("work", "wages")}
    with pytest.raises(UserError, match="the model has 1 words; it lacks work, wages"):
        eq.measure(StaticModel(known, name="v"), "weat", data=TABLE)


@pytest.mark.parametrize(("word", "role"), [("Mary", "first target"), ("home", "first attribute")])
def test_sets_that_overlap_are_refused(word: str, role: str) -> None:
    table = pd.concat([TABLE, TABLE.iloc[:1].assign(role=role, word=word)])
    with pytest.raises(UserError, match=f"{role} and .*: {word.lower()}"):
        eq.measure(MODEL, "weat", data=table)


def test_a_test_without_a_set_and_a_role_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no second attribute"):
        eq.measure(MODEL, "weat", data=TABLE[TABLE["role"] != "second attribute"])
    with pytest.raises(UserError, match="line 2: the role 'targets' does not exist"):
        eq.measure(MODEL, "weat", data=TABLE.replace("first target", "targets"))
    (tmp_path / "x.jsonl").write_text('{"targ1": []}')
    with pytest.raises(UserError, match="not an association test"):
        eq.measure(MODEL, "weat", data=tmp_path / "x.jsonl")


def test_seat_by_word_keeps_the_sentences_of_a_word_together() -> None:
    """Static vectors have only the words of a frame: the interval and p must not grow with the frames."""
    frames = "They were talking about think it made us of nobody had mentioned before the story begins"
    more = {word: RNG.normal(size=6).astype(np.float32) for word in frames.split()}
    result = eq.measure(StaticModel(VECTORS | more, name="v"), "seat", data=TABLE)
    assert len(result.items) == 60
    assert "all 252 permutations" in result.estimate("p", test="t")["label"]
    assert result.items["cluster"].nunique() == 10


def test_bias_bench_pools_over_special_tokens() -> None:
    import torch

    model = small_bert()
    result = eq.measure(model, "seat", data=TABLE, variant="bias-bench")
    text = result.items["text"][0]
    vectors = {}
    for sentence in (text, *(f"They were talking about {w}." for w in SETS["first attribute"])):
        ids = torch.tensor([model.tokens.encode(sentence).ids])
        with torch.no_grad():
            states = model.transformers_model.base_model(input_ids=ids).last_hidden_state
        vectors[sentence] = states[0].mean(dim=0).numpy()
    from equipoise.models.questions import MEAN_WITH_SPECIAL, Embed

    (answer,) = model.answer([Embed(text, pooling=MEAN_WITH_SPECIAL)])
    np.testing.assert_allclose(answer.vector, vectors[text], atol=1e-5)
    assert "random 100,000 permutations" in result.estimate("p", test="t")["label"]


def test_every_layer_comes_from_one_pass_and_the_last_is_the_score() -> None:
    model = small_bert()
    result = eq.measure(model, "c-seat", data=TABLE, vectors=VectorChoice(layer="all"))
    texts = {f.replace("<word>", w) for w in VECTORS for f in pd.read_csv(FRAMES)["frame"]}
    assert model.engine.rows_run == len(texts)
    curve = result.estimates[result.estimates["by"] == "layer x test"]
    assert curve["level"].tolist() == ["0 x t", "1 x t", "2 x t"]
    assert curve["value"].iloc[-1] == result.value("effect-size", test="t")
    only = eq.measure(model, "c-seat", data=TABLE, vectors=VectorChoice(layer="1"))
    assert only.value("effect-size", test="t") == pytest.approx(curve["value"].iloc[1])


FRAMES = Path(eq.__file__).parent / "data" / "tables" / "association-frames.csv"


def test_choices_that_are_none_are_refused() -> None:
    for choice in ({"layer": "top"}, {"pooling": "max"}, {"measure": "cosin"}):
        with pytest.raises(UserError, match="There is no"):
            Settings(vectors=VectorChoice(**choice))
    with pytest.raises(UserError, match="Layer 40 was asked"):
        eq.measure("random", "weat", data=TABLE, vectors=VectorChoice(layer="40"))


def test_random_vectors_give_effects_around_zero() -> None:
    """As the card says: around 0, with a deviation of about sqrt(4 / n)."""
    effects = []
    for seed in range(25):
        rng = np.random.default_rng(seed)
        model = StaticModel({word: rng.normal(size=30).astype(np.float32) for word in VECTORS}, name="r")
        effects.append(eq.measure(model, "weat", data=TABLE).value("effect-size"))
    assert abs(np.mean(effects)) < 0.25
    assert 0.4 < np.std(effects) < 0.85


def test_our_own_tests_are_balanced_and_our_own() -> None:
    table = pd.read_csv(FRAMES.with_name("association-sets.csv"))
    assert table["test"].nunique() == 10
    assert set(table.groupby(["test", "role"]).size()) == {10}
    assert set(table["role"]) == set(ROLES)
