"""Harmless changes of a sentence: no final period, lower case, a frame in front of it."""

import re
from collections.abc import Mapping

from equipoise.text.blank import BLANK

ORIGINAL = "original"
"""The variation of a sentence as it was written."""

LOWER_CASE = "lower-case"

PLACE = "{sentence}"
"""Where a frame says that the sentence goes."""

# Words that keep their capital inside a sentence; a name cannot be told without a list of names.
_KEEPS_CAPITAL = re.compile(
    r"I(?![a-z])|[A-Z][A-Z]|(?:Mr|Mrs|Ms|Dr|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?\b"
    r"|(?:January|February|March|April|June|July|August|September|October|November|December)\b"
)


def can_be_varied(sentence: str) -> bool:
    """Whether every change applies: a statement that ends in a period and does not open in quotation."""
    return sentence.endswith(".") and (sentence.startswith(BLANK) or sentence[:1].isalpha())


def varied(sentence: str, frames: Mapping[str, str]) -> dict[str, str]:
    """The changed forms of a sentence by name."""
    inner = decapitalised(sentence)
    return {
        "no-period": sentence.removesuffix("."),
        LOWER_CASE: lower_cased(sentence),
    } | {name: frame.replace(PLACE, inner) for name, frame in frames.items()}


def lower_cased(sentence: str) -> str:
    """The sentence in lower case, its blank left as it is."""
    return BLANK.join(part.lower() for part in sentence.split(BLANK))


def decapitalised(sentence: str) -> str:
    """The sentence as it stands inside another: its first letter small unless the word keeps it."""
    if _KEEPS_CAPITAL.match(sentence):
        return sentence
    return sentence[:1].lower() + sentence[1:]
