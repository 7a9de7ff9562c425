"""What reading a corpus gives: documents, and the rows that could not be read."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError

KEPT_PROBLEMS = 1000
"""Problems kept one by one; all of them are counted."""


class Where(NamedTuple):
    """The file and the line (from 1) on which something began; for parquet the line is the row."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Document(NamedTuple):
    """One text with the groups it belongs to."""

    id: str
    text: str
    groups: Mapping[str, str]
    where: Where

    @property
    def is_unnamed(self) -> bool:
        """Whether it is called by its place, which no other document has."""
        return self.id.startswith(str(self.where))


BEGUN_ANEW = "the rows of a document are not adjacent"
REPEATED = "the id of another row"
_NOTICES = {
    BEGUN_ANEW: "the rows of one document are not adjacent: {:,} times a document begins anew and counts as "
    "another one, which makes intervals too narrow. Sort the corpus by the column that names its documents",
    REPEATED: "{:,} rows have the id of another row and count as documents of their own. If rows of one id "
    "belong together, name that column with --document",
}
"""Problems of documents that were read all the same, and what to do about them."""


class Problem(NamedTuple):
    """A row or a file that was skipped, or a repeated document; line 0 stands for the whole file."""

    file: str
    line: int
    reason: str


class Position(NamedTuple):
    """How far a corpus has been read: the file's number, the bytes (parquet: rows) and lines read in it.

    Where sentences are documents, `part` says how many of the next line have been read.
    """

    file: int = 0
    offset: int = 0
    line: int = 0
    part: int = 0


class Block(NamedTuple):
    """Some documents in a row, the problems met on the way and the position after them."""

    documents: list[Document]
    problems: list[Problem]
    position: Position


@dataclass
class Problems:
    """All problems counted by reason, the first of them kept."""

    kept: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, problems: Iterable[Problem]) -> None:
        """Count problems and keep them while there is room."""
        for problem in problems:
            self.counts[problem.reason] += 1
            if len(self.kept) < KEPT_PROBLEMS:
                self.kept.append(problem)

    @property
    def unread(self) -> Counter[str]:
        """What could not be read, by reason."""
        return Counter({reason: count for reason, count in self.counts.items() if reason not in _NOTICES})

    @property
    def total(self) -> int:
        """How many rows and files could not be read."""
        return self.unread.total()

    @property
    def notices(self) -> tuple[str, ...]:
        """What to say of documents that share a name."""
        return tuple(
            said.format(self.counts[reason]) for reason, said in _NOTICES.items() if self.counts[reason]
        )


NO_VALUE = "(none)"
NOT_IN_MAP = "(not in the map)"
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


@dataclass(frozen=True)
class GroupMap:
    """Values of a column and the group of each, such as publisher -> ideology."""

    column: str
    name: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Grouping:
    """Which columns make groups, and how; `span` years in a row make one group (10: decades)."""

    columns: tuple[str, ...] = ()
    mapped: GroupMap | None = None
    year: str | None = None
    span: int = 1

    def __post_init__(self) -> None:
        if self.span < 1:
            raise UserError(f"{self.span} years were to make a group.", "Give 1 or more, as in 10.")

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns a row must have."""
        further = [self.mapped.column] if self.mapped else []
        return tuple(dict.fromkeys([*self.columns, *further, *([self.year] if self.year else [])]))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the groupings a document gets."""
        further = [self.mapped.name] if self.mapped else []
        return tuple(dict.fromkeys([*self.columns, *further, *(["year"] if self.year else [])]))

    def of(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """The groups of a row."""
        groups = {column: _value(fields[column]) for column in self.columns}
        if self.mapped:
            value = _value(fields[self.mapped.column])
            groups[self.mapped.name] = self.mapped.values.get(value, NOT_IN_MAP)
        if self.year:
            year = YEAR.search(str(fields[self.year]))
            groups["year"] = self._years(year[0]) if year else NO_VALUE
        return groups

    def _years(self, year: str) -> str:
        """The years that a year is grouped with, as in 1990-1999."""
        if self.span == 1:
            return year
        first = int(year) // self.span * self.span
        return f"{first:04d}-{first + self.span - 1:04d}"


def _value(given: Any) -> str:
    text = "" if given is None else str(given).strip()
    return text.encode("utf-8", "replace").decode() or NO_VALUE


def read_group_map(path: Path) -> GroupMap:
    """A file whose first column is named after a column of the corpus and whose second gives the group."""
    table = read_table(path)
    names = [name for name in table.columns if name != LINE]
    if len(names) != 2:
        raise UserError(
            f"{path} has {len(names)} columns where a map of groups has two.",
            "Write a header such as publisher,ideology and a row for each publisher.",
        )
    column, name = names
    values: dict[str, str] = {}
    for row in table.to_dict("records"):
        value, group = row[column].strip(), row[name].strip()
        if values.setdefault(value, group) != group:
            raise UserError(
                f"{path}, line {row[LINE]}: {value!r} is in {values[value]!r} and in {group!r}.",
                "Give each value one group.",
            )
    return GroupMap(column, name, values)
