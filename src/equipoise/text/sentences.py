"""Sentences with exact offsets, by `sentencex`.

`sentencex` keeps a quotation together and takes a bullet for the start of a list item, so that one mark
without its partner makes one sentence of half a page. A sentence that is too long to be one is therefore
split again with such marks blanked out.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

TOO_LONG = 600
"""Characters from which a sentence with quotation marks, brackets or bullets is split again."""

MARKS = re.compile(r"[\"“”„«»()\[\]•*]|(?<!\w)['‘]|’(?!\w)")
OPENING = re.compile(r"\s[\"“„«(\[‘]+$")


class Span(NamedTuple):
    """Where something stands in a text."""

    start: int
    end: int


def sentence_spans(text: str, language: str = "en") -> list[Span]:
    """The sentences of a text, without the white space between them; their spans are exact."""
    return [
        Span(*_trimmed(text, start, end)) for start, end in _cuts(text, language) if text[start:end].strip()
    ]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _cuts(text: str, language: str) -> Iterator[tuple[int, int]]:
    from sentencex import segment

    start = 0
    for piece in segment(language, text):
        if len(piece) > TOO_LONG and MARKS.search(piece):
            yield from ((start + begin, start + end) for begin, end in _without_marks(piece, language))
        else:
            yield start, start + len(piece)
        start += len(piece)


def _without_marks(piece: str, language: str) -> Iterator[tuple[int, int]]:
    """Split a piece as if it had no quotation marks; an opening mark joins the sentence after it."""
    from sentencex import segment

    begin = end = 0
    for part in segment(language, MARKS.sub(" ", piece)):
        end += len(part)
        left = OPENING.search(piece[begin:end].rstrip())
        stop = begin + left.start() if left else end
        yield begin, stop
        begin = stop
    yield begin, end
