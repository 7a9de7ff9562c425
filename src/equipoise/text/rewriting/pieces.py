"""Very long texts in pieces, so that memory grows with the text itself and not with all its words at once."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from equipoise.text.rewriting.account import Rewritten, Tally
from equipoise.text.rewriting.find.protection import markup_spans
from equipoise.text.rewriting.find.sentences import sentence_starts

LONGEST = 1_000_000
"""Characters of a text that is rewritten at once; a longer one is cut between two sentences."""

_SEARCHED = 20_000
"""Characters before the end of a piece in which a sentence may end; a blank serves where none does."""


def pieces(text: str, longest: int = LONGEST) -> Iterator[str]:
    """The text in pieces that give it back when they are joined."""
    spans = markup_spans(text)
    begin = 0
    while len(text) - begin > longest:
        end = _cut(text, begin, begin + longest, spans)
        yield text[begin:end]
        begin = end
    yield text[begin:]


def _cut(text: str, begin: int, end: int, spans: Sequence[tuple[int, int]]) -> int:
    """The best place for a cut outside markup: between two sentences, else after a blank, else anywhere."""
    first = max(begin + 1, end - _SEARCHED)
    starts = [first + start for start in sentence_starts(text[first:end])[1:]]
    blank = text.rfind(" ", first, end) + 1
    for place in (*reversed(starts), blank):
        if place > begin and _outside(place, spans) == place:
            return place
    return _outside(end, spans)


def _outside(place: int, spans: Sequence[tuple[int, int]]) -> int:
    """The place, or the end of the markup that it is in."""
    number = bisect_left(spans, (place, 0)) - 1
    return max(place, spans[number][1]) if number >= 0 else place


def joined(parts: Sequence[Rewritten]) -> Rewritten:
    """One account out of those of the pieces, with the places of the whole text."""
    changes, skipped = [], []
    offset = 0
    for part in parts:
        changes += [one._replace(start=one.start + offset, end=one.end + offset) for one in part.changes]
        skipped += [one._replace(start=one.start + offset, end=one.end + offset) for one in part.skipped]
        offset += len(part.text) + sum(len(one.old) - len(one.new) for one in part.changes)
    text = "".join(part.text for part in parts)
    tally = Tally(*(sum(column) for column in zip(*(part.tally for part in parts), strict=True)))
    return Rewritten(text, tuple(changes), tuple(skipped), tally, parts[0].mode)
