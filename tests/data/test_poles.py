"""The shipped poles, and the templates that show that any poles work."""

import re
from pathlib import Path

import pandas as pd
import pytest

from equipoise.data.poles import load_poles
from equipoise.data.sets.templates import build_sentences, read_professions, read_templates
from equipoise.text.languages.en.articles import indefinite_article

TABLES = Path(__file__).resolve().parents[2] / "src" / "equipoise" / "data" / "tables"
OTHER_POLES = ["religion", "age"]
# One id never names two sentences.
REPLACED = [
    *("age-01", "age-02", "age-03", "age-11"),
    *("religion-01", "religion-02", "religion-03", "religion-06", "religion-10", "religion-13"),
]


def read_table(name: str) -> pd.DataFrame:
    """A shipped table with every cell as text."""
    return pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)


PAIRS = read_table("gendered-words.csv")
GENDERED = set(read_table("poles-pronouns.csv")["word"]) | set(PAIRS["male"]) | set(PAIRS["female"])


def test_pronouns_are_complete() -> None:
    table = read_table("poles-pronouns.csv")
    assert list(table) == ["pole", "form", "word"]
    assert table.pivot(index="form", columns="pole", values="word").to_dict("index") == {
        "subject": {"male": "he", "female": "she", "they": "they"},
        "object": {"male": "him", "female": "her", "they": "them"},
        "possessive": {"male": "his", "female": "her", "they": "their"},
        "possessive-independent": {"male": "his", "female": "hers", "they": "theirs"},
        "reflexive": {"male": "himself", "female": "herself", "they": "themselves"},
    }


@pytest.mark.parametrize(
    ("name", "poles"),
    [
        ("pronouns", ("male", "female", "they")),
        ("religion", ("christian", "muslim")),
        ("age", ("young", "old")),
    ],
)
def test_a_positive_score_leans_to_the_first_pole(name: str, poles: tuple[str, ...]) -> None:
    assert load_poles(name).names == poles


@pytest.mark.parametrize("name", ["pronouns", *OTHER_POLES])
def test_every_pole_has_as_many_words_in_every_form(name: str) -> None:
    table = read_table(f"poles-{name}.csv")
    assert not table.duplicated().any()
    assert table["word"].str.fullmatch(r"[A-Za-z]+").all()
    counts = table.groupby(["form", "pole"]).size().unstack("pole", fill_value=0)
    assert counts.min(axis=None) >= 1
    assert counts.nunique(axis=1).eq(1).all()


def test_several_words_may_stand_for_one_pole() -> None:
    assert load_poles("age").at("adjective") == {"young": ("young", "youthful"), "old": ("old", "elderly")}


@pytest.mark.parametrize("name", OTHER_POLES)
def test_templates_use_every_form_of_their_poles(name: str) -> None:
    table = read_table(f"templates-{name}.csv")
    assert list(table) == ["id", "category", "kind", "form", "template"]
    assert table["id"].is_unique
    assert table["id"].str.fullmatch(rf"{name}-\d\d").all()
    assert not set(REPLACED) & set(table["id"])
    assert table["template"].is_unique
    counts = table.groupby("form").size()
    assert set(counts.index) == set(load_poles(name).forms)
    assert counts.nunique() == 1


@pytest.mark.parametrize("name", OTHER_POLES)
def test_templates_have_one_mask_one_profession_and_no_gender(name: str) -> None:
    poles = load_poles(name)
    own_words = {word.lower() for form in poles.forms for group in poles.at(form).values() for word in group}
    for row in read_table(f"templates-{name}.csv").to_dict("records"):
        template = row["template"]
        assert template.count("[MASK]") == template.count("<profession>") == 1, row["id"]
        assert re.fullmatch(r"[A-Z].*[^\s.]\.", template), row["id"]
        others = set(re.findall(r"[a-z]+", re.sub(r"\[MASK\]|<profession>", " ", template).lower()))
        assert not others & (GENDERED | own_words), row["id"]
        if re.search(r"\ba \[MASK\]", template):
            fillers = [word for group in poles.at(row["form"]).values() for word in group]
            assert {indefinite_article(word) for word in fillers} == {"a"}, row["id"]


@pytest.mark.parametrize("name", OTHER_POLES)
def test_templates_build_with_the_shipped_professions(name: str) -> None:
    path = TABLES / f"templates-{name}.csv"
    professions = read_professions(TABLES / "professions.csv")
    built = build_sentences(read_templates(path), professions, path)
    expected = sum(
        ((professions["category"] == row["category"]) & (professions["kind"] == row["kind"])).sum()
        for row in read_table(path.name).to_dict("records")
    )
    assert len(built) == expected > 100
    assert built["text"].is_unique
    assert built["text"].str.count(r"\[MASK\]").eq(1).all()
    assert not built["text"].str.contains("<").any()
