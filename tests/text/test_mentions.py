"""Mentions of people: by whole words, with their articles where a name takes their place."""

from equipoise.data.sets.schemas import is_mentioned, mention_spans, with_name


def test_names_take_the_place_of_the_first_mention_and_its_articles() -> None:
    text = "The cook asked the the chief about a good cook."
    assert with_name(with_name(text, "cook", "Bob"), "chief", "Alice") == "Bob asked Alice about a good cook."
    assert with_name("The nurse's bag and the nurses", "nurse", "Alice") == "Alice's bag and the nurses"


def test_a_mention_is_a_whole_word_in_any_case() -> None:
    assert mention_spans("A cooked meal for the Cook", "cook") == ((22, 26),)
    assert mention_spans("The cook met a cook", "cook") == ((4, 8), (15, 19))
    assert not is_mentioned("A cooked meal", "cook")
    assert not is_mentioned("A cooked meal", "")
