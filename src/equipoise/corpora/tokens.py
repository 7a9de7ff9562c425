"""Words and marks of running text, as counting sees them."""

import re

CLITICS = ("s", "d", "ll", "re", "ve", "m", "t")
MARKS = '.,;:!?…—–"“”()'
BOUNDARY = "\n"
"""Stands between two texts; it is no word."""

TOKEN = re.compile(rf"\w+(?:-\w+)*|'(?:{'|'.join(CLITICS)})\b|[{re.escape(MARKS)}]")
"""A word with its hyphens ("father-in-law" is one), the ending of a contraction, or a mark."""

NO_WORDS = frozenset([*MARKS, BOUNDARY, *(f"'{ending}" for ending in CLITICS)])


def tokens(text: str) -> list[str]:
    """The words and marks of a text in lower case, with plain apostrophes; underscores are markup."""
    return cased_tokens(text.lower())


def cased_tokens(text: str) -> list[str]:
    """The words and marks of a text as they are written, but for apostrophes and underscores."""
    return TOKEN.findall(text.replace("’", "'").replace("_", " "))
