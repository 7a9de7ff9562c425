"""Very long texts are rewritten in pieces, cut between sentences, and nothing shows where."""

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.text.rewriting import Rewriter
from equipoise.text.rewriting.pieces import LONGEST, pieces

SENTENCE = "She gave him her book, and Mr. Hill told his sister so. "


@given(st.text(alphabet="ab .A\n<>", max_size=200), st.integers(1, 50))
def test_pieces_joined_are_the_text(text: str, longest: int) -> None:
    cut = list(pieces(text, longest))
    assert "".join(cut) == text
    assert "<" in text or all(len(piece) <= longest for piece in cut)


def test_cuts_fall_between_sentences_and_outside_markup() -> None:
    assert all(piece.startswith("She gave") for piece in pieces(SENTENCE * 50, 300))
    text = "He left. <code>" + "He ran. She ran. " * 10 + "</code> She left."
    ends = list(accumulate(map(len, pieces(text, 195))))
    assert ends == [text.index(" She left.") + 1, len(text)]
    assert next(pieces(text, 100)) == text[: text.index(" She left.")]


@pytest.mark.parametrize("mode", ["invert", "substitute", "augment"])
def test_a_long_text_reads_as_its_sentences_do(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At full length in one mode: the others are cut in the same way, and so at less."""
    longest = LONGEST if mode == "invert" else LONGEST // 20
    monkeypatch.setattr("equipoise.text.rewriting.rewriter.LONGEST", longest)
    monkeypatch.setattr("equipoise.text.rewriting.rewriter.pieces", lambda text: pieces(text, longest))
    times = longest // len(SENTENCE) + 10
    text = SENTENCE * times
    rewriter = Rewriter(mode, seed=2)
    once = Rewriter().rewrite(SENTENCE)
    rewritten = rewriter.rewrite(text)
    drawn = mode != "substitute" or rewritten.text != text
    assert rewritten.text == (once.text * times if drawn else text)
    assert rewritten.original == text
    assert len(rewritten.changes) == (times * len(once.changes) if drawn else 0)
    assert next(rewriter.rewrite_many([text])).text == rewritten.text
