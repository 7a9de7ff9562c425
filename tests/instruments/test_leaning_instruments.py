"""Direct bias, RIPA, neighbourhood, clustering and the probe on vectors whose answers are known."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact
from tiny import network, tokenizer

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.instruments.base import VectorChoice
from equipoise.models.loading.networks import wrap_model
from equipoise.models.options import RunOptions
from equipoise.models.static import StaticModel
from equipoise.stats.directions import held_out_decisions, nearest, pair_direction

ALL = ["direct-bias", "ripa", "neighbourhood", "clustering", "gender-probe"]
PAIRS = own_table("direction-pairs.csv")
WORDS = pd.DataFrame(
    [(f"{leaning[0]}{number}", leaning) for leaning in ("male", "female") for number in range(30)],
    columns=["word", "leaning"],
)


def space(
    words: pd.DataFrame = WORDS, *, width: int = 20, along: float = 0.0, hidden: float = 0.0, seed: int = 0
) -> StaticModel:
    """Gender lies on axis 0; leaning words are moved along it, and along axis 1, by so much."""
    rng = np.random.default_rng(seed)
    vectors: dict[str, Any] = {}
    for place, row in enumerate(PAIRS.itertuples()):
        middle = rng.normal(size=width) * 0.1
        for word, side in ((row.male, 1.0), (row.female, -1.0)):
            # The rest of a pair's difference is different in every pair.
            vectors[word] = middle + side * np.eye(width)[0] + side * 0.2 * np.eye(width)[2 + place % 10]
    for row in words.itertuples():
        side = 1.0 if row.leaning == "male" else -1.0
        vectors[row.word] = rng.normal(size=width)
        vectors[row.word][:2] = [side * along, side * hidden]
    return StaticModel({word: vector.astype(np.float32) for word, vector in vectors.items()}, name="made")


def test_direct_bias_is_the_mean_cosine_with_the_first_component() -> None:
    model = space(along=0.5)
    result = eq.measure(model, "direct-bias", data=WORDS)
    rows = model.vectors.rows
    male, female = (model.vectors.matrix[[rows[word] for word in PAIRS[side]]] for side in ("male", "female"))
    centred = np.concatenate([male - (male + female) / 2, female - (male + female) / 2]).astype(float)
    values, axes = np.linalg.eigh(centred.T @ centred)
    axis = axes[:, -1] * np.sign(axes[0, -1])
    vectors = model.vectors.matrix[[rows[word] for word in WORDS["word"]]].astype(float)
    cosines = vectors @ axis / np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(result.items["score"], cosines, atol=1e-6)
    assert result.value("direct-bias") == pytest.approx(np.abs(cosines).mean(), abs=1e-6)
    assert result.value("separation") == pytest.approx(cosines[:30].mean() - cosines[30:].mean(), abs=1e-6)
    assert result.value("explained") == pytest.approx(values[-1] / values.sum(), abs=1e-6)


def test_ripa_is_the_mean_inner_product() -> None:
    model = space(along=0.5)
    rows, matrix = model.vectors.rows, model.vectors.matrix.astype(float)
    products = []
    for pair in PAIRS.itertuples():
        difference = matrix[rows[pair.male]] - matrix[rows[pair.female]]
        products.append(matrix[rows["m3"]] @ difference / np.linalg.norm(difference))
    result = eq.measure(model, "ripa", data=WORDS)
    assert result.items.set_index("word")["score"]["m3"] == pytest.approx(np.mean(products), abs=1e-6)


def test_neighbours_are_counted_as_a_slow_loop_counts_them() -> None:
    model = space(hidden=1.0)
    result = eq.measure(model, "neighbourhood", data=WORDS)
    rows, matrix = model.vectors.rows, model.vectors.matrix.astype(float)
    unit = {w: matrix[rows[w]] / np.linalg.norm(matrix[rows[w]]) for w in WORDS["word"]}
    for word in ("m0", "f7"):
        others = sorted((w for w in unit if w != word), key=lambda w, of=word: -float(unit[w] @ unit[of]))[
            :20
        ]
        male = sum(w.startswith("m") for w in others)
        assert result.items.set_index("word")["score"][word] == pytest.approx((male - (20 - male)) / 20)
    signed = result.items["score"] * np.where(result.items["leaning"] == "male", 1, -1)
    assert result.value("same-leaning") == pytest.approx(((1 + signed) / 2).mean())


def test_a_projection_that_hides_gender_is_caught() -> None:
    """Nothing is left along the direction, and everything on an axis beside it."""
    hidden = space(along=0.0, hidden=3.0)
    results = {result.instrument: result for result in eq.audit(hidden, ALL, settings(WORDS))}
    assert abs(results["direct-bias"].value("separation")) < 0.08
    assert results["neighbourhood"].value("same-leaning") > 0.75
    assert results["clustering"].value("accuracy") > 0.95
    assert results["clustering"].value("p") < 1e-10
    assert results["gender-probe"].value("accuracy") > 0.9
    removed = {result.instrument: result for result in eq.audit(space(), ALL, settings(WORDS))}
    assert removed["gender-probe"].value("accuracy") < 0.68
    assert removed["clustering"].value("p") > 0.01
    assert abs(removed["neighbourhood"].value("separation")) < 0.15


def test_the_gaussian_probe_sees_what_the_linear_one_cannot() -> None:
    """Leaning by the sign of a product of two axes: no line tells it."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(300, 2))
    signs = np.sign(vectors[:, 0] * vectors[:, 1])
    linear, rbf = (
        (held_out_decisions(vectors, signs, kernel=kernel) * signs > 0).mean() for kernel in ("linear", "rbf")
    )
    assert linear < 0.62
    assert rbf > 0.85


def test_the_probe_gains_nothing_by_guessing_the_larger_class() -> None:
    """Of 180 words of one side and 20 of the other that overlap, it finds as large a part of both."""
    rng = np.random.default_rng(3)
    signs = np.repeat([1.0, -1.0], [180, 20])
    vectors = rng.normal(size=(200, 2)) + 0.8 * signs[:, None]
    right = held_out_decisions(vectors, signs, kernel="rbf") * signs > 0
    assert right[signs < 0].mean() > 0.7
    assert right[signs > 0].mean() > 0.7


def test_a_word_is_never_told_by_itself() -> None:
    """Held out means held out: labels without any pattern cannot be read from vectors as wide as many."""
    rng = np.random.default_rng(2)
    accuracies = []
    for _ in range(20):
        signs = rng.permutation(np.repeat([1.0, -1.0], 50))
        decisions = held_out_decisions(rng.normal(size=(100, 200)), signs, kernel="linear")
        accuracies.append((decisions * signs > 0).mean())
    assert 0.45 < np.mean(accuracies) < 0.55


@pytest.mark.parametrize("name", ALL)
def test_random_vectors_give_what_the_cards_say(name: str) -> None:
    rng = np.random.default_rng(6)
    words = [*single_words()["word"], *PAIRS["male"], *PAIRS["female"]]
    values = []
    for _ in range(8):
        model = StaticModel({word: rng.normal(size=50).astype(np.float32) for word in words}, name="r")
        result = eq.measure(model, name, data=single_words())
        values.append(result.value(KEYS[name]))
    low, high = EXPECTED[name]
    assert low < np.mean(values) < high, values


KEYS = {
    "direct-bias": "direct-bias",
    "ripa": "separation",
    "neighbourhood": "separation",
    "clustering": "accuracy",
    "gender-probe": "accuracy",
}
EXPECTED = {
    "direct-bias": (0.10, 0.125),
    "ripa": (-0.2, 0.2),
    "neighbourhood": (-0.06, 0.04),
    "clustering": (0.5, 0.56),
    "gender-probe": (0.46, 0.54),
}


def single_words() -> pd.DataFrame:
    table = own_table("leaning-words.csv")[["word", "leaning"]]
    return table.assign(word=table["word"].str.replace(" ", ""))


def settings(words: pd.DataFrame) -> dict[str, Any]:
    return {name: eq.Settings(data=words) for name in ALL}


def test_fishers_p_and_missing_words() -> None:
    model = space(hidden=0.7)
    del model.vectors.rows["m4"]
    result = eq.measure(model, "clustering", data=WORDS)
    known = result.items[result.items["dropped"] == ""]
    table = pd.crosstab(known["score"] > 0, known["leaning"])
    assert result.value("p") == pytest.approx(fisher_exact(table.to_numpy()).pvalue)
    assert len(known) == 59
    assert result.estimate("accuracy")["dropped"] == 1
    assert any("1 words left out" in notice and "m4" in notice for notice in result.notices)


def test_too_few_words_and_wrong_leanings_are_refused() -> None:
    with pytest.raises(UserError, match="30 words that lean to men and 4 to women"):
        eq.measure(space(), "ripa", data=WORDS[:34])
    with pytest.raises(UserError, match="line 2: the leaning 'man' does not exist"):
        eq.measure(space(), "ripa", data=WORDS.replace("male", "man"))
    only = {word: np.ones(3, np.float32) for word in WORDS["word"]}
    with pytest.raises(UserError, match="no vector for any of the pairs"):
        eq.measure(StaticModel(only, name="v"), "direct-bias", data=WORDS)


def test_pairs_that_are_one_word_have_no_direction() -> None:
    with pytest.raises(UserError, match="the same vector"):
        pair_direction(np.ones((3, 2)), np.ones((3, 2)))


def test_nearest_leaves_the_word_itself_out() -> None:
    vectors = np.array([[1.0, 0.0], [2.0, 0.1], [0.0, 1.0]])
    assert nearest(vectors, 1).ravel().tolist() == [1, 0, 1]


@pytest.mark.parametrize("name", ALL)
def test_every_layer_of_a_contextual_model(name: str) -> None:
    model = wrap_model(network("bert"), tokenizer("wordpiece"), name="tiny", options=RunOptions(cache=False))
    result = eq.measure(model, name, vectors=VectorChoice(layer="all"))
    rows = result.estimates[(result.estimates["by"] == "layer") & (result.estimates["key"] == KEYS[name])]
    assert rows["level"].tolist() == ["0", "1", "2"]
    assert rows["value"].iloc[-1] == pytest.approx(result.value(KEYS[name]))
    assert np.isfinite(rows["value"]).all()


def test_frames_average_the_word_in_its_sentences() -> None:
    model = wrap_model(network("bert"), tokenizer("wordpiece"), name="tiny", options=RunOptions(cache=False))
    framed = eq.measure(model, "ripa", variant="in-frames")
    alone = eq.measure(model, "ripa")
    assert framed.provenance["questions"] == 6 * alone.provenance["questions"]
    assert not np.allclose(framed.items["score"], alone.items["score"])
