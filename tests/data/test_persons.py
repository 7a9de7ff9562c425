"""The shipped person corpus tables: templates, paired person words, professions in two languages."""

import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = ROOT / "src" / "equipoise" / "data" / "tables"
SHARED = ROOT.parent / "shared"
PATTERNS = SHARED / "data" / "bec-pro"

GERMAN_ARTICLES = {
    "der": "die",
    "ein": "eine",
    "dieser": "diese",
    "mein": "meine",
    "unser": "unsere",
}
SUFFIX_FREE = {"Feuerwehrmann": "Feuerwehrfrau", "Zimmerer": "Zimmerin"}


def read_table(name: str) -> pd.DataFrame:
    """A shipped table with every cell as text."""
    return pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)


TEMPLATES = read_table("person-templates.csv")
WORDS = read_table("person-words.csv")
PROFESSIONS = read_table("person-professions.csv")
SHARES = PROFESSIONS["percent_women"].astype(float)


def sentences(language: str) -> Iterator[tuple[str, str]]:
    """Every sentence of one language with the gender of its person."""
    templates = TEMPLATES[TEMPLATES["language"] == language]
    for word in WORDS[WORDS["language"] == language].itertuples():
        column = "profession" if language == "en" else f"german_{word.gender}"
        person = word.phrase[0].upper() + word.phrase[1:]
        for template in templates[f"template_{word.gender}"]:
            for profession in PROFESSIONS[column]:
                article = "an " if profession[0] in "aeio" else "a "
                text = template.replace("a <profession>", f"{article}<profession>")
                yield word.gender, text.replace("<person>", person).replace("<profession>", profession)


def test_columns_and_counts() -> None:
    assert list(TEMPLATES) == ["id", "language", "template_male", "template_female"]
    assert list(WORDS) == ["language", "pair", "gender", "phrase", "noun"]
    assert list(PROFESSIONS)[:4] == ["profession", "group", "percent_women", "german_male"]
    assert list(PROFESSIONS)[4:] == ["german_female", "title", "year", "source"]

    assert TEMPLATES.groupby("language").size().to_dict() == {"de": 6, "en": 6}
    assert WORDS.groupby(["language", "gender"]).size().eq(9).all()
    assert PROFESSIONS.groupby("group").size().to_dict() == {
        "balanced": 20,
        "female": 20,
        "male": 20,
    }


@pytest.mark.parametrize("column", ["template_male", "template_female"])
def test_the_person_comes_first_and_each_slot_once(column: str) -> None:
    for template in TEMPLATES[column]:
        assert template.startswith("<person> "), template
        assert template.count("<person>") == template.count("<profession>") == 1, template
        assert template.endswith("."), template
        assert template == " ".join(template.split()), template
    assert TEMPLATES[column].is_unique


def test_some_templates_take_an_article_and_some_do_not() -> None:
    for language, articles in {"en": r"\b(?:a|the new) <", "de": r"\b(?:der neue|ein) <"}.items():
        templates = TEMPLATES.loc[TEMPLATES["language"] == language, "template_male"]
        assert 1 <= templates.str.contains(articles).sum() < 6, language


def test_english_templates_are_the_same_for_both_genders() -> None:
    english = TEMPLATES[TEMPLATES["language"] == "en"]
    assert (english["template_male"] == english["template_female"]).all()


def test_german_articles_agree_and_nothing_else_differs() -> None:
    differing = 0
    for row in TEMPLATES[TEMPLATES["language"] == "de"].itertuples():
        pairs = list(zip(row.template_male.split(), row.template_female.split(), strict=True))
        changed = [(male, female) for male, female in pairs if male != female]
        assert all(GERMAN_ARTICLES.get(male) == female for male, female in changed), row.id
        assert bool(changed) == any(male in GERMAN_ARTICLES for male, _ in pairs), row.id
        differing += bool(changed)
    assert differing >= 2


def test_person_words_are_aligned_pairs() -> None:
    assert not WORDS.duplicated(["language", "noun"]).any()
    for (language, pair), rows in WORDS.groupby(["language", "pair"]):
        assert sorted(rows["gender"]) == ["female", "male"], (language, pair)
        male, female = (rows[rows["gender"] == g]["phrase"].item() for g in ("male", "female"))
        assert len(male.split()) == len(female.split()), (male, female)


def test_the_noun_is_the_last_word_of_its_phrase_and_determiners_agree() -> None:
    assert (WORDS["phrase"].str.split().str[-1] == WORDS["noun"]).all()
    determiners = WORDS[WORDS["phrase"] != WORDS["noun"]].copy()
    determiners["word"] = determiners["phrase"].str.split().str[0]
    by_pair = determiners.pivot(index=["language", "pair"], columns="gender", values="word")
    german, english = by_pair.loc["de"], by_pair.loc["en"]
    assert (english["male"] == english["female"]).all()
    assert (german["male"].map(GERMAN_ARTICLES) == german["female"]).all()
    assert len(german) == len(english) == 8


def test_german_nouns_are_capitalised_and_english_ones_are_not() -> None:
    nouns = WORDS[WORDS["phrase"] != WORDS["noun"]].set_index("language")["noun"]
    assert nouns["de"].str.match(r"[A-ZÄÖÜ]").all()
    assert nouns["en"].str.fullmatch(r"[a-z]+").all()


def test_profession_groups_follow_the_share_of_women() -> None:
    by_group = SHARES.groupby(PROFESSIONS["group"]).agg(["min", "mean", "max"])
    assert SHARES.between(0, 100).all()
    assert by_group.loc["male", "max"] < 10
    assert by_group.loc["balanced", "min"] > 45
    assert by_group.loc["balanced", "max"] < 55
    assert by_group.loc["female", "min"] > 80
    assert by_group.loc["balanced", "mean"] == pytest.approx(50, abs=2)


def test_professions_are_lower_case_unique_and_sourced() -> None:
    assert PROFESSIONS["profession"].str.fullmatch(r"[a-z]+(?: [a-z]+)*").all()
    assert PROFESSIONS["profession"].is_unique
    assert PROFESSIONS["title"].is_unique
    assert (PROFESSIONS[["title", "year", "source"]] != "").all(axis=None)


def test_german_forms() -> None:
    male, female = PROFESSIONS["german_male"], PROFESSIONS["german_female"]
    for forms in (male, female):
        assert forms.str.fullmatch(r"[A-ZÄÖÜ][a-zäöüß]+").all()
        assert forms.is_unique
    assert not set(male) & set(female)
    for masculine, feminine in zip(male, female, strict=True):
        regular = {masculine + "in", masculine.removesuffix("e") + "in"}
        assert feminine in regular or SUFFIX_FREE[masculine] == feminine


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_corpus_has_6480_distinct_sentences_without_leftovers(language: str) -> None:
    built = [text for _, text in sentences(language)]
    assert len(built) == 6 * 18 * 60
    assert len(set(built)) == len(built)
    assert all(text[0].isupper() and not re.search(r"[<>{}\[\]]", text) for text in built)


def test_english_articles_and_german_agreement_in_whole_sentences() -> None:
    assert not any(re.search(r"\ba [aeio]", text) for _, text in sentences("en"))
    for gender, text in sentences("de"):
        wrong = r"\b(?:der|ein) \w+in\b" if gender == "male" else r"\b(?:der neue|ein) "
        assert not re.search(wrong, text), text


@pytest.mark.skipif(not PATTERNS.is_dir(), reason="no published patterns beside the checkout")
@pytest.mark.parametrize("language", ["english", "german"])
def test_no_published_pattern_is_used(language: str) -> None:
    lines = (PATTERNS / f"sent_patterns_{language}.txt").read_text(encoding="utf-8").splitlines()
    published = {" ".join(re.findall(r"\w+", line.lower())) for line in lines if line.strip()}
    assert len(published) == 5
    for column in ("template_male", "template_female"):
        stripped = TEMPLATES[column].str.replace(r"<\w+>", " ", regex=True).str.lower()
        ours = {" ".join(re.findall(r"\w+", template)) for template in stripped}
        assert not ours & published
