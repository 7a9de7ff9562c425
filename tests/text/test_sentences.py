"""Sentence spans: exact, complete, and not half a page for one lost quotation mark."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from equipoise.text.sentences import sentence_spans


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def test_abbreviations_quotations_and_paragraphs() -> None:
    text = 'Mr. Smith came in. "Oh," she said. He’d left… \U0001f600 Naïve.\n\nA new paragraph here.'
    assert pieces(text) == [
        "Mr. Smith came in.",
        '"Oh," she said.',
        "He’d left… \U0001f600 Naïve.",
        "A new paragraph here.",
    ]


def test_a_lost_quotation_mark_does_not_swallow_the_page() -> None:
    sentence = "The old house stood by the river and nobody lived in it. "
    text = "“He never found the key. " + sentence * 20 + "(She did.)"
    assert pieces(text) == [
        "“He never found the key.",
        *[sentence.strip()] * 20,
        "(She did.)",
    ]


def test_nothing_in_nothing() -> None:
    assert sentence_spans("") == []
    assert sentence_spans(" \n\n ") == []


@given(st.text(alphabet="aB.?! \n\"“”()’'•\U0001f600é", max_size=1500))
def test_spans_are_in_order_and_lose_no_letter(text: str) -> None:
    spans = sentence_spans(text)
    assert all(before.end <= after.start for before, after in pairwise(spans))
    assert "".join("".join(pieces(text)).split()) == "".join(text.split())
