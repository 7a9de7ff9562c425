"""Word lists and person phrases of two poles: matching, refusals, and the capital of a sentence."""

import pytest

from equipoise.errors import UserError
from equipoise.text.gendered import NEITHER, PERSON, with_person, word_lists


def test_words_are_matched_whatever_their_case() -> None:
    lists = word_lists({"male": ("man", "Sir"), "female": ("woman",)}, "here")
    assert lists.names == ("male", "female")
    found = [lists.pole_of(word) for word in ("Man", " man ", "SIR", "Woman", "person", "##man")]
    assert found == ["male", "male", "male", "female", NEITHER, NEITHER]


def test_repeats_count_once_and_keep_their_first_spelling() -> None:
    lists = word_lists({"male": ("Man", "man", "", "boy"), "female": ("woman",)}, "here")
    assert lists.words["male"] == ("Man", "boy")


def test_a_word_of_both_poles_is_refused() -> None:
    with pytest.raises(UserError, match="here: cousin, nurse stands in the lists of both poles"):
        word_lists({"male": ("nurse", "cousin"), "female": ("Cousin", "nurse")}, "here")


def test_a_pole_without_words_is_refused() -> None:
    with pytest.raises(UserError, match="no word for the pole 'female'"):
        word_lists({"male": ("man",), "female": ()}, "here")


def test_a_person_opens_a_sentence_with_a_capital() -> None:
    assert with_person(f"{PERSON} likes [MASK].", "the man") == "The man likes [MASK]."
    assert with_person(f"Today {PERSON} likes [MASK].", "the man") == "Today the man likes [MASK]."
