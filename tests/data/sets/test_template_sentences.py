"""Templates crossed with professions, and what a bad file of either is told."""

from pathlib import Path

import pytest

from equipoise.data.reading import TABLES
from equipoise.data.sets.templates import (
    build_sentences,
    leaking_lines,
    read_professions,
    read_templates,
    unused_professions,
)
from equipoise.errors import UserError

PROFESSIONS = "profession,category\nengineer,work\ncook,work\npainter,art\n"
TEMPLATES = "category,form,template\nwork,subject,[MASK] is a <profession>.\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def sentences(folder: Path, templates: str, professions: str = PROFESSIONS, **how: bool) -> list[str]:
    path = written(folder, "templates.csv", templates)
    words = read_professions(written(folder, "professions.csv", professions))
    return build_sentences(read_templates(path), words, path, **how)["text"].tolist()


def test_articles_agree_and_sentences_start_with_a_capital(tmp_path: Path) -> None:
    text = TEMPLATES + "work,possessive,the <profession> lost [MASK] keys.\n"
    assert sentences(tmp_path, text) == [
        "[MASK] is an engineer.",
        "[MASK] is a cook.",
        "The engineer lost [MASK] keys.",
        "The cook lost [MASK] keys.",
    ]


def test_a_template_takes_professions_of_its_kind_only(tmp_path: Path) -> None:
    templates = (
        "category,kind,form,template\n"
        "work,person,subject,[MASK] is a <profession>.\n"
        "work,,subject,[MASK] likes <profession>.\n"
    )
    professions = "profession,category,kind\ncook,work,person\ncooking,work,skill\npainting,art,skill\n"
    assert sentences(tmp_path, templates, professions) == [
        "[MASK] is a cook.",
        "[MASK] likes cook.",
        "[MASK] likes cooking.",
    ]
    with pytest.raises(UserError, match="no profession for the category 'work'"):
        sentences(tmp_path, templates.replace("person", "role"), professions)


def test_verbatim_changes_nothing(tmp_path: Path) -> None:
    text = TEMPLATES + "work,possessive,the <profession> lost [MASK] keys.\n"
    assert sentences(tmp_path, text, verbatim=True)[::2] == [
        "[MASK] is a engineer.",
        "the engineer lost [MASK] keys.",
    ]


def test_items_are_named_by_template_and_profession(tmp_path: Path) -> None:
    path = written(
        tmp_path, "t.csv", "id,category,form,template\nw1,work,subject,[MASK] is a <profession>.\n"
    )
    words = read_professions(written(tmp_path, "p.csv", PROFESSIONS))
    table = build_sentences(read_templates(path), words, path)
    assert table["item"].tolist() == ["w1:engineer", "w1:cook"]
    assert unused_professions(read_templates(path), words) == ["painter"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("work,subject,He is a <profession>.", "0 times [MASK]"),
        ("work,subject,[MASK] said [MASK] is a <profession>.", "2 times [MASK]"),
        ("work,subject,[MASK] is a <profession> and <profession>.", "2 slots"),
        ("work,subject,[MASK] is late.", "no slot for the 2 professions"),
        ("play,subject,[MASK] is a <profession>.", "no profession for the category 'play'"),
        (",subject,[MASK] is a <profession>.", "no category"),
    ],
)
def test_a_bad_template_is_named_with_file_and_line(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        sentences(tmp_path, TEMPLATES + row + "\n")
    assert "templates.csv, line 3" in caught.value.message
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profession,category\ncook,work\n  ,work\n", "line 3: no profession"),
        ("profession,category\ncook,work\ncook,work\n", "line 3: 'cook, work' stands already in line 2"),
        ("profession,category,percent_women\ncook,work,half\n", "line 2: 'half' is not a percentage"),
        ("profession,category,percent_women\ncook,work,120\n", "line 2: '120' is not a percentage"),
        ("profession,category\n", "has a header but no rows"),
        ("name,category\ncook,work\n", "has no column 'profession'"),
    ],
)
def test_a_bad_profession_list_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_professions(written(tmp_path, "professions.csv", text))
    assert "professions.csv" in caught.value.message
    assert said in caught.value.message


def test_a_template_that_gives_the_gender_away_is_found(tmp_path: Path) -> None:
    text = TEMPLATES + "work,subject,The <profession> said [MASK] lost his keys.\n"
    table = read_templates(written(tmp_path, "t.csv", text))
    assert leaking_lines(table, ["he", "his"]) == {3: "his"}
    assert leaking_lines(read_templates(TABLES / "templates.csv"), ["he", "she", "him", "his", "her"]) == {}
