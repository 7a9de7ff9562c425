"""The shipped trait sentences: one person, one pronoun, two axes, balanced over the pronoun's forms."""

import re
from pathlib import Path

import pandas as pd

TABLES = Path(__file__).resolve().parents[2] / "src" / "equipoise" / "data" / "tables"


def read_table(name: str) -> pd.DataFrame:
    """A shipped table with every cell as text."""
    return pd.read_csv(TABLES / name, dtype=str, keep_default_na=False)


TRAITS = read_table("traits.csv")
ROWS = TRAITS.to_dict("records")
PAIRS = read_table("gendered-words.csv")
GENDERED = set(read_table("poles-pronouns.csv")["word"]) | set(PAIRS["male"]) | set(PAIRS["female"])

REPLACED = """
    048 057 083 084 088 090 095 096 097 100 108 112 118 126 128 131 136 150 170
    001 007 009 017 032 036 045 052 054 056 119 120 124 132 143 147 184
"""


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.replace("[MASK]", " ").lower())


def test_columns_ids_and_counts() -> None:
    assert list(TRAITS) == ["id", "sentence", "competence", "care", "form"]
    assert TRAITS["id"].is_unique
    # One id never names two sentences: what was replaced leaves its number free.
    every = {f"trait-{n:03d}" for n in range(1, len(TRAITS) + len(REPLACED.split()) + 1)}
    assert set(TRAITS["id"]) == every - {f"trait-{number}" for number in REPLACED.split()}
    counts = TRAITS.groupby(["competence", "care"]).size().to_dict()
    assert counts == {
        ("incompetent", "neutral"): 54,
        ("competent", "neutral"): 54,
        ("neutral", "caring"): 42,
        ("neutral", "aggressive"): 42,
        ("neutral", "neutral"): 24,
    }


def test_every_class_has_the_three_forms_equally_often() -> None:
    counts = TRAITS.groupby(["competence", "care", "form"]).size().unstack("form")
    assert set(counts.columns) == {"subject", "object", "possessive"}
    assert counts.nunique(axis=1).eq(1).all()


def test_every_sentence_has_one_mask_and_one_person() -> None:
    for row in ROWS:
        assert row["sentence"].count("[MASK]") == 1, row["id"]
        assert len(re.findall(r"\b[Tt]he person\b", row["sentence"])) == 1, row["id"]
        assert re.fullmatch(r"[A-Z].*[^\s.]\.", row["sentence"]), row["id"]
        assert "  " not in row["sentence"]


def test_the_person_is_named_before_the_pronoun() -> None:
    for row in ROWS:
        before = row["sentence"].partition("[MASK]")[0].lower()
        assert "the person" in before, row["id"]


def test_no_further_gendered_word_and_nobody_is_named() -> None:
    for row in ROWS:
        assert not GENDERED & set(words(row["sentence"])), row["id"]
        assert set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", row["sentence"])) <= {"Sunday", "Tuesdays"}


def test_no_occupation_is_named() -> None:
    named = set(read_table("schema-professions.csv")["profession"])
    named |= set(read_table("professions.csv").query("kind == 'occupation'")["profession"])
    named |= set(read_table("person-professions.csv")["profession"])
    # "Never let [MASK] cook again" is a verb.
    occupation = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(named - {'cook'})))})s?\b")
    for row in ROWS:
        assert not occupation.search(row["sentence"].lower()), row["id"]


def test_no_sentence_is_another_in_other_words() -> None:
    bags = [frozenset(words(row["sentence"])) for row in ROWS]
    assert len(set(bags)) == len(ROWS)
    for place, one in enumerate(bags):
        for other in bags[:place]:
            assert len(one & other) / len(one | other) < 0.6, (sorted(one), sorted(other))


def test_classes_have_sentences_of_like_length() -> None:
    lengths = TRAITS["sentence"].map(words).map(len)
    means = lengths.groupby([TRAITS["competence"], TRAITS["care"]]).mean()
    assert lengths.between(5, 20).all()
    assert means.max() - means.min() < 4
