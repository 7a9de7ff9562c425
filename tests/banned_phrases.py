"""Phrases that no text for people may hold: clipped, inverted, private or leading with an acronym."""

import ast
from collections.abc import Iterator
from pathlib import Path

BANNED = (
    *("cannot be told from", "leans male", "leans female", "hardly matters", "in the same breath"),
    *("talked into", "loading cannot", "tells the time left", "is at hand", "tell of", "goes on when"),
    *("write over", "mended", "is no json", "what is known by name", "do not say a sex", "confident x"),
    *(
        "were not asked",
        "holds a difference to be",
        "how sure that is",
        "no way is better",
        "beside occupations",
    ),
    *("cannot lie", "standing in", "belonging", "workings", "likeness", "looked at", "is dominated"),
)


def held_by(text: str) -> list[str]:
    """The banned phrases in a text."""
    return [phrase for phrase in BANNED if phrase in " ".join(text.lower().split())]


def texts_of(path: Path) -> Iterator[str]:
    """Every text that a module holds, with the parts of a formatted one joined; docstrings too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(getattr(part, "value", "")) for part in node.values if isinstance(part, ast.Constant)
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
