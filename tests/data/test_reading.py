"""Reading tables, catalogue and poles: what is wrong is said with file and line."""

import csv
import hashlib
import io
import math
import random
from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.csv_text import csv_rows
from equipoise.data.poles import load_poles
from equipoise.data.reading import (
    GivenTable,
    file_sha256,
    name_rows,
    read_lines,
    read_percentage,
    read_table,
    refuse_repeats,
)
from equipoise.data.sources import altered_problem, catalogue, dataset_names, fetch_file
from equipoise.errors import UserError


def written(tmp_path: Path, text: str, name: str = "t.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_knows_its_lines(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, 'a,b\n1,"two\nlines"\n\n3,4\n'), ("a", "b"))
    assert table["line"].tolist() == [2, 5]
    assert table["b"].tolist() == ["two\nlines", "4"]


def test_tabs_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes("\ufeffa\tb\n1\t2\n".encode())
    assert read_table(path)["a"].tolist() == ["1"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,c\n1,2\n", "no column 'b'"),
        ("a,b\n", "no rows"),
        ("a,b\n1,2,3\n", "line 2: 3 fields"),
        ("a,b,a\n1,2,3\n", "the column 'a' more than once"),
        ("", "empty"),
    ],
)
def test_bad_tables(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        read_table(written(tmp_path, text), ("a", "b"))


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        (
            "a;b\n1;2\n",
            "seems to be separated by semicolons, so it has one column: 'a;b'",
            "Save it with commas",
        ),
        ("a\tb\n1\t2\n", "seems to be separated by tabs", "with tabs as .tsv"),
        ("A,b\n1,2\n", "has the column 'A' where 'a' is expected", "in lower case"),
        ("a,B \n1,2\n", "has the column 'B' where 'b' is expected", "in lower case"),
    ],
)
def test_the_cause_of_a_missing_column_is_named(text: str, said: str, hint: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_table(written(tmp_path, text), ("a", "b"))
    assert said in caught.value.message
    assert hint in caught.value.hint
    assert "Expected columns: a, b." in caught.value.hint


@pytest.mark.parametrize("name", ["t.xlsx", "t.XLS", "t.ods"])
def test_a_spreadsheet_is_named_as_the_cause(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04 whatever a spreadsheet holds")
    with pytest.raises(UserError, match="is a spreadsheet, not text") as caught:
        read_table(path, ("a",))
    assert "Save it as CSV" in caught.value.hint


def test_a_table_in_memory_is_read_like_a_file(tmp_path: Path) -> None:
    frame = pd.DataFrame({" a": [1, None], "b": ["x", "y"]}, index=[7, 8])
    table = read_table(GivenTable(frame), ("a", "b"))
    assert table.to_dict("list") == {"a": ["1.0", ""], "b": ["x", "y"], "line": [2, 3]}
    with pytest.raises(UserError, match="the given table has no column 'c'; it has a, b"):
        read_table(GivenTable(frame), ("c",))
    with pytest.raises(UserError, match="the given table has the column 'b' where 'B' is expected"):
        read_table(GivenTable(frame), ("B",))
    path = tmp_path / "same.csv"
    frame.to_csv(path, index=False)
    assert file_sha256(GivenTable(frame)) == hashlib.sha256(path.read_bytes()).hexdigest()


def test_rows_without_a_name_are_called_by_their_line(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "id,b\nx,1\n ,2\n,3\n"), ("b",))
    assert name_rows(table)["id"].tolist() == ["x", "line 3", "line 4"]
    with pytest.raises(UserError, match="line 4: '2' stands already in line 3"):
        refuse_repeats(table.assign(b=["1", "2", " 2"]), ("b",), tmp_path / "t.csv")


@pytest.mark.parametrize(("cell", "share"), [("0", 0.0), (" 40.5 ", 40.5), ("100", 100.0)])
def test_percentages(cell: str, share: float) -> None:
    assert read_percentage(cell, "here") == share
    assert math.isnan(read_percentage(" ", "here"))


@pytest.mark.parametrize("cell", ["-1", "100.1", "half", "inf"])
def test_what_is_no_percentage_is_refused(cell: str) -> None:
    with pytest.raises(UserError, match=f"here: '{cell}' is not a percentage"):
        read_percentage(cell, "here")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_lines(tmp_path / "nothing.txt")


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("Männer".encode("latin-1"))
    with pytest.raises(UserError, match="not UTF-8"):
        read_lines(tmp_path / "latin.txt")


def test_every_shipped_file_of_the_catalogue_exists() -> None:
    for entry in catalogue():
        if entry.is_ours:
            assert fetch_file(entry.dataset, entry.file).exists(), entry.file
        else:
            # Of BBQ two files are about, which differ in names: neither is refused for its content.
            assert len(entry.sha256) == 64 or entry.dataset == "bbq"
            assert entry.licence


def test_a_published_file_is_found_in_the_data_folder(tmp_path: Path) -> None:
    folder = tmp_path / "crows-pairs"
    folder.mkdir()
    file = folder / "crows_pairs_anonymized.csv"
    file.write_text("x")
    assert fetch_file("crows-pairs", file.name, tmp_path) == file
    assert "differs from the published" in altered_problem(file, "crows-pairs")


def test_hashes_are_those_of_the_published_files(shared_data: object) -> None:
    for entry in catalogue():
        if entry.dataset in ("winobias", "crows-pairs", "bec-pro"):
            path = shared_data(f"{entry.dataset}/{entry.file}")  # type: ignore[operator]
            assert file_sha256(path) == entry.sha256
            assert altered_problem(path, entry.dataset) == ""


def test_a_download_without_network_names_the_alternative(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="could not be fetched") as caught:
        fetch_file("winogender", "templates.tsv")
    assert "--data-dir" in caught.value.hint


def test_a_data_set_without_an_address(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no address"):
        fetch_file("gbef", "templates.csv", tmp_path)


def test_unknown_data_sets_and_files_get_a_suggestion() -> None:
    with pytest.raises(UserError, match="winobias"):
        fetch_file("winobia", "x")
    with pytest.raises(UserError, match=r"templates\.tsv"):
        fetch_file("winogender", "template.tsv")
    assert "crows-pairs" in dataset_names()


def test_a_downloaded_file_must_have_the_recorded_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The address is a local file here: what arrives is not what was recorded, so it is refused."""
    from dataclasses import replace

    from equipoise.data import sources as module

    wrong = tmp_path / "arrived.csv"
    wrong.write_text("not the data")
    (entry,) = (one for one in catalogue() if one.dataset == "crows-pairs")
    served = replace(entry, url=wrong.as_uri())
    monkeypatch.setattr(module, "_entry", lambda *_: served)
    with pytest.raises(UserError, match="could not be fetched"):
        fetch_file("crows-pairs", entry.file)


def test_poles_are_data() -> None:
    poles = load_poles()
    assert poles.names[:2] == ("male", "female")
    assert poles.at("possessive") == {"male": ("his",), "female": ("her",), "they": ("their",)}
    with pytest.raises(UserError, match="possessive"):
        poles.at("posessive")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pole,form,word\na,x,he\n", "names 1 pole"),
        ("pole,form,word\na,x,he\nb,x, \n", "line 3: no word"),
        ("pole,word\na,he\n", "no column 'form'"),
        ("pole,form,word\na,x,he\nb,x,He\n", "'he' stands for both 'a' and 'b' in the form 'x'"),
    ],
)
def test_bad_poles(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        load_poles(written(tmp_path, text))


def test_unknown_poles_get_a_suggestion() -> None:
    with pytest.raises(UserError, match="pronouns"):
        load_poles("pronoun")


@pytest.mark.parametrize(
    ("rows", "line", "column"),
    [
        ('1,"two\n3,4\n5,6\n', 2, 'column "b"'),
        ('1,2\n3,"four\n5,6\n', 3, 'column "b"'),
        ('1,"two\n3,"four"\n5,6\n', 2, 'column "b"'),
        ('"one\nmore","two\n3,4\n', 3, 'column "b"'),
        ('1,2\n"three,4\n', 3, 'column "a"'),
        ('"1" st,"two\n3,4\n', 2, 'column "b"'),
        ('1,2,"three\n', 2, "field 3"),
    ],
)
def test_a_quotation_mark_that_is_never_closed_names_its_place(
    rows: str, line: int, column: str, tmp_path: Path
) -> None:
    """It would swallow all rows below it: of four rows that were written two were read."""
    with pytest.raises(UserError) as refusal:
        read_table(written(tmp_path, f"a,b\n{rows}"))
    assert f"t.csv, line {line}: the quotation mark in {column} is never closed." in refusal.value.message
    assert refusal.value.hint == "Add the closing mark, or double it if it belongs to the text."


def test_marks_within_a_cell_are_text(tmp_path: Path) -> None:
    rows = '"so" he said,"a ""b"" c"\n1 "x,"two\n""lines"""\n"so" "y",z\n'
    table = read_table(written(tmp_path, f"a,b\n{rows}"))
    assert table["a"].tolist() == ["so he said", '1 "x', 'so "y"']
    assert table["b"].tolist() == ['a "b" c', 'two\n"lines"', "z"]
    assert table["line"].tolist() == [2, 3, 5]


def test_a_long_cell_is_read(tmp_path: Path) -> None:
    """The csv module stops at 131,072 characters unless it is told otherwise."""
    csv.field_size_limit(131_072)
    cell = "word " * 40_000
    assert read_table(written(tmp_path, f"a,b\n1,{cell}\n"))["b"].tolist() == [cell]


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_those_of_the_csv_module(seed: int) -> None:
    """What the csv module writes is read back, whatever its cells hold."""
    rng = random.Random(seed)
    rows = [["".join(rng.choices('ab", \n', k=rng.randrange(6))) for _ in range(3)] for _ in range(30)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    assert [fields for _, fields in csv_rows(text.getvalue(), ",")] == rows


def test_several_columns_without_a_name(tmp_path: Path) -> None:
    """Spreadsheets end rows with empty columns; two of them were a warning, or rows that lost cells."""
    table = read_table(written(tmp_path, "a,,,b\n1,2,3,4\n"), ("a", "b"))
    assert table.drop(columns="line").to_dict("records") == [{"a": "1", "": "2", "column 3": "3", "b": "4"}]
