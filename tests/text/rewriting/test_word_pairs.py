"""The table of pairs is an involution, apart from what it declares."""

import csv
from collections import Counter

import pytest

from equipoise.text.rewriting import rewrite
from equipoise.text.rewriting.find.lexicon import TABLES, load_lexicon
from equipoise.text.rewriting.find.tokens import match_case

with (TABLES / "words.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))

DECLARED = {"his", "her"}
"""Pronouns with two partners, chosen in context."""


def test_two_way_rows_are_an_involution() -> None:
    pairs = [(row["male"], row["female"]) for row in ROWS if row["way"] == "both"]
    for side in (0, 1):
        repeated = {word for word, times in Counter(pair[side] for pair in pairs).items() if times > 1}
        assert repeated <= DECLARED
    assert not {male for male, _ in pairs} & {female for _, female in pairs}
    assert len(pairs) > 400


def test_one_way_rows_lead_into_the_table_and_clash_with_no_pair() -> None:
    both = {word for row in ROWS if row["way"] == "both" for word in (row["male"], row["female"])}
    sources = [
        row["female"] if row["way"] == "f>m" else row["male"] for row in ROWS if row["way"] in ("f>m", "m>f")
    ]
    assert not both & set(sources)
    assert max(Counter(sources).values()) == 1


def test_every_way_is_known() -> None:
    assert {row["way"] for row in ROWS} == {"both", "f>m", "m>f", "name", "together"}
    kinds = {"pronoun", "kinship", "title", "role", "noble rank", "animal", "definitional"}
    assert {row["kind"] for row in ROWS} == kinds


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row["kind"] in ("kinship", "role") and row["way"] == "both"]
)
def test_a_plain_sentence_comes_back(row: dict[str, str]) -> None:
    unclear = {"host", "hosts", "master", "masters", "prior", "priors", "pa", "actor", "groom", "grooms"}
    if row["male"] in unclear:
        pytest.skip("the sense decides")
    sentence = f"They saw the {row['male']} there."
    image = rewrite(sentence).text
    assert image == f"They saw the {row['female']} there."
    assert rewrite(image).text == sentence


def test_lookups_are_by_lower_case() -> None:
    words = load_lexicon().words
    assert all(word == word.lower() for word in words)
    assert words["queen"].partner == "king"
    assert words["king"].partner == "queen"


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("he", "she", "she"),
        ("He", "she", "She"),
        ("HE", "she", "SHE"),
        ("McKENZIE", "anna", "ANNA"),
        ("I", "she", "She"),
    ],
)
def test_case_patterns(old: str, new: str, written: str) -> None:
    assert match_case(old, new) == written
