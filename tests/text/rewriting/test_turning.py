"""Turning without an account gives what the account gives: the text, the number of changes and the tally."""

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equipoise.text.rewriting import Policy, Rewriter
from equipoise.text.rewriting.account import coin, coins

CASES = Path(__file__).with_name("cases.csv")
LINES = (
    "he she him her his hers He She Her His HIS himself he's She'd or Or and and/or (or / (s)he s/he his/her",
    'her, his. him," her—she (he he) "He \'She said Mr. Mr Mrs. Mrs Ms Miss "Mr. \'Miss Smith, President',
    "Bean Porter's School the The of in a an A man man's woman, heiress heir lady King Lord John Mary Mary's",
    "film book own dancing the home \n\n x\n\nher her\n. ! pregnant und nicht http://his.com <b>her</b>",
    "`his` \0 é brothers, others and-hers [her] mother",
)
WORDS = [word for line in LINES for word in line.split(" ")]
PIECES = st.lists(st.sampled_from([*WORDS, ""]), max_size=14)
REWRITERS = {
    (mode, names): Rewriter(mode, names=names, seed=1)
    for mode in ("invert", "substitute", "augment")
    for names in (True, False)
}


def assert_same(rewriter: Rewriter, text: str) -> None:
    rewritten, turned = rewriter.rewrite(text), rewriter.turn(text)
    assert turned == (rewritten.text, len(rewritten.changes), rewritten.tally), text


@settings(max_examples=300, deadline=None)
@given(PIECES, st.sampled_from(sorted(REWRITERS)))
def test_turning_equals_the_account(pieces: list[str], key: tuple[str, bool]) -> None:
    assert_same(REWRITERS[key], " ".join(pieces))


@pytest.mark.parametrize("names", [True, False])
def test_hand_written_cases_turn_alike(names: bool) -> None:
    with CASES.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            for text in row:
                assert_same(REWRITERS["invert", names], text)


@pytest.mark.parametrize(
    ("text", "turned", "changes"),
    [
        ("Then Mr. Hill gave her a book.", "Then Ms. Hill gave him a book.", 2),
        ("In Mrs. Hill's room Miss Lee saw him.", "In Mr. Hill's room Mr. Lee saw her.", 3),
        ("He met an heiress and her friend.", "She met an heir and his friend.", 3),
        ("Is it his or hers? I know it is hers.", "Is it his or hers? I know it is his.", 1),
        ("She was pregnant. He left.", "She was pregnant. She left.", 1),
        ("Nothing here.", "Nothing here.", 0),
    ],
)
def test_turned_texts(text: str, turned: str, changes: int) -> None:
    result = Rewriter(names=False).turn(text)
    assert (result.text, result.changes) == (turned, changes)


def test_modes_and_judges_that_need_the_account_get_it() -> None:
    text = "She gave her the book, and he or she thanked her."
    for rewriter in (
        Rewriter("neutral"),
        Rewriter("per-sentence", seed=4),
        Rewriter(judge=lambda cases: [case.options[1] for case in cases]),
        Rewriter(policy=Policy(coordinated="turn")),
    ):
        assert_same(rewriter, text)


@settings(max_examples=20, deadline=None)
@given(st.text(max_size=20), st.integers(0, 5))
def test_coins_of_parts_are_the_coins_of_their_numbers(text: str, seed: int) -> None:
    assert coins(seed, text, 12) == [coin(seed, text, str(number)) for number in range(12)]
