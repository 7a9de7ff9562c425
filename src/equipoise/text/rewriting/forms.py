"""Which form a pronoun takes on the other side: "her" is "his" or "him", "his" is "her" or "hers"."""

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

END = "<s>"
"""The token beyond either end of a text."""

UNSURE = 3.0
"""Margins below this (in nats) are worth a question to a judge."""

WINDOW = 4
_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]|\n\s*\n")
_CLOSES = frozenset(".,;:!?)]}”…—–") | {END}
_FUNCTION_WORDS = frozenset(
    "a an the this that these those to from with at by for in into on upon of off over under about after "
    "before as if when where while because than then and or but nor so yet is was were are am be been has "
    "had have do did does would could should will shall may might must can not never he she it they we you "
    "i who whom which what how why up down out away back again too also either there here all alone".split()
)


class Choice(NamedTuple):
    """The form chosen, how sure of it (log odds in nats), and the rule that chose."""

    form: str
    margin: float
    rule: str


class Case(NamedTuple):
    """A text as it will read, the span of the pronoun in it, and the two forms to choose between."""

    text: str
    span: tuple[int, int]
    options: tuple[str, str]


Judge = Callable[[Sequence[Case]], Sequence[str]]
"""Answers every case with one of its options."""


def choose_form(word: str, before: Sequence[str], after: Sequence[str]) -> Choice:
    """The other-gender form of her, hers, him or his, given up to four tokens on either side."""
    lowered = word.lower()
    if lowered == "hers":
        return Choice("his", math.inf, "unambiguous")
    if lowered == "him":
        return Choice("her", math.inf, "unambiguous")
    following = after[0].lower() if after else END
    alone = following in _CLOSES or (following in _FUNCTION_WORDS and following != "own")
    if lowered == "her":
        return Choice("him" if alone else "his", 2.0, "next word")
    return Choice("hers" if alone else "her", 2.0, "next word")


def neighbours(text: str, start: int, end: int) -> tuple[list[str], list[str]]:
    """Up to four tokens before (nearest last) and after (nearest first) a span of a text."""
    before = _TOKEN.findall(text[max(0, start - 120) : start])[-WINDOW:]
    after = _TOKEN.findall(text[end : end + 120])[:WINDOW]
    return (
        [END] * (WINDOW - len(before)) + [END if token.isspace() else token for token in before],
        [END if token.isspace() else token for token in after] + [END] * (WINDOW - len(after)),
    )
