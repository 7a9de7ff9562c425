"""The one exception meant for people, the name that was probably meant, and failures to write in words."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from numbers import Integral
from pathlib import Path
from typing import Any


class UserError(Exception):
    """Something the user can correct: what was given and expected, and in the hint what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class UnaskableError(UserError):
    """One question cannot be asked of a model, though others can; `reason` is short enough to count by."""

    def __init__(self, reason: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.reason = reason


class IncapableError(UserError):
    """A model of this kind cannot be asked this at all; `reason` says why, as half a sentence."""

    def __init__(self, reason: str, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.reason = reason


_UNSEEN = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"} | {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
"""Control characters, which can command a terminal or reverse what is read, as they are written out."""


def visible(text: str) -> str:
    """Text of others as it may be shown: control characters are written out."""
    return text.translate(_UNSEEN)


def unknown_name(what: str, given: str, known: Iterable[str]) -> UserError:
    """The error for a name that is not in a list, with the nearest one that is."""
    names = sorted(known)
    close = nearest(given, names)
    listing = ", ".join(names)
    hint = f"Did you mean {close!r}? Known: {listing}." if close else f"Known: {listing}."
    return UserError(f"There is no {what} called {given!r}.", hint)


def nearest(given: str, known: Iterable[str]) -> str:
    """The name that was probably meant: one that holds what was given, or one spelt alike; else none."""
    lowered = {name.lower(): name for name in known}
    asked = given.lower()
    holding = [name for name in lowered if len(asked) > 2 and asked in name]
    close = get_close_matches(asked, list(lowered), n=1, cutoff=0.6)
    if close and (not holding or close[0] in holding):
        return lowered[close[0]]
    return lowered[min(holding, key=len)] if holding else ""


def check_seed(seed: Any) -> None:
    """Refuse a seed that a random number generator would not accept."""
    if not isinstance(seed, Integral) or int(seed) < 0:
        raise UserError(f"The seed is {seed!r}.", "Give a whole number of 0 or more.")


@contextmanager
def explained_writing(place: Path | str, hint: str) -> Iterator[None]:
    """Turn a failure to write, such as a full or closed disk, into words."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{place} cannot be written: {error.strerror or error}.", hint) from error


_SHORT_OF = {
    "memory": (
        *(
            "out of memory",
            "cannot allocate memory",
            "can't allocate memory",
            "not enough memory",
            "bad_alloc",
        ),
        *("failed to map segment", "memory allocation of", "pyobject pointer is null"),
    ),
    "threads": ("can't start new thread", "resource temporarily unavailable"),
    "file handles": ("too many open files",),
}
"""What torch, Rust, Python and the system say when they run out of something."""


def shortage(error: BaseException) -> str:
    """What the machine ran out of when it raised this error, or the one behind it; empty if nothing."""
    if isinstance(error, MemoryError):
        return "memory"
    text = str(error).lower()
    lacking = (what for what, words in _SHORT_OF.items() if any(one in text for one in words))
    return next(lacking, "") or (shortage(error.__cause__) if error.__cause__ else "")


class Cancelled(Exception):  # noqa: N818 - nothing went wrong
    """The caller asked for the run to stop; answers finished until then are kept."""
