"""Words in context, on tokenizers of four kinds."""

from typing import Any

import pytest
import tiny

from equipoise.errors import UserError
from equipoise.models.neural.words import Tokens, is_unknown, place_word, starts_sentence
from equipoise.text.blank import find_blank


def tokens(kind: str) -> Tokens:
    return Tokens(tiny.tokenizer(kind), kind)


def spelled(found: Any, words: Tokens) -> list[str]:
    return [words.token(piece) for piece in found.pieces]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("wordpiece", ["she"]),
        ("cased-wordpiece", ["she"]),
        ("byte-bpe", ["Ġshe"]),
        ("unigram", ["▁s", "he"]),
    ],
)
def test_a_word_inside_a_sentence(kind: str, expected: list[str]) -> None:
    words = tokens(kind)
    found = place_word(words, "The nurse said that [MASK] would help.", "she")
    assert spelled(found, words) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("wordpiece", "he"), ("cased-wordpiece", "He"), ("byte-bpe", "He"), ("unigram", "▁He")],
)
def test_a_word_at_the_start_of_a_sentence_is_capitalised(kind: str, expected: str) -> None:
    words = tokens(kind)
    found = place_word(words, "[MASK] is a doctor.", "he")
    assert "".join(spelled(found, words)).replace("##", "") == expected


@pytest.mark.parametrize("kind", tiny.TOKENIZER_KINDS)
def test_the_pieces_spell_the_word(kind: str) -> None:
    words = tokens(kind)
    found = place_word(words, "They asked the [MASK] about it.", "phlebotomist")
    spelling = "".join(spelled(found, words)).replace("##", "").strip("Ġ▁")
    assert spelling == "phlebotomist"
    assert len(found.slot) == len(found.pieces)


@pytest.mark.parametrize("kind", tiny.TOKENIZER_KINDS)
def test_context_tokens_do_not_depend_on_the_word(kind: str) -> None:
    """Only the slot may differ between two words: the rest of the row is the same."""
    words = tokens(kind)
    rests = []
    for word in ("he", "she"):
        found = place_word(words, "The nurse said that [MASK] would help.", word)
        rests.append([i for place, i in enumerate(found.encoded.ids) if place not in found.slot])
    assert rests[0] == rests[1]


def test_an_id_looked_up_without_context_would_be_another_token() -> None:
    """The defect of RoBERTa's published numbers: `he` without its leading space is another row."""
    words = tokens("byte-bpe")
    in_place = place_word(words, "The nurse said that [MASK] would help.", "he").pieces
    looked_up = words.tokenizer.convert_tokens_to_ids("he")
    assert in_place != (looked_up,)


def test_a_word_that_becomes_unknown_is_seen() -> None:
    words = tokens("wordpiece")
    assert is_unknown(place_word(words, "[MASK] is a doctor.", "雪"), words)
    assert not is_unknown(place_word(words, "[MASK] is a doctor.", "he"), words)


@pytest.mark.parametrize("kind", tiny.TOKENIZER_KINDS)
def test_hidden_spans_cover_all_pieces_of_a_word(kind: str) -> None:
    words = tokens(kind)
    text = "[MASK] met the phlebotomist today."
    start = text.index("phlebotomist")
    found = place_word(words, text, "she", hidden=((start, start + 12),))
    covered = "".join(words.token(found.encoded.ids[place]) for place in found.hidden)
    assert covered.replace("##", "").strip("Ġ▁") == "phlebotomist"


def test_hidden_spans_move_with_the_word_in_the_blank() -> None:
    words = tokens("wordpiece")
    text = "The doctor told [MASK] that the pilot left."
    start = text.index("pilot")
    for word in ("he", "themselves"):
        found = place_word(words, text, word, hidden=((start, start + 5),))
        covered = "".join(words.token(found.encoded.ids[place]) for place in found.hidden)
        assert covered.replace("##", "") == "pilot"


def test_other_blanks_stay_masks() -> None:
    words = tokens("wordpiece")
    found = place_word(words, "[MASK] is a [MASK].", "he", blank=0)
    masks = [place for place, i in enumerate(found.encoded.ids) if i == words.mask_id]
    assert len(masks) == 1
    assert masks[0] not in found.slot


def test_two_blanks_where_one_is_expected() -> None:
    with pytest.raises(UserError, match="2 blanks"):
        find_blank("[MASK] is a [MASK].", None)


def test_no_blank() -> None:
    with pytest.raises(UserError, match=r"no \[MASK\]"):
        find_blank("He is a doctor.", None)


def test_a_blank_that_does_not_exist() -> None:
    with pytest.raises(UserError, match="Blank number 3"):
        find_blank("[MASK] is a doctor.", 3)


def test_a_word_glued_to_its_neighbour_is_refused() -> None:
    words = tokens("byte-bpe")
    with pytest.raises(UserError, match="neighbours"):
        place_word(words, "He saw t[MASK] nurse.", "he")


@pytest.mark.parametrize(
    ("left", "expected"),
    [("", True), ('"', True), ("He left. ", True), ("Why? ", True), ("He said ", False), ("the ", False)],
)
def test_where_a_sentence_starts(left: str, expected: bool) -> None:
    assert starts_sentence(left) is expected


def test_a_slow_tokenizer_is_refused() -> None:
    class Slow:
        is_fast = False

    with pytest.raises(UserError, match="where its tokens stand"):
        Tokens(Slow(), "slow")
