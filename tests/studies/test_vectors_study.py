"""Vectors by decade of a made corpus: the stereotype is where it was put, and nothing is trained twice."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from command_line import run
from made_corpora import SETS, write_decades, write_tests

import equipoise as eq
from equipoise.corpora.documents import Grouping
from equipoise.corpora.reading import Corpus, ReadSettings, open_corpus
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.models.static import training
from equipoise.models.static.training import SkipGram
from equipoise.report.sections import load_study, section_of
from equipoise.studies.steps import Keeping
from equipoise.studies.training import vectors as module
from equipoise.studies.training.vectors import VectorsChoice, VectorsStudy, study_vectors

pytest.importorskip("gensim", reason="needs gensim (pip install gensim)")

FIFTIES, SIXTIES, SEVENTIES = "1950-1959", "1960-1969", "1970-1979"
RECIPE = SkipGram(width=20, window=5, epochs=5, fewest=5)


def decades(folder: Path) -> Corpus:
    path = folder / "corpus.csv"
    if not path.exists():
        write_decades(path)
    return open_corpus(path, ReadSettings("body", Grouping(year="date", span=10)))


def choice(folder: Path, **changes: Any) -> VectorsChoice:
    tests = Settings(data=str(write_tests(folder / "tests.csv")))
    return VectorsChoice(
        **{"by": "year", "recipe": RECIPE, "seeds": (0, 1, 2), "fewest": 2000, "tests": tests, **changes}
    )


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, VectorsStudy]:
    folder = tmp_path_factory.mktemp("decades")
    keeping = Keeping(folder / "out")
    return folder, study_vectors(decades(folder), choice(folder), keeping=keeping)


def test_only_the_decade_with_a_stereotype_has_one(studied: tuple[Path, VectorsStudy]) -> None:
    table = studied[1].table.set_index("group")
    assert table.loc[FIFTIES, "value"] > 1.5
    assert abs(table.loc[SIXTIES, "value"]) < 1.0
    assert table.loc[FIFTIES, "low"] > 0
    assert table.loc[SIXTIES, "low"] < 0 < table.loc[SIXTIES, "high"]
    assert table.loc[SIXTIES, "difference_high"] < 0
    assert "it fell" in studied[1].sentences[0]
    assert table.loc[FIFTIES, "n"] == 12
    assert table.loc[FIFTIES, "against"] == ""


def test_the_value_is_the_mean_of_what_each_file_gives(studied: tuple[Path, VectorsStudy]) -> None:
    """The saved vectors are read by `measure`, and give the study's numbers again."""
    folder, study = studied
    groups = study.groups.set_index("group")
    files = [folder / "out" / name for name in groups.loc[FIFTIES, "vectors"].split()]
    assert [path.name for path in files] == [f"{FIFTIES}-{seed}.bin" for seed in (0, 1, 2)]
    sizes = [
        eq.measure(eq.load_model(path), "weat", data=folder / "tests.csv").value("effect-size", test="made")
        for path in files
    ]
    row = study.table.set_index("group").loc[FIFTIES]
    assert row["value"] == pytest.approx(sum(sizes) / 3)
    assert row["seed_sd"] == pytest.approx(pd.Series(sizes).std())
    assert sizes[0] != sizes[1]


def test_small_and_undated_texts_are_told(studied: tuple[Path, VectorsStudy]) -> None:
    study = studied[1]
    table = study.table.set_index("group")
    assert table.loc[SEVENTIES, "note"] == "too few words, below 2,000"
    assert table.loc[SEVENTIES, "words"] == 6
    assert f"Too few words to be trained: {SEVENTIES}." in study.sentences
    assert "1 documents have no group and were left out." in study.sentences


def test_the_page_draws_each_test(studied: tuple[Path, VectorsStudy]) -> None:
    section = section_of(load_study(studied[0] / "out"))
    (figure,) = section.figures
    assert f"{SEVENTIES}: too few words" in figure.alt
    drawn = figure.spec["data"]["values"]
    assert [row["group"] for row in drawn] == [FIFTIES, SIXTIES]
    assert section.sentences[0].startswith("made: d = ")


def test_a_killed_study_goes_on(tmp_path: Path, studied: tuple[Path, VectorsStudy], monkeypatch: Any) -> None:
    """Killed in the third training: two are not trained again, and the table is the same."""
    trained: list[str] = []
    train = training.train_vectors

    def until_the_third(sentences: Path, *given: Any, **more: Any) -> Any:
        trained.append(sentences.name)
        if len(trained) == 3:
            raise KeyboardInterrupt
        return train(sentences, *given, **more)

    monkeypatch.setattr(module, "train_vectors", until_the_third)
    said: list[str] = []
    keeping = Keeping(tmp_path / "out", said.append)
    with pytest.raises(KeyboardInterrupt):
        study_vectors(decades(tmp_path), choice(tmp_path), keeping=keeping)
    study = study_vectors(decades(tmp_path), choice(tmp_path), keeping=keeping)
    assert len(trained) == 7
    assert f"{FIFTIES}-1: finished before." in said
    pd.testing.assert_frame_equal(study.table, studied[1].table)
    with pytest.raises(UserError, match="the same one with another choice"):
        study_vectors(decades(tmp_path), choice(tmp_path, fewest=1000), keeping=keeping)


def test_groups_without_order_stand_against_the_others(tmp_path: Path) -> None:
    lines = write_decades(tmp_path / "corpus.csv").read_text().splitlines()[1:]
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, part in (("a", lines[::2]), ("b", lines[1::2])):
        (folder / f"{name}.txt").write_text("\n".join(line.partition(",")[2] for line in part))
    corpus = open_corpus(folder, ReadSettings(grouping=Grouping(("file",)), split="line"))
    keeping = Keeping(tmp_path / "out")
    study = study_vectors(corpus, choice(tmp_path, by="file", seeds=(0,)), keeping=keeping)
    first, second = study.table.to_dict("records")
    assert (first["group"], second["group"]) == ("a.txt", "b.txt")
    assert first["against"] == second["against"] == "mean of the others"
    assert first["difference"] == pytest.approx(first["value"] - second["value"])
    assert first["difference"] == pytest.approx(-second["difference"])
    assert "d is lowest" in study.sentences[0]


def test_groups_that_are_all_too_small_are_refused(tmp_path: Path) -> None:
    chosen = choice(tmp_path, fewest=10**6)
    with pytest.raises(
        UserError, match=r"No group has 1,000,000 words of text; the largest, '19.0-19.9', has"
    ):
        study_vectors(decades(tmp_path), chosen, keeping=Keeping(tmp_path / "out"))


def test_a_word_that_one_group_lacks_counts_in_none(tmp_path: Path) -> None:
    write_decades(tmp_path / "corpus.csv")
    text = (tmp_path / "corpus.csv").read_text().splitlines()
    text = [
        line.replace("factory", "mill").replace("Factory", "Mill") if line[:3] == "196" else line
        for line in text
    ]
    (tmp_path / "corpus.csv").write_text("\n".join(text))
    study = study_vectors(decades(tmp_path), choice(tmp_path, seeds=(0,)), keeping=Keeping(tmp_path / "out"))
    lost = study.words[~study.words["kept"]]
    assert lost[["word", "lacking"]].to_numpy().tolist() == [["factory", SIXTIES]]
    assert "23 of 24 words of the tests are in all groups" in " ".join(study.sentences)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_decades(tmp_path / "corpus.csv")
    write_tests(tmp_path / "tests.csv")
    command = ["study", "vectors", tmp_path / "corpus.csv", "--text", "body", "--year", "date"]
    command += ["--data", tmp_path / "tests.csv", "--seeds", "0", "--fewest-words", "2000"]
    command += ["--width", "20", "--epochs", "5", "--out", tmp_path / "out"]
    assert run(*command, "--json") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["table"][0]["group"] == FIFTIES
    assert "2. Train vectors on 1950-1959" in said.err
    assert (tmp_path / "out" / "vectors-made.svg").read_text().startswith("<svg")
    assert run(*command) == 0
    said = capsys.readouterr()
    assert "finished before" in said.err
    assert "made: effect size d by group" in said.out
    assert run(*command, "--group", "date") == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_too_few_shared_words_are_refused(tmp_path: Path) -> None:
    path = write_tests(tmp_path / "tests.csv")
    for _, words in SETS.values():
        for word in words[1:]:
            path.write_text(
                path.read_text().replace(f",{word}\n", f",un{word}\n").replace(f",{word}\r", f",un{word}\r")
            )
    tests = Settings(data=str(path))
    chosen = VectorsChoice(by="year", recipe=RECIPE, seeds=(0,), fewest=2000, tests=tests)
    with pytest.raises(UserError, match="lacks 20 of 24 words"):
        study_vectors(decades(tmp_path), chosen, keeping=Keeping(tmp_path / "out"))


@pytest.mark.parametrize("seeds", [(), (0, 0), (-1,)])
def test_seeds_that_are_none_are_refused(seeds: tuple[int, ...]) -> None:
    with pytest.raises(UserError, match="The seeds are"):
        VectorsChoice(seeds=seeds)
