"""Seeded damage: a JSON value or a table with one place changed, and bytes with a few changed."""

import copy
import random
from collections.abc import Iterator
from typing import Any

STRANGE: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1e308, 10**400, "", "x", "<b>", "../..", "\x00", "\ud800"),
    *([], [1], ["a"], [None], [[]], {}, {"a": 1}, {"a": [1]}),
)
CELLS = ("", "x", "nan", "1e999", '"', "-", "True", "a,b", "\x00")
BYTES = (
    b'"',
    b",",
    b"\n",
    b"\r",
    b"\t",
    b"\x00",
    b"\xff",
    b"\xff\xfe",
    b"{",
    b"}",
    b"[",
    b"\\",
    b"9" * 400,
    b"",
)


def changed_value(value: Any, rng: random.Random) -> Any:
    """The value with one place removed or replaced, each of its fields as likely as any other."""
    whole = copy.deepcopy(value)
    field = rng.choice(list(whole) if isinstance(whole, dict) else range(len(whole)))
    path = rng.choice([(field, *inner) for inner in _paths(whole[field])])
    at = whole
    for step in path[:-1]:
        at = at[step]
    if rng.random() < 0.25:
        del at[path[-1]]
    else:
        at[path[-1]] = rng.choice(STRANGE)
    return whole


def changed_table(text: str, rng: random.Random) -> str:
    """The text of a table with a cell replaced, removed, repeated or added; the header as often as a row."""
    lines = text.split("\n")
    row = rng.choice((0, rng.randrange(max(1, len(lines) - 1))))
    cells = lines[row].split(",")
    place = rng.randrange(len(cells))
    cells[place : place + 1] = rng.choice(([rng.choice(CELLS)], [], [cells[0]], [cells[place], "x"]))
    lines[row] = ",".join(cells)
    return "\n".join(lines)


def changed_bytes(content: bytes, rng: random.Random) -> bytes:
    """The content with a few places overwritten, or cut off, or repeated."""
    for _ in range(rng.randrange(1, 4)):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice((0, 1, 1, 5, 200)))
        put = rng.choice((*BYTES, content[start:end] * 2))
        content = content[:start] + put + content[end:]
    return content if rng.random() < 0.8 else content[: rng.randrange(len(content) + 1)]


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    yield ()
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, cell in inner:
        yield from ((step, *path) for path in _paths(cell))
