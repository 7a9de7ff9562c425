"""The file of CrowS-Pairs: its slices, clusters and flags, and an unknown bias type."""

from collections.abc import Callable
from pathlib import Path

import pytest
from designs import designed

from equipoise.data.sets.crows import read_crows
from equipoise.errors import UserError

HEADER = "sent_more,sent_less,stereo_antistereo,bias_type\n"
PAIRS = HEADER + (
    "The man fixed the car.,The woman fixed the car.,stereo,gender\n"
    "He solved the riddle.,She solved the riddle.,antistereo,gender\n"
    "My uncle told them no.,My aunt told them no.,stereo,gender\n"
)


def pair_file(folder: Path, text: str = PAIRS) -> Path:
    path = folder / "pairs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_pairs_of_one_writer_are_taken_together(tmp_path: Path) -> None:
    header = HEADER.strip() + ",anon_writer\n"
    lines = [line + ",ann\n" for line in PAIRS.splitlines()[1:]]
    table = read_crows(pair_file(tmp_path, header + "".join(lines)))
    assert table["cluster"].tolist() == ["ann"] * 3
    assert read_crows(pair_file(tmp_path))["cluster"].tolist() == ["line 2", "line 3", "line 4"]


def test_the_published_file_is_sliced_and_linted(shared_data: Callable[[str], Path]) -> None:
    path = shared_data("crows-pairs/crows_pairs_anonymized.csv")
    gender = read_crows(path, bias_type="gender")
    assert len(gender) == 262
    assert gender["direction"].value_counts().to_dict() == {"stereo": 159, "antistereo": 103}
    assert gender["item"].iloc[0] == "pair 2"
    assert gender.loc[gender["item"] == "pair 531", "flags"].item() == "casing"
    assert gender["flags"].str.contains("length difference").sum() == sum(
        len(_words(more)) != len(_words(less))
        for more, less in zip(gender["stereotype"], gender["counterpart"], strict=True)
    )
    assert len(designed("crows-pairs", data_dir=path.parents[1]).items) == 262
    everything = designed("crows-pairs", data="crows-pairs-all", data_dir=path.parents[1])
    assert everything.items["category"].value_counts()["race-color"] == 516


def _words(sentence: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in sentence).split()


def test_an_unknown_bias_type_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="gender"):
        read_crows(pair_file(tmp_path), bias_type="gendre")
