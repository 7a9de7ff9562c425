"""Training word vectors: words of one context come together, the same seed gives the same numbers."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import UserError
from equipoise.models.static.binaries import write_binary
from equipoise.models.static.files import read_vectors
from equipoise.models.static.training import SentenceStream, SkipGram, train_vectors

NEEDS = "needs gensim (pip install gensim)"
TOPICS = [[f"{letter}{number}" for number in range(8)] for letter in "ab"]
RECIPE = SkipGram(width=16, window=4, epochs=4, fewest=5)


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thousand sentences, each of words of one of two topics; a document has two."""
    rng = random.Random(1)
    lines = [" ".join(rng.choices(rng.choice(TOPICS), k=8)) for _ in range(1000)]
    path = tmp_path_factory.mktemp("text") / "sentences.txt"
    path.write_text("".join(f"{line}\n\n" if place % 2 else f"{line}\n" for place, line in enumerate(lines)))
    return path


def test_words_of_one_topic_come_together(sentences: Path, tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason=NEEDS)
    told: list[tuple[int, int]] = []
    vectors = train_vectors(sentences, RECIPE, seed=2, advance=lambda *way: told.append(way))
    unit = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    near = unit @ unit.T
    is_a = np.array([word[0] == "a" for word in vectors.words])
    same = is_a[:, None] == is_a[None, :]
    assert near[same].min() > near[~same].max() + 0.05
    assert told[-1] == (5 * sentences.stat().st_size,) * 2  # one pass counts words, four train
    write_binary(vectors, tmp_path / "v.bin")
    again = read_vectors(tmp_path / "v.bin")
    assert list(again.words) == list(vectors.words)
    np.testing.assert_array_equal(again.matrix, vectors.matrix)


def test_a_seed_decides(sentences: Path) -> None:
    pytest.importorskip("gensim", reason=NEEDS)
    first, same, other = (train_vectors(sentences, RECIPE, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.matrix, same.matrix)
    assert np.abs(first.matrix - other.matrix).max() > 0.01


def test_documents_are_drawn_anew_as_wholes(sentences: Path) -> None:
    """Poisson's bootstrap: about a third of the documents is not drawn, and every pass is the same."""
    plain = list(SentenceStream(sentences))
    assert len(plain) == 1000
    drawn = list(SentenceStream(sentences, resample=3))
    assert drawn == list(SentenceStream(sentences, resample=3))
    assert drawn != list(SentenceStream(sentences, resample=4))
    documents = [tuple(map(tuple, plain[place : place + 2])) for place in range(0, 1000, 2)]
    taken = {tuple(map(tuple, drawn[place : place + 2])) for place in range(0, len(drawn), 2)}
    assert taken <= set(documents)
    assert len(taken) / len(documents) == pytest.approx(1 - np.exp(-1), abs=0.06)


def test_the_last_document_is_drawn_like_any_other(tmp_path: Path) -> None:
    """The empty line after it may be missing: it then stood once in every draw."""
    path = tmp_path / "s.txt"
    path.write_text("one\n\nlast")
    times = [list(SentenceStream(path, resample=seed)).count(["last"]) for seed in range(300)]
    shares = [times.count(number) / 300 for number in range(3)]
    assert shares == pytest.approx([np.exp(-1), np.exp(-1), np.exp(-1) / 2], abs=0.08)


def test_text_without_a_frequent_word_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("gensim", reason=NEEDS)
    (tmp_path / "s.txt").write_text("one two three\n\n")
    with pytest.raises(UserError, match="No word stands 5 times"):
        train_vectors(tmp_path / "s.txt", RECIPE)


def test_without_gensim_it_is_told_how_to_get_it(sentences: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(UserError) as refusal:
        train_vectors(sentences, RECIPE)
    assert "pip install gensim" in refusal.value.hint


@pytest.mark.parametrize("name", ["width", "window", "epochs", "fewest"])
def test_a_recipe_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"{name} is 0"):
        SkipGram(**{name: 0})
