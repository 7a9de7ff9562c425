"""The groups of a document: columns of the corpus, a map from the values of one, and the year."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError

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
