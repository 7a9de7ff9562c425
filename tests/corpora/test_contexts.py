"""Contexts: inside one document, the central gendered word, others flagged, all spans exact."""

import pytest

from equipoise.corpora.contexts import contexts
from equipoise.corpora.documents import Document, Where
from equipoise.errors import UserError
from equipoise.text.sentences import Span


def document(text: str, name: str = "d") -> Document:
    return Document(name, text, {"side": "left"}, Where("a.txt", 1))


def test_the_word_nearest_to_the_middle_is_asked_for() -> None:
    text = "He was strong, but “she,” people said, was a leader at home."
    (context,) = contexts([document(text)], 100)
    assert context.text == text
    assert (context.word, context.gender, context.span) == ("she", "female", Span(20, 23))
    assert context.masked("[MASK]") == "He was strong, but “[MASK],” people said, was a leader at home."
    assert context.leaks
    assert [text[start:end] for start, end in context.others] == ["He"]
    assert [(found.category, found.word) for found in context.targets] == [
        ("strength", "strong"),
        ("career", "leader"),
        ("family", "home"),
    ]
    assert all(text[found.span.start : found.span.end] == found.word for found in context.targets)
    assert context.groups == {"side": "left"}


def test_contexts_stay_inside_a_document_and_cover_it() -> None:
    texts = ["a b she d e f g He", "his j k l m"]
    found = list(contexts([document(texts[0], "one"), document(texts[1], "two")], 3))
    assert [(context.document, context.text, context.word) for context in found] == [
        ("one", "a b she", "she"),
        ("one", "g He", "He"),
        ("two", "his j k", "his"),
    ]
    assert not any(context.leaks for context in found)


def test_of_two_equally_near_the_earlier_one() -> None:
    (context,) = contexts([document("he x she")], 3)
    assert context.word == "he"


def test_parts_of_words_are_no_words() -> None:
    """'other', 'shell' and 'history' hold he, she and his; a hyphenated word is one word."""
    assert list(contexts([document("The other shell in history is man-made.")], 50)) == []


def test_own_words_and_own_tokens() -> None:
    text = "El doctor; la doctora."
    halves = [(0, 9), (9, 22)]
    found = list(contexts([document(text)], 1, words={"doctora": "female"}, tokenise=lambda _: halves))
    assert [(context.text, context.word) for context in found] == [("; la doctora.", "doctora")]


def test_bad_length_and_empty_text() -> None:
    assert list(contexts([document("  ")], 5)) == []
    with pytest.raises(UserError, match="0 tokens"):
        list(contexts([], 0))
