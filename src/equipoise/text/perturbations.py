"""Harmless changes of a sentence: no final period, lower case, a frame in front of it."""

import re
from pathlib import Path

from equipoise.data.reading import LINE, TABLES, read_table
from equipoise.errors import UserError

ORIGINAL = "original"
FRAMES = TABLES / "frames.csv"

_BLANK = "[MASK]"
_PLACE = "{sentence}"
# Words that keep their capital inside a sentence; a name cannot be told without a list of names.
_KEEPS_CAPITAL = re.compile(
    r"I(?![a-z])|[A-Z][A-Z]|(?:Mr|Mrs|Ms|Dr|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?\b"
    r"|(?:January|February|March|April|June|July|August|September|October|November|December)\b"
)


def load_frames(path: Path = FRAMES) -> dict[str, str]:
    """Frames by name: each says where the sentence goes."""
    table = read_table(path, ("id", "frame"))
    for row in table.to_dict("records"):
        if row["frame"].count(_PLACE) != 1:
            raise UserError(
                f"{path}, line {row[LINE]}: the frame {row['frame']!r} does not say where the sentence goes.",
                f"Write {_PLACE} in it once.",
            )
    return dict(zip(table["id"], table["frame"], strict=True))


def can_be_varied(sentence: str) -> bool:
    """Whether every change applies: a statement that ends in a period and does not open in quotation."""
    return sentence.endswith(".") and (sentence.startswith(_BLANK) or sentence[:1].isalpha())


def varied(sentence: str, frames: dict[str, str]) -> dict[str, str]:
    """The changed forms of a sentence by name."""
    inner = decapitalised(sentence)
    return {
        "no-period": sentence.removesuffix("."),
        "lower-case": lower_cased(sentence),
    } | {name: frame.replace(_PLACE, inner) for name, frame in frames.items()}


def lower_cased(sentence: str) -> str:
    """The sentence in lower case, its blank left as it is."""
    return _BLANK.join(part.lower() for part in sentence.split(_BLANK))


def decapitalised(sentence: str) -> str:
    """The sentence as it stands inside another: its first letter small unless the word keeps it."""
    if _KEEPS_CAPITAL.match(sentence):
        return sentence
    return sentence[:1].lower() + sentence[1:]
