"""Words and marks: how a text is cut into tokens, and those around a place."""

import re
from collections.abc import Iterator, Sequence

WINDOW = 4
"""Tokens on either side of a pronoun that the rules for its form look at."""

END = "<s>"
"""The token beyond either end of a text."""

MOST_CHUNKS = 150_000
"""Chunks remembered at most, so that memory stays flat however long the corpus is."""

EDGE = "\0"
"""A chunk that stands for what is beyond either end of a text."""

WIDER = 60
"""Chunks to look through where the nearest ones are blank."""

TOKEN = re.compile(
    r"</?[A-Za-z][^<>]*>|[*_]+|\n\s*\n|[^\W_]+(?:['’‑-][^\W_]+)*|-{2,}|``|''|[^\w\s]",
)
_WORD_OR_MARK = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def words_with_offsets(text: str) -> Iterator[tuple[str, int]]:
    """Words (with their endings) and punctuation marks, each with its offset; underscores around are none."""
    for match in _WORD_OR_MARK.finditer(text):
        token = match[0].lstrip("_")
        if word := token.rstrip("_"):
            yield word, match.end() - len(token)


def tokens_of(text: str) -> tuple[str, ...]:
    """Words and punctuation marks; an empty line ends what goes before it."""
    tokens = (token for token in TOKEN.findall(text) if token[0] not in "*_")
    return tuple(END if token.isspace() else token for token in tokens)


def neighbours(text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """Up to four tokens before (nearest last) and after (nearest first) a span; markup is skipped."""
    left = [token for token in TOKEN.findall(text, max(0, start - 120), start) if not _is_markup(token)]
    right = [token for token in TOKEN.findall(text, end, end + 120) if not _is_markup(token)]
    return _up_to_break(left[::-1])[::-1], _up_to_break(right)


def _up_to_break(tokens: Sequence[str]) -> list[str]:
    """The first four tokens, padded, as far as the end of a paragraph."""
    end = next((place for place, token in enumerate(tokens) if token.isspace()), len(tokens))
    kept = list(tokens[: min(end, WINDOW)])
    return kept + [END] * (WINDOW - len(kept))


def _is_markup(token: str) -> bool:
    return token[0] in "*_" or (token[0] == "<" and len(token) > 1)


class Surroundings(dict[str, tuple[str, ...]]):
    """The tokens of chunks, learned as they are met, for looking around a candidate quickly."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        if len(self) >= MOST_CHUNKS:
            self.clear()
        tokens = self[chunk] = (END,) if chunk == EDGE else tokens_of(chunk)
        return tokens

    def of(
        self, chunks: list[str], place: int, inside: tuple[Sequence[str], Sequence[str]]
    ) -> tuple[list[str], list[str]]:
        """Up to four tokens before (nearest last) and after (nearest first), as `neighbours` gives.

        `inside` are those of the chunk itself, on both sides of the candidate in it.
        """
        inside_before, inside_after = inside
        if WINDOW <= place < len(chunks) - WINDOW:
            one, two, three, four = map(self.__getitem__, chunks[place - WINDOW : place])
            before = [*one, *two, *three, *four, *inside_before][-WINDOW:]
            one, two, three, four = map(self.__getitem__, chunks[place + 1 : place + 1 + WINDOW])
            after = [*inside_after, *one, *two, *three, *four][:WINDOW]
            if len(before) == WINDOW == len(after) and END not in before and END not in after:
                return before, after
        before = []
        left = place
        while left and len(before) < WINDOW and place - left < WIDER:
            left -= 1
            before[:0] = self[chunks[left]]
        after = []
        right, last = place + 1, min(len(chunks), place + WIDER)
        while right < last and len(after) < WINDOW:
            after += self[chunks[right]]
            right += 1
        before += inside_before
        after[:0] = inside_after
        before, after = before[-WINDOW:], after[:WINDOW]
        if len(before) < WINDOW or END in before:
            before = up_to_end(before[::-1])[::-1]
        if len(after) < WINDOW or END in after:
            after = up_to_end(after)
        return before, after


def up_to_end(tokens: Sequence[str]) -> list[str]:
    """Four tokens; nothing beyond the end of a paragraph is seen."""
    kept = tokens[: tokens.index(END)] if END in tokens else tokens
    return [*kept, *([END] * (WINDOW - len(kept)))]


def match_case(old: str, new: str) -> str:
    """The new word in the case pattern of the old one."""
    if old.islower():
        return new
    letters = [letter for letter in old if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters)
    if capitals > 1 and capitals * 2 > len(letters):
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
