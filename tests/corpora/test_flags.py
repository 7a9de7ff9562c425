"""Flagged sentences: the rules on plain sentences, and the generic pronoun against labels by people."""

import csv
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from equipoise.corpora.documents import Document, Where
from equipoise.corpora.flags import flagged_rows, flags_in, flags_of
from equipoise.corpora.generic_pronouns import PRONOUNS, generic_pronoun, is_person
from equipoise.corpora.vocabulary import gendered_words
from equipoise.data.reading import own_table

SEXISM = {"generalisation", "benevolent", "hostile"}


@pytest.mark.parametrize(
    ("sentence", "rules"),
    [
        ("A doctor should listen to his patients.", ["generic-pronoun"]),
        ("Everyone has his price.", ["generic-pronoun"]),
        ("No one knows what she will become.", ["generic-pronoun"]),
        ("If a software engineer is tired, he should rest.", ["generic-pronoun"]),
        ("Is a teacher allowed to change her mind?", ["generic-pronoun"]),
        ("A doctor should listen to his or her patients.", []),
        ("A doctor should know what s/he does.", []),
        ("She is a doctor and loves her job.", []),
        ("Nobody knows whether Peter sold his house.", []),
        ("A doctor in London must pay his rent.", ["generic-pronoun"]),
        ("A doctor came in and took off his hat.", []),
        ("“I need a doctor,” he says.", []),
        ("Everyone admires him.", []),
        ("My wife saw a doctor about her back.", []),
        ("A doctor told my sister that she was well.", []),
        ("His work as a painter made him rich.", []),
        ("A doctor should listen to their patients.", []),
        ("The nurse lost her keys.", ["occupation"]),
        ("The doctor wiped his pen, and he wrote.", ["occupation"]),
        ("This inspector wore a uniform, and he kept order.", ["occupation"]),
        ("The doctor glanced at her gravely.", []),
        ("The doctor says she cannot last.", []),
        ("The manager's opponent kept his office.", []),
        ("Then Philip and the painter took his coat.", []),
        ("William paid the driver, lifting his hat.", []),
        ("I begged the driver, and he stopped.", []),
        ("The lawyer saw Anna, and she left.", []),
        ("The woman told the nurse that she was late.", []),
        ("Women belong in the kitchen, he said.", ["hostile"]),
        ("Girls can’t drive.", ["hostile"]),
        ("Women should be cherished.", ["benevolent"]),
        ("It needs a woman’s touch.", ["benevolent"]),
        ("Women are useless with numbers.", ["hostile"]),
        ("Women always get more upset than men.", ["hostile"]),
        ("No man succeeds without a good woman.", ["benevolent"]),
        ("You are smart, for a girl.", ["benevolent"]),
        ("Most men never ask.", ["generalisation"]),
        ("Girls are born delicate.", ["benevolent"]),
        ("Every wife complains.", ["hostile"]),
        ("The women left, and two men in hats stayed.", []),
        ("A woman came in and men were shouting.", []),
        ("A man gets over anything by Sunday.", []),
        ("When women wave at you, smile.", []),
        ("The cat slept.", []),
        ("", []),
    ],
)
def test_rules(sentence: str, rules: list[str]) -> None:
    assert [rule for rule, _ in flags_of(sentence)] == rules


def test_a_flag_says_where_and_why() -> None:
    text = "It rained. A good teacher knows his pupils. Nobody left."
    (row,) = flagged_rows(Document("d", text, {}, Where("a.txt", 3)), flags_in(text))
    evidence, sentence = "a good teacher ... his", "A good teacher knows his pupils."
    assert row == ("generic-pronoun", "d", "a.txt", 3, 11, 43, evidence, sentence)


def test_the_lists_are_clean() -> None:
    phrases = own_table("corpora/flag-phrases.csv")
    assert set(phrases["kind"]) == {"benevolent", "hostile"}
    assert not phrases["phrase"].duplicated().any()
    assert phrases["phrase"].str.islower().all()
    nouns = own_table("corpora/person-nouns.csv")["noun"]
    assert not nouns.duplicated().any()
    assert not any(is_person(word) for word in gendered_words())


def test_what_sexism_is_found_in_our_own_pairs() -> None:
    """Most of our pairs insinuate something of one person; the rules find what is said of a kind."""
    pairs = own_table("pairs.csv")
    marked = {
        category: sum(any(rule in SEXISM for rule, _ in flags_of(text)) for text in rows["stereotype"])
        for category, rows in pairs.groupby("category")
    }
    assert marked["occupation"] == 0
    assert marked["benevolent-sexism"] >= 30
    assert marked["hostile-sexism"] >= 28


def held_out(sentence: str) -> bool:
    """One half of the sentences; versions of one with another job or pronoun stay together."""
    words = [
        word
        for word in re.findall("[a-z]+", sentence.lower())
        if word not in PRONOUNS and not is_person(word)
    ]
    return int(hashlib.sha256(" ".join(words[:12]).encode()).hexdigest(), 16) % 2 == 1


def test_precision_and_recall_on_labelled_sentences(shared_data: Callable[[str], Path]) -> None:
    """On the half the rules were not written with; `docs/corpora.md` says how far it was seen."""
    with shared_data("generic-pronouns/dataset.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if held_out(row["sentence"])]
    marked = [generic_pronoun(row["sentence"]) is not None for row in rows]
    positive = [row["label"] == "Positive" for row in rows]
    hits = sum(both for both in map(min, marked, positive))
    assert len(rows) > 1500
    assert hits / sum(marked) > 0.90
    assert hits / sum(positive) > 0.81
    neutral = [mark for mark, row in zip(marked, rows, strict=True) if row["label"] == "Neutral"]
    assert sum(neutral) <= 0.01 * len(neutral)
