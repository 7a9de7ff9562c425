"""Files of word vectors: every format gives the same numbers, and what is wrong is named."""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

from equipoise.errors import UserError
from equipoise.models.loading import load_model
from equipoise.models.static import StaticModel, texts
from equipoise.models.static.files import read_vectors
from equipoise.models.static.table import WordVectors

WORDS = ["he", "she", "naïve", '"', "N/A", "nan", "1.5"]
MATRIX = np.random.default_rng(3).normal(size=(len(WORDS), 4)).astype(np.float32)


def as_text(words: list[str] = WORDS, matrix: np.ndarray = MATRIX) -> str:
    rows = zip(words, matrix.tolist(), strict=True)
    return "".join(f"{word} {' '.join(map(repr, numbers))}\n" for word, numbers in rows)


def as_binary() -> bytes:
    parts = [b"7 4\n"]
    for word, vector in zip(WORDS, MATRIX, strict=True):
        parts += [word.encode(), b" ", vector.astype("<f4").tobytes(), b"\n"]
    return b"".join(parts)


def write_all(folder: Path) -> list[Path]:
    (folder / "glove.txt").write_text(as_text(), encoding="utf-8")
    (folder / "w2v.vec").write_text("7 4\n" + as_text(), encoding="utf-8")
    (folder / "open.vec").write_text(as_text().rstrip("\n"), encoding="utf-8")
    (folder / "spaced.vec").write_text(as_text().replace("\n", " \n"), encoding="utf-8")
    (folder / "w2v.bin").write_bytes(as_binary())
    (folder / "array").mkdir()
    np.save(folder / "array" / "vectors.npy", MATRIX)
    (folder / "array" / "vectors.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    with gzip.open(folder / "packed.txt.gz", "wb") as file:
        file.write(as_text().encode())
    with gzip.open(folder / "packed.bin.gz", "wb") as file:
        file.write(as_binary())
    return [path for path in folder.rglob("*") if path.is_file() and path.name != "vectors.txt"]


def test_every_format_gives_the_same_words_and_numbers(tmp_path: Path) -> None:
    paths = write_all(tmp_path)
    assert len(paths) == 8
    for path in paths:
        vectors = read_vectors(path)
        assert list(vectors.words) == WORDS, path
        np.testing.assert_array_equal(vectors.matrix, MATRIX, err_msg=str(path))
    assert len({load_model(path).fingerprint for path in paths}) == 1


def test_blocks_join_without_a_seam(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines cut by the end of a block, a block without a line's end, many more blocks than threads."""
    words = [f"w{number}" for number in range(500)]
    matrix = np.random.default_rng(1).normal(size=(500, 5)).astype(np.float32)
    (tmp_path / "v.vec").write_text("500 5\n" + as_text(words, matrix))
    for size in (37, 211, 4096):
        monkeypatch.setattr(texts, "BLOCK", size)
        vectors = read_vectors(tmp_path / "v.vec")
        assert list(vectors.words) == words
        np.testing.assert_array_equal(vectors.matrix, matrix)


def test_the_line_at_fault_is_named_beyond_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = as_text([f"w{number}" for number in range(50)], np.ones((50, 3), np.float32)).split("\n")
    lines[41] = "w41 1.0 2.0"
    (tmp_path / "v.vec").write_text("\n".join(lines))
    monkeypatch.setattr(texts, "BLOCK", 64)
    with pytest.raises(UserError, match="line 42: 2 numbers where 3 are expected"):
        read_vectors(tmp_path / "v.vec")


def test_a_word_may_hold_spaces(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("he 1 0\n. . . 0 1\nshe 1 1\n")
    vectors = read_vectors(tmp_path / "v.txt")
    assert list(vectors.words) == ["he", ". . .", "she"]
    np.testing.assert_array_equal(vectors.matrix, [[1, 0], [0, 1], [1, 1]])


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_vector_without_numbers_is_refused_by_its_word(number: str, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text(f"he 1 0\nshe {number} 1\n")
    with pytest.raises(UserError, match=r"'she' \(number 2\)"):
        read_vectors(tmp_path / "v.txt")


def test_a_binary_file_cut_short_is_refused(tmp_path: Path) -> None:
    whole = as_binary()
    for kept in (len(whole) - 30, 40, 2, 0):
        (tmp_path / "v.bin").write_bytes(whole[:kept])
        with pytest.raises(UserError, match=r"cut short|begin with the counts|is empty"):
            load_model(tmp_path / "v.bin")
    (tmp_path / "v.bin").write_bytes(b"900000000000 300\nhe " + bytes(1200))
    with pytest.raises(UserError, match="promises 900,000,000,000 words"):
        load_model(tmp_path / "v.bin")


def test_an_array_needs_as_many_words_as_rows(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", MATRIX)
    with pytest.raises(UserError, match="has no words; files that could hold them: none"):
        load_model(tmp_path / "v.npy")
    (tmp_path / "v.vocab").write_text("he\nshe")
    with pytest.raises(UserError, match=r"has 7 rows and v\.vocab 2 words"):
        load_model(tmp_path / "v.npy")
    np.save(tmp_path / "v.npy", np.array(["he"]))
    with pytest.raises(UserError, match="array of <U2"):
        load_model(tmp_path / "v.npy")
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(UserError, match="not a complete npy file"):
        load_model(tmp_path / "v.npy")


def test_a_word_that_stands_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("he 1 0\nshe 0 1\nhe 5 5\n")
    model = load_model(tmp_path / "v.txt")
    assert model.embed(["he"]).tolist() == [[1.0, 0.0]]
    assert model.notes == ("1 words stand twice; the first counts",)


def test_missing_words_are_told_and_marks_are_none() -> None:
    model = StaticModel(WordVectors(["he", "nurse"], np.eye(2, dtype=np.float32)), name="v")
    assert model.unknown_parts("He met a (nurse) - or two!") == ["met", "a", "-", "or", "two"]
    assert not model.misreads("He, nurse ...")


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(b"he 1 0\nna\xefve 0 1\n")
    with pytest.raises(UserError, match=re.escape("line 2: this is not UTF-8")):
        read_vectors(tmp_path / "v.txt")
