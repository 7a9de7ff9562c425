"""The compiled core gives what the account and the pure Python way give, on any text, in bounded memory."""

import csv
import gc
import random
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from equipoise.text.rewriting import Policy, Rewriter, compiled
from equipoise.text.rewriting.form_model import JOINTS, SINGLES
from equipoise.text.rewriting.forms import features, form_model
from equipoise.text.rewriting.scanning import ALONE, FORM, IN_FULL, NOUN
from equipoise.text.rewriting.turning import Turned, Turner

if not compiled.IS_COMPILED:
    pytest.skip("the core was not compiled", allow_module_level=True)

CASES = Path(__file__).with_name("cases.csv")
LINES = (
    "he she him her his hers He Her His HER himself she's he'd or and and/or (or / his/her [her] (his) her—",
    "“Her her.” her’s man man's woman heiress mother King Mr. Mr Mrs. Miss Ms Hill Porter's School and of in",
    "a an the own dancing home during among both given \n\n x\n\nher her\n. ! pregnant und nicht komm le",
    "breast http://his.com user.his_name `his` <b>her</b> \0 \t his\there é 𝔥er 她 \ud800 her\udc00 --",
    "\u00a0her Mary John Mary's will Will",
)
WORDS = [word for line in LINES for word in line.split(" ")]
STRANGE = st.text(alphabet="heris HMS.,'\n\t\0é’她𝔥\ud800\U0010ffff", max_size=12)
TEXTS = st.lists(st.one_of(st.sampled_from([*WORDS, "", ""]), STRANGE), max_size=16).map(" ".join)
REWRITERS = {names: Rewriter(names=names) for names in (False, True)}
PLAIN = {
    names: Turner(one.scanner, one.tables, one.policy, compiled=False) for names, one in REWRITERS.items()
}


def assert_same(text: str, names: bool) -> None:
    rewritten, turned = REWRITERS[names].rewrite(text), REWRITERS[names].turn(text)
    assert turned == (rewritten.text, len(rewritten.changes), rewritten.tally), repr(text)
    assert PLAIN[names].turn(text) in (None, turned)


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.booleans())
@example("her" + " " * 100 + "hat", False)
@example("his " + "x" * 100_000 + " her " + "é" * 70_000, False)
@example("\0", False)
@example(" ", False)
@example("", False)
@example("A man—a heiress, an heir and the pregnant man—a heiress.", False)
def test_the_core_says_what_the_others_say(text: str, names: bool) -> None:
    assert_same(text, names)


@pytest.mark.parametrize("names", [False, True])
def test_sentences_in_a_row_are_turned_alike(names: bool) -> None:
    """Several hand-written sentences at once: marked ones beside others, in texts of every width."""
    with CASES.open(encoding="utf-8", newline="") as file:
        sentences = [text for row in csv.reader(file) for text in row[:1]]
    drawn = random.Random(3)
    for number in range(300):
        text = " ".join(drawn.sample(sentences, 5)) + ("", " é", " 她", " 𝔥")[number % 4]
        assert_same(text, names)


@pytest.mark.parametrize("policy", [Policy(coordinated="turn"), Policy(definitional="swap")])
def test_policies_hold_in_the_core(policy: Policy) -> None:
    rewriter = Rewriter(policy=policy)
    for text in ("He or she lost his or her hat, and she her.", "She was pregnant. Her son met le roi."):
        rewritten = rewriter.rewrite(text)
        assert rewriter.turn(text) == (rewritten.text, len(rewritten.changes), rewritten.tally)


def test_a_text_with_a_mark_that_leaves_nothing_whole_needs_no_account() -> None:
    core = REWRITERS[False].turner.core
    assert core is not None
    text = "He put the child to her breast, and she held her hand."
    turned, counts, others, _ = core.turn(text) or ("", (), (), ())
    assert (turned, counts) == ("She put the child to his breast, and he held his hand.", (1, 3, 0))
    assert [(chunk, start, shift) for chunk, start, shift, _ in others] == [(6, 24, 1)]
    assert core.turn("She was pregnant.") is None
    assert core.turn("<b>her</b>") is None
    assert core.turn("her \ud800") is None


NAMED = (
    "Mary Mary, Mary's “Mary Mary.” Tom Tom! James James' Will Grace Martin Martin, Darcy Virginia Jo Dana",
    'saw of and the The But But said said, said. said.” "When in at near from film novel book Mr. Mr Miss',
    "Lady Captain. St. vs. duke King HMS & Lord de Hill Street, Great Her Oh, plain peeping walked to with",
    "in on as near starred known Baines, Baines Woodhouse. Church Court lion lioness does buck bucks",
)
NAMED_TEXTS = st.lists(st.sampled_from([*" ".join(NAMED).split(" "), "", "—", "(", "her"]), max_size=12)


@settings(max_examples=600, deadline=None)
@given(NAMED_TEXTS.map(" ".join))
@example('He read the book "Oh, Anna." He saw Anna. Mr. Martin met Martin, and Martin left http://x.com/Anna')
@example("Anna the Great and Anna and Her Band saw plain Jane, Tom, Dick and Harry.")
def test_names_are_judged_as_the_rules_judge_them(text: str) -> None:
    assert_same(text, names=True)


def test_a_name_between_plain_words_is_left_to_nobody() -> None:
    core = REWRITERS[True].turner.core
    assert core is not None
    text = "Then Mary said that Mr. Martin, whom Mary's aunt knew, was here."
    turned, counts, others, names = core.turn(text) or ("", (), (), ())
    assert (counts, list(others), names) == ((1, 3, 0), [], ())
    assert turned == REWRITERS[True].rewrite(text).text
    _, _, others, names = core.turn("Emma met John Hill, and Emma left with Anna.") or ("", (), (), ())
    assert [row[0] for row in others] == [2]
    assert [row[0] for row in names] == [0, 5, 8]


def test_ways_and_features_are_those_that_the_core_was_written_for() -> None:
    ways = IN_FULL, ALONE, FORM, NOUN, compiled.TITLE, compiled.MARKED, compiled.NAMED
    assert ways == tuple(range(7))
    assert len(SINGLES) == 6
    assert all(2 <= len(reads) <= 3 for reads in JOINTS.values())
    facts = form_model("her").facts
    names = {name[0] for name in features(facts, ["a"] * 4, ["b"] * 4)}
    assert names == set(compiled._KINDS)


def test_what_is_forgotten_is_learned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_CHUNKS", 3)
    rewriter = Rewriter(names=False)
    for _ in range(3):
        for number in range(50):
            turned = rewriter.turn(f"He {number} saw her hat {number}, x{number}")
            assert turned.text == f"She {number} saw his hat {number}, x{number}"


def test_memory_stays_flat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_CHUNKS", 200)
    rewriter = Rewriter(names=False)
    sizes = []
    tracemalloc.start()
    for turn in range(4):
        for number in range(600):
            rewriter.turn(f"He gave Mrs. Hill her {turn}-{number} mother's hat and he-{number} his. pregnant")
        gc.collect()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[3] - sizes[2] < 80_000


def test_threads_share_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "MOST_CHUNKS", 50)
    texts = [
        f"He {number}x told the man of her {number}z, and Mrs. H{number} was his." for number in range(400)
    ]
    expected = [REWRITERS[False].rewrite(text).text for text in texts]
    rewriter = Rewriter(names=False)
    told: list[list[str]] = []

    def work() -> None:
        told.append([rewriter.turn(text).text for text in texts])

    threads = [threading.Thread(target=work) for _ in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert told == [expected] * 4


def test_a_guide_that_fails_or_errs_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    for answer, error in ((7, ValueError), ("x", TypeError)):
        monkeypatch.setattr(compiled.Guide, "is_common", lambda *_, answer=answer: answer)
        with pytest.raises(error):
            Rewriter(names=False).turn("I saw the man there.")
    monkeypatch.setattr(compiled.Guide, "describe", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        Rewriter(names=False).turn("I saw the man there.")


def test_turned_is_what_every_way_gives() -> None:
    assert type(REWRITERS[False].turn("He left.")) is Turned
