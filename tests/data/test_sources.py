"""Sources: a data set's name, a file, a folder or a table all lead to the files that a reader asks for."""

from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.reading import TABLES, GivenTable
from equipoise.data.sources import Source, resolve
from equipoise.errors import UserError

KNOWN = ("equipoise-templates", "gbef")


def resolved(data: str | Path | pd.DataFrame = "", data_dir: str | Path | None = None) -> Source:
    return resolve(data, KNOWN, reader="tbe", data_dir=data_dir)


def test_nothing_named_is_the_first_data_set() -> None:
    source = resolved()
    assert source.name == "equipoise-templates"
    assert source.is_dataset
    assert source.file("templates.csv") == TABLES / "templates.csv"
    assert source.beside("professions.csv") is None


def test_a_published_data_set_lies_in_the_data_folder(tmp_path: Path) -> None:
    (tmp_path / "gbef").mkdir()
    (tmp_path / "gbef" / "templates.csv").write_text("x")
    for folder in (tmp_path, str(tmp_path)):
        assert resolved("gbef", folder).file("templates.csv") == tmp_path / "gbef" / "templates.csv"


def test_a_file_stands_for_itself_and_others_lie_beside_it(tmp_path: Path) -> None:
    mine, beside = tmp_path / "mine.csv", tmp_path / "professions.csv"
    mine.write_text("x")
    source = resolved(mine)
    assert not source.is_dataset
    assert source.file("templates.csv") == mine
    assert source.beside("professions.csv") is None
    assert source.beside_or_shipped("professions.csv") == TABLES / "professions.csv"
    beside.write_text("x")
    assert source.beside("professions.csv") == source.beside_or_shipped("professions.csv") == beside
    assert source.has_suffix(".csv")
    assert not source.has_suffix(".json", ".jsonl")


def test_a_folder_holds_the_files_by_their_names(tmp_path: Path) -> None:
    source = resolved(str(tmp_path))
    assert source.file("templates.csv") == tmp_path / "templates.csv"
    assert source.beside("professions.csv") is None
    (tmp_path / "professions.csv").write_text("x")
    assert source.beside("professions.csv") == tmp_path / "professions.csv"


def test_a_table_stands_for_any_file_that_is_a_table() -> None:
    frame = pd.DataFrame({"a": [1]})
    source = resolved(frame)
    given = source.file("templates.csv")
    assert isinstance(given, GivenTable)
    assert given.frame is frame
    assert source.beside("professions.csv") is None
    assert source.beside_or_shipped("professions.csv") == TABLES / "professions.csv"
    with pytest.raises(UserError, match=r"A table was given where 'test\.jsonl' is read"):
        source.path("test.jsonl")


def test_names_that_are_not_known() -> None:
    with pytest.raises(UserError, match="tbe does not read the data set 'crows-pairs'") as caught:
        resolved("crows-pairs")
    assert caught.value.hint == "It reads equipoise-templates, gbef, or a file of yours."
    with pytest.raises(UserError, match="gbef"):
        resolved("gbeff")
