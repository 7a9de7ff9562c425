"""Published sentences come without spans: these are found by the template that a row names.

No word is masked inside another, as replacing strings would do.
"""

import re
from collections.abc import Mapping
from typing import Any

from equipoise.data.reading import LINE, File
from equipoise.errors import UserError
from equipoise.text.person_sentences import Sentence


def locate(row: Mapping[str, Any], attribute: str, file: File) -> tuple[Sentence, str]:
    """The sentence with its spans, and the phrase of its person: the noun is the phrase's last word."""
    pattern = ""
    for part in re.split(r"(<[^>]+>)", row["Template"]):
        if part.startswith("<person"):
            pattern += r"(?P<phrase>(?:\w+ )*(?P<noun>\w+))"
        elif part.startswith("<"):
            pattern += f"(?P<attribute>{re.escape(attribute)})"
        else:
            pattern += re.sub(r"(\w+)/(\w+)", r"(?:\1|\2)", re.escape(part))
    match = re.fullmatch(pattern, row["Sentence"])
    if not match or not match["phrase"].lower().endswith(row["Person"].lower()):
        raise astray(row, file)
    return Sentence(row["Sentence"], match.span("noun"), match.span("attribute")), match["phrase"].lower()


def astray(row: Mapping[str, Any], file: File) -> UserError:
    """The error for a sentence that does not follow the template of its row."""
    return UserError(
        f"{file}, line {row[LINE]}: {row['Sentence']!r} does not follow its template {row['Template']!r}.",
        "Check the columns Sentence, Template, Person and the attribute of that row.",
    )
