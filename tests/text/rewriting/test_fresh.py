"""Cases written in one sitting without looking at the rules; rules were mended with one half in view.

`{}` stands for any other word, such as the partner of a name; ` | ` separates what is right as well, and `=`
is the text as it was. The half held out was looked at only once all rules were written.
"""

import csv
import re
from collections import Counter
from itertools import compress
from pathlib import Path

import pytest

from equipoise.text.rewriting import rewrite
from equipoise.text.rewriting.find.first_names import load_names

with (Path(__file__).parent / "fresh.csv").open(encoding="utf-8", newline="") as file:
    CASES = list(csv.DictReader(file))


def is_right(text: str, wanted: str) -> bool:
    turned = rewrite(text)
    for one in wanted.split(" | "):
        if one == "=":
            if turned.text == text:
                return True
            continue
        match = re.fullmatch(re.escape(one).replace(r"\{\}", r"([^\W\d_]+)"), turned.text)
        if match and not {*match.groups()} & {*re.findall(r"\w+", text)}:
            return True
    return False


@pytest.mark.parametrize(("half", "least"), [("read", 0.97), ("held out", 0.9)])
def test_fresh_cases(half: str, least: float) -> None:
    cases = [case for case in CASES if case["half"] == half]
    right = [is_right(case["text"], case["wanted"]) for case in cases]
    wrong = Counter(case["group"] for case in compress(cases, (not one for one in right)))
    assert sum(right) / len(cases) >= least, wrong


@pytest.mark.parametrize(
    "text",
    [
        "Xanfro lost his keys.",
        "Yesterday Xanfro lost her keys. She was angry with herself.",
        "When Xanfro Brown arrived, his brother slept.",
        "Zyndra, who is a surgeon, loves her job.",
        "The prize went to Xanfro for her novel.",
        "We met Xanfro and her sons in Cork.",
        "Nobody believed Xanfro when he told his story.",
        "She met Xanfro at his house.",
        "In her novel, Xanfro describes a war.",
        "Her name is Xanfro.",
        "I know Xanfro. She lost her keys.",
        "Jean-Pierre lost his hat.",
        "Anna-Lena wrote her thesis in Kiel.",
        "My brother knew the murder of Xanfro Zyx, killed in her bed.",
    ],
)
def test_a_sentence_about_an_unknown_name_stays_and_says_so(text: str) -> None:
    turned = rewrite(text)
    assert turned.text == text
    assert {skip.reason for skip in turned.skipped} == {"name of unknown gender"}
    assert rewrite(text, names=False).text != text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Mary met Xanfro at her house.", "{} met Xanfro at his house."),  # Mary's house
        ('"I saw Xanfro," she said.', '"I saw Xanfro," he said.'),
        ("Letters from Xanfro always reached his aunt.", "Letters from Xanfro always reached her uncle."),
        ("His wife Xanfro left.", "Her husband Xanfro left."),
        ("Pichler sent Xanfro to his mother.", "Pichler sent Xanfro to her father."),
        (
            "In 1999 Vanderbrokesby lost her keys.",
            "In 1999 Vanderbrokesby lost his keys.",
        ),  # ends like a surname
    ],
)
def test_a_word_that_may_be_a_name_is_in_the_account_where_its_sentence_turns(text: str, wanted: str) -> None:
    assert is_right(text, wanted)
    word = "Vanderbrokesby" if "Vander" in text else "Xanfro"
    assert (word, "surname or name") in {(skip.word, skip.reason) for skip in rewrite(text).skipped}


def test_pronouns_of_a_name_without_a_partner_stay_too() -> None:
    turned = rewrite("Jesus told his disciples a story.")
    assert turned.text == turned.original
    assert [(one.word, one.reason) for one in turned.skipped] == [
        ("Jesus", "name without a partner"),
        ("his", "name of unknown gender"),
    ]


def test_a_first_name_taken_for_a_surname_is_in_the_account() -> None:
    assert [(one.word, one.reason) for one in rewrite("Martin lost his keys.").skipped] == [
        ("Martin", "surname or name")
    ]
    assert rewrite("Stanley Martin left. Martin lost his keys.").skipped == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Mr. Xanfro lost his keys.", "Ms. Xanfro lost her keys."),
        (
            "Dr. Xanfro lost his keys. Xanfro was angry at himself.",
            "Dr. Xanfro lost her keys. Xanfro was angry at herself.",
        ),
        ("Thornton lost his keys.", "Thornton lost her keys."),
        ("Parliament heard her speech.", "Parliament heard his speech."),
        ("The man left. Xanfro saw him.", "The woman left. Xanfro saw her."),
        ("The museum in Xanfro shows her work.", "The museum in Xanfro shows his work."),
        ("The Xanfro broke when he used it.", "The Xanfro broke when she used it."),
    ],
)
def test_surnames_and_other_words_do_not_stop_a_sentence(text: str, wanted: str) -> None:
    assert rewrite(text).text == wanted


def test_partners_turn_back_wherever_an_origin_has_as_many_men_as_women() -> None:
    book = load_names()
    single = [entry for entry in book.names.values() if entry.gender != "both" and entry.partner]
    bearers = [int(entry.male_per_100k) + int(entry.female_per_100k) for entry in single]
    back = [book.names[entry.partner].partner == entry.name for entry in single]
    assert sum(compress(bearers, back)) / sum(bearers) > 0.97


def test_names_of_a_text_without_capitals_turn_too() -> None:
    text = "muhammad lost his keys, and emma's brother found them in may."
    turned = rewrite(text)
    partners = [load_names().names[name].partner for name in ("muhammad", "emma")]
    assert turned.text == f"{partners[0]} lost her keys, and {partners[1]}'s sister found them in may."
    assert turned.original == text
