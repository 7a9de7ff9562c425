"""The linter on pairs with one fault each, and on pairs with none."""

import pandas as pd
import pytest

from equipoise.data.lint import CODES, Finding, lint_lengths, lint_pairs, parse_swaps
from equipoise.errors import UserError

GOOD = ("ok", "The clerk lost her keys in an old taxi.", "The clerk lost his keys in an old taxi.")


def codes(*rows: tuple[str, str, str]) -> list[str]:
    return [finding.code for finding in lint_pairs(rows)]


def test_a_good_pair_has_no_finding() -> None:
    assert lint_pairs([GOOD]) == []


@pytest.mark.parametrize(
    ("code", "first", "second"),
    [
        ("empty", "The clerk lost her keys in a taxi.", " "),
        ("no-difference", "The clerk lost the keys again.", "The clerk lost the keys again."),
        ("non-minimal", "The clerk lost her keys again.", "The clerk lost his own keys again."),
        (
            "non-minimal",
            "She gave her aunt and her sister what she had herself.",
            "He gave his uncle and his brother what he had himself.",
        ),
        ("article", "She waited for a hour in the rain.", "He waited for a hour in the rain."),
        ("article", "My niece is an heiress to much.", "My niece is an tenant to much."),
        ("casing", "the clerk lost her keys again.", "the clerk lost his keys again."),
        ("casing", "The clerk lost Her keys again.", "The clerk lost his keys again."),
        ("casing", "The Clerk lost her keys again.", "The clerk lost his keys again."),
        ("punctuation", "The clerk lost her keys again.", "The clerk lost his keys again!"),
        ("punctuation", "The clerk lost her keys, again.", "The clerk lost his keys again."),
        ("spacing", "The clerk  lost her keys again.", "The clerk lost his keys again."),
        ("spacing", "The clerk lost her keys , again.", "The clerk lost his keys , again."),
        ("spacing", "The clerk lost her keys,then left.", "The clerk lost his keys,then left."),
        ("spacing", "The clerk lost her keys again. ", "The clerk lost his keys again."),
        ("length", "She lost the keys again.", "He lost the keys again."),
        ("length", "She said no" + " and no" * 12 + ".", "He said no" + " and no" * 12 + "."),
    ],
)
def test_each_fault_gets_its_code_and_no_other(code: str, first: str, second: str) -> None:
    assert codes(("x", first, second)) == [code]
    assert code in CODES


def test_a_repeated_sentence_names_the_row_it_repeats() -> None:
    other = ("again", GOOD[2].upper().capitalize(), GOOD[1].lower().capitalize())
    (finding,) = lint_pairs([GOOD, other])
    assert (finding.line, finding.id, finding.code) == (3, "again", "duplicate")
    assert "line 2 (ok)" in finding.message


def test_a_capital_I_is_spelling_and_not_a_fault() -> None:
    assert codes(("x", "Last night I forgot the keys.", "Last night we forgot the keys.")) == []


def test_replaced_words_are_checked_against_the_swap_column() -> None:
    table = pd.DataFrame([GOOD, GOOD], columns=["id", "stereotype", "counterpart"])
    table["swapped"] = ["her>his", "she>he"]
    found = lint_pairs(table.iloc[:1]), [f for f in lint_pairs(table) if f.code == "swap-list"]
    message = "replaced 'her>his', listed 'she>he'"
    assert found == ([], [Finding(3, "ok", "swap-list", message)])


def test_a_table_with_missing_cells_is_named_not_dropped() -> None:
    table = pd.DataFrame({"first": [GOOD[1], None], "second": [GOOD[2], float("nan")]})
    assert [(f.line, f.code) for f in lint_pairs(table)] == [(3, "empty")]


def test_a_table_without_sentence_columns_is_refused_with_what_was_found() -> None:
    with pytest.raises(UserError, match="found id, text") as caught:
        lint_pairs(pd.DataFrame({"id": ["x"], "text": ["y"]}))
    assert "stereotype and counterpart" in caught.value.hint


def test_limits_can_be_moved() -> None:
    row = ("x", "She sold her car.", "He sold his car.")
    assert lint_pairs([row], shortest=4) == []
    assert [f.code for f in lint_pairs([row], shortest=4, most_changed=1)] == ["non-minimal"]


def test_lengths_are_counted_by_the_given_tokenizer() -> None:
    assert lint_lengths([GOOD], lambda sentence: len(sentence.split())) == []
    (finding,) = lint_lengths([GOOD], lambda sentence: 9 + ("his" in sentence.split()))
    assert finding == Finding(2, "ok", "token-count", "9 tokens against 10")


def test_swaps_are_read_in_order() -> None:
    assert parse_swaps("His>her; he>she") == [("his", "her"), ("he", "she")]
    assert parse_swaps("") == []
