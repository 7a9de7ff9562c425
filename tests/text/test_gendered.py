"""Word lists and person phrases of two poles: matching, refusals, and phrases made of other poles."""

from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.poles import load_poles
from equipoise.data.reading import TABLES
from equipoise.data.sets.subjects import (
    SUBJECTS,
    load_subjects,
    read_person_templates,
    read_subjects,
    subjects_of_poles,
)
from equipoise.data.sets.word_lists import read_word_pairs, words_of_poles
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.gendered import NEITHER, PERSON, with_person, word_lists

PRONOUNS = load_poles()


def test_words_are_matched_whatever_their_case() -> None:
    lists = word_lists({"male": ("man", "Sir"), "female": ("woman",)}, "here")
    assert lists.names == ("male", "female")
    found = [lists.pole_of(word) for word in ("Man", " man ", "SIR", "Woman", "person", "##man")]
    assert found == ["male", "male", "male", "female", NEITHER, NEITHER]


def test_repeats_count_once_and_keep_their_first_spelling() -> None:
    lists = word_lists({"male": ("Man", "man", "", "boy"), "female": ("woman",)}, "here")
    assert lists.words["male"] == ("Man", "boy")


def test_a_word_of_both_poles_is_refused() -> None:
    with pytest.raises(UserError, match="here: cousin, nurse is in the lists of two poles"):
        word_lists({"male": ("nurse", "cousin"), "female": ("Cousin", "nurse")}, "here")


def test_a_pole_without_words_is_refused() -> None:
    with pytest.raises(UserError, match="no word for the pole 'female'"):
        word_lists({"male": ("man",), "female": ()}, "here")


def test_the_shipped_lists_hold_the_pairs_and_the_pronouns() -> None:
    path = TABLES / "gendered-words.csv"
    lists = read_word_pairs(path, PRONOUNS)
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    counted, generic = (table[table["generic"].eq("") == keep] for keep in (True, False))
    assert set(lists.words["male"]) == set(counted["male"]) | {"he", "him", "his", "himself"}
    assert set(lists.words["female"]) == set(counted["female"]) | {"she", "her", "hers", "herself"}
    assert {lists.pole_of(word) for word in ["they", *generic["male"], *generic["female"]]} == {NEITHER}


def test_a_pair_with_a_word_that_is_said_of_either_counts_for_neither(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("male,female,generic\nman,woman,\nhost,hostess,male\n", encoding="utf-8")
    lists = read_word_pairs(path, PRONOUNS)
    assert [lists.pole_of(word) for word in ("man", "host", "hostess")] == ["male", NEITHER, NEITHER]


def test_other_poles_bring_their_nouns_or_all_their_words() -> None:
    religion, age = load_poles("religion"), load_poles("age")
    assert words_of_poles(religion) == {"christian": ("Christian",), "muslim": ("Muslim",)}
    assert set(words_of_poles(age)["old"]) == {"old", "elderly", "older", "oldest"}


def test_the_shipped_subjects_come_in_pairs_and_stand_in_the_word_lists() -> None:
    table = read_subjects(SUBJECTS)
    assert list(table["pole"].unique()) == ["male", "female"]
    assert set(table.groupby("pair")["pole"].apply(" ".join)) == {"male female"}
    lists = read_word_pairs(TABLES / "gendered-words.csv", PRONOUNS)
    nouns = table["phrase"].str.split().str[-1]
    assert [lists.pole_of(noun) for noun in nouns] == list(table["pole"])
    determiners = table.assign(word=table["phrase"].str.split().str[0]).groupby("pair")["word"]
    assert determiners.nunique().eq(1).all()


def test_subjects_of_other_poles_cross_adjectives_with_professions() -> None:
    table = subjects_of_poles(load_poles("religion"), ["dentist", "clerk"])
    assert set(table.query("pole == 'muslim'")["phrase"]) == {
        "the Muslim",
        "the Muslim dentist",
        "the Muslim clerk",
    }
    assert table.groupby("pair")["pole"].nunique().eq(2).all()


def test_poles_that_cannot_name_a_person_are_refused() -> None:
    with pytest.raises(UserError, match="no nouns or adjectives"):
        subjects_of_poles(PRONOUNS, ["dentist"])


def test_subjects_come_from_the_user_the_package_or_the_poles(tmp_path: Path) -> None:
    own = tmp_path / "subjects.csv"
    own.write_text("pair,pole,phrase\n1,male,Otto\n1,female,Ida\n", encoding="utf-8")
    templates = tmp_path / "templates.csv"
    for given in (tmp_path, templates):
        phrases = load_subjects(Source(str(given), given), PRONOUNS)
        assert list(phrases.table["phrase"]) == ["Otto", "Ida"]
        assert (phrases.file, phrases.poles) == (own, ("male", "female"))
    shipped = Source("equipoise-disco")
    assert load_subjects(shipped, PRONOUNS).file == SUBJECTS
    made = load_subjects(shipped, load_poles("age"))
    assert "the elderly bookkeeper" in set(made.table["phrase"])
    assert (made.file, made.poles) == (load_poles("age").path, ("young", "old"))


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("1,male,\n1,female,Ida\n", "line 2: no phrase"),
        ("1,male,Otto\n2,male,Karl\n", "phrases of 1 poles where two"),
        ("1,male,Kim\n1,female,Kim\n", "line 3: 'Kim' stands already in line 2"),
    ],
)
def test_bad_subjects(tmp_path: Path, rows: str, problem: str) -> None:
    path = tmp_path / "subjects.csv"
    path.write_text("pair,pole,phrase\n" + rows, encoding="utf-8")
    with pytest.raises(UserError, match=problem):
        read_subjects(path)


@pytest.mark.parametrize("name", ["disco-templates.csv", "honest-templates.csv"])
def test_shipped_person_templates(name: str) -> None:
    table = read_person_templates(TABLES / name)
    assert table["topic"].ne("").all()
    assert table["template"].is_unique
    for template in table["template"]:
        text = with_person(template, "the man")
        assert text[0].isupper()
        assert text.endswith(".")
        assert " the man" in text or text.startswith("The man ")


def test_a_template_needs_one_person_and_one_blank(tmp_path: Path) -> None:
    path = tmp_path / "templates.csv"
    path.write_text(f"id,template\na,{PERSON} likes [MASK].\nb,They like [MASK].\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"line 3: 0 times <person>"):
        read_person_templates(path)
