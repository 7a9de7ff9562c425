"""Words and marks of running text, as counting sees them."""

import html
import re

CLITICS = ("s", "d", "ll", "re", "ve", "m", "t")
MARKS = '.,;:!?…—–"“”()'
BOUNDARY = "\n"
"""Stands between two texts; it is not a word."""

TOKEN = re.compile(rf"\w+(?:-\w+)*|'(?:{'|'.join(CLITICS)})\b|[{re.escape(MARKS)}]")
"""A word with its hyphens ("father-in-law" is one), the ending of a contraction, or a mark."""

NO_WORDS = frozenset([*MARKS, BOUNDARY, *(f"'{ending}" for ending in CLITICS)])


def tokens(text: str) -> list[str]:
    """The words and marks of a text in lower case, with plain apostrophes; underscores are markup."""
    return cased_tokens(text.lower())


def cased_tokens(text: str) -> list[str]:
    """The words and marks of a text as they are written, but for apostrophes and underscores."""
    return TOKEN.findall(text.replace("’", "'").replace("_", " "))


ENDINGS = {"'re": " are", "'ve": " have", "'ll": " will", "'m": " am", "n't": " not"}
WHOLE = {"can't": "can not", "won't": "will not", "shan't": "shall not", "let's": "let us"}
IS = re.compile(r"\b(he|she|it|that|what|who|there|here|where)['’]s\b", re.IGNORECASE)
"""After these words 's is `is` (or `has`, which is rarer); after any other it is a genitive and stays."""

CONTRACTION = re.compile(
    r"\b(?:" + "|".join(WHOLE).replace("'", "['’]") + r")\b|(?<=\w)(?:['’](?:re|ve|ll|m)|n['’]t)\b",
    re.IGNORECASE,
)


def clean_text(text: str) -> str:
    """Decode entities, write out contractions and reduce white space within a line to single spaces."""
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
