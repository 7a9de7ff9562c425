"""Cleaning by request: HTML entities become characters, contractions are written out."""

import html
import re

ENDINGS = {"'re": " are", "'ve": " have", "'ll": " will", "'m": " am", "n't": " not"}
WHOLE = {"can't": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
IS = re.compile(r"\b(he|she|it|that|what|who|there|here|where)['’]s\b", re.IGNORECASE)
"""After these words 's is `is` (or `has`, which is rarer); after any other it is a genitive and stays."""

CONTRACTION = re.compile(
    r"\b(?:" + "|".join(WHOLE).replace("'", "['’]") + r")\b|(?<=\w)(?:['’](?:re|ve|ll|m)|n['’]t)\b",
    re.IGNORECASE,
)


def clean_text(text: str) -> str:
    """The text with entities decoded, contractions written out and white space within a line made single."""
    decoded = html.unescape(text) if "&" in text else text
    written = CONTRACTION.sub(_written_out, IS.sub(r"\1 is", decoded))
    return re.sub(r"[ \t\xa0]+", " ", written)


def _written_out(match: re.Match[str]) -> str:
    short = match[0].replace("’", "'")
    lowered = short.lower()
    if lowered not in WHOLE:
        return ENDINGS[lowered]
    long = WHOLE[lowered]
    return long.capitalize() if short[0].isupper() else long
