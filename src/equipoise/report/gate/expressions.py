"""Expressions of a rule: what one is made of, and whether it is true of given numbers."""

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

EVERY_LEVEL = "*"
"""The level that stands for each level of a group in turn."""

COLUMNS = ("value", "low", "high", "n")
"""What a rule may read of an estimate."""

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
"""The comparisons; those of two characters first, as they are looked for in this order."""


@dataclass(frozen=True)
class Number:
    """A number as it is written."""

    value: float


@dataclass(frozen=True)
class EstimateName:
    """One number of one estimate: `sbe.asld[category=occupation].low`."""

    instrument: str
    key: str
    groups: tuple[tuple[str, str], ...] = ()
    column: str = "value"

    @property
    def open_groups(self) -> list[str]:
        """The groups of which every level is meant."""
        return [group for group, level in self.groups if level == EVERY_LEVEL]

    def at(self, group: str, level: str) -> "EstimateName":
        """The name with a level in the place of every level of a group."""
        groups = tuple(
            (name, level if (name, old) == (group, EVERY_LEVEL) else old) for name, old in self.groups
        )
        return EstimateName(self.instrument, self.key, groups, self.column)

    def __str__(self) -> str:
        levels = ", ".join(f"{group}={_written_level(level)}" for group, level in self.groups)
        return f"{self.instrument}.{self.key}{f'[{levels}]' if levels else ''}.{self.column}"


Operand = Number | EstimateName
Numbers = Mapping[EstimateName, float]
"""What the estimates of a rule are in a result."""


@dataclass(frozen=True)
class Condition:
    """Two numbers and how they are compared."""

    left: Operand
    sign: str
    right: Operand

    def is_true(self, numbers: Numbers) -> bool:
        """Whether the comparison holds."""
        return OPERATORS[self.sign](_number(self.left, numbers), _number(self.right, numbers))

    def names(self) -> Iterator[EstimateName]:
        """The estimates it reads."""
        yield from (side for side in (self.left, self.right) if isinstance(side, EstimateName))


@dataclass(frozen=True)
class Not:
    """The contrary of an expression."""

    inner: "Expression"

    def is_true(self, numbers: Numbers) -> bool:
        """Whether the inner expression is false."""
        return not self.inner.is_true(numbers)

    def names(self) -> Iterator[EstimateName]:
        """The estimates it reads."""
        yield from self.inner.names()


@dataclass(frozen=True)
class Joined:
    """Expressions of which all (`and`) or one (`or`) must be true."""

    word: str
    parts: "tuple[Expression, ...]"

    def is_true(self, numbers: Numbers) -> bool:
        """Whether all, or any, are true."""
        truths = [part.is_true(numbers) for part in self.parts]
        return all(truths) if self.word == "and" else any(truths)

    def names(self) -> Iterator[EstimateName]:
        """The estimates they read."""
        for part in self.parts:
            yield from part.names()


Expression = Condition | Not | Joined


def _number(side: Operand, numbers: Numbers) -> float:
    return side.value if isinstance(side, Number) else numbers[side]


def _written_level(level: str) -> str:
    return f'"{level}"' if any(mark in level for mark in ',]"') or level != level.strip() else level
