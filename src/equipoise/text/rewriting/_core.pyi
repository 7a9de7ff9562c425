"""The compiled core; `compiled.py` says what it is told and asks."""

from collections.abc import Sequence
from typing import Protocol

from equipoise.text.rewriting.plans import Plan

class _Guide(Protocol):
    def describe(self, chunk: str, /) -> tuple[object, ...] | None: ...
    def sides(self, chunk: str, /) -> tuple[int, int, bool, tuple[object, ...]]: ...
    def titles(self, chunk: str, /) -> tuple[int, bool]: ...
    def name_sides(self, chunk: str, /) -> tuple[int, int]: ...
    def marks(self, text: str, marked: Sequence[tuple[int, int, int, Plan]], /) -> bool: ...
    def is_foreign(self, text: str, offset: int, plan: Plan, /) -> bool: ...
    def choose(self, pronoun: int, before: Sequence[str], after: Sequence[str], /) -> int: ...
    def is_common(self, text: str, offset: int, plan: Plan, /) -> int: ...
    def dots_title(self, text: str, offset: int, plan: Plan, /) -> int: ...

class Core:
    def __new__(
        cls,
        guide: _Guide,
        edge: str,
        most: int,
        name_count: int,
        model: tuple[
            list[tuple[int, int, tuple[tuple[int, int], ...]]],
            list[tuple[int, int, int, int, int, float]],
            tuple[float, ...],
        ],
        /,
    ) -> Core: ...
    def turn(
        self, text: str, /
    ) -> (
        tuple[
            str,
            tuple[int, int, int],
            Sequence[tuple[int, int, int, Plan | None]],
            Sequence[tuple[int, int, int, Plan | None]],
        ]
        | None
    ): ...

def token(
    text: str,
    facts: tuple[int, ...],
    rulings: tuple[int, ...],
    is_ruled_before: bool,
    is_end: bool,
    is_word: bool,
    /,
) -> object: ...
