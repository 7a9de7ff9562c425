"""The files to copy in `docs/your-own-data.md` are tables, with the columns that the document describes."""

import csv
import io
import re
from pathlib import Path

import pytest
from fenced_files import FencedFile, fenced_files

from equipoise.data.reading import LINE, read_table

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "your-own-data.md"
FILES = fenced_files(DOCUMENT)
TABLES = [file for name, file in FILES.items() if name.endswith(".csv")]
MARKS = {"template": "[MASK]", "sentence": "[MASK]", "pattern": "[MASK]"}

each_table = pytest.mark.parametrize("file", TABLES, ids=lambda file: file.name)


def test_there_is_a_file_for_everything_a_user_can_bring() -> None:
    assert set(FILES) == {
        "pairs.csv",
        "templates.csv",
        "professions.csv",
        "frames.csv",
        "poles.csv",
        "person-templates.csv",
        "person-words.csv",
        "person-professions.csv",
        "schemas.csv",
        "schema-professions.csv",
        "traits.csv",
        "traits-annotated.csv",
        "completion-words.csv",
        "completion-patterns.csv",
        "gendered-words.csv",
        "disco-templates.csv",
        "honest-templates.csv",
        "subjects.csv",
        "association-sets.csv",
        "association-frames.csv",
        "leaning-words.csv",
        "direction-pairs.csv",
        "lexicon.csv",
        "sentences.txt",
    }


@each_table
def test_a_table_has_the_columns_that_are_described(file: FencedFile) -> None:
    header, *rows = csv.reader(io.StringIO(file.text))
    assert len(set(header)) == len(header)
    assert file.required <= set(header)
    assert set(header) <= file.required | file.optional
    assert rows
    assert {len(row) for row in rows} == {len(header)}


@each_table
def test_a_table_is_read_row_by_row(file: FencedFile, tmp_path: Path) -> None:
    table = read_table(file.write(tmp_path), sorted(file.required))
    assert len(table) == len(file.text.splitlines()) - 1
    assert table[LINE].tolist() == list(range(2, len(table) + 2))
    for column in file.required - {"pair", "percent_women"}:
        assert table[column].str.strip().ne("").all()


@each_table
def test_names_of_items_are_unique(file: FencedFile) -> None:
    names = [row["id"] for row in csv.DictReader(io.StringIO(file.text)) if "id" in row]
    assert len(set(names)) == len(names)


@each_table
def test_a_sentence_with_a_blank_has_one(file: FencedFile) -> None:
    for row in csv.DictReader(io.StringIO(file.text)):
        for column, mark in MARKS.items():
            if column in row and file.name != "person-templates.csv":
                assert row[column].count(mark) == 1


def test_every_variable_that_is_read_is_described() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    variables = set(re.findall(r"\"(EQUIPOISE_[A-Z_]+)\"", source))
    assert variables
    described = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in described for name in variables)
