"""What a page is made of: figures, tables, and sections that hold them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from equipoise.results.estimate import heading

Spec = Mapping[str, Any]
"""A Vega-Lite chart as JSON values."""


@dataclass(frozen=True)
class Figure:
    """A chart with its title and what it shows in words, for those who cannot see it."""

    name: str
    title: str
    alt: str
    spec: Spec


@dataclass(frozen=True)
class Table:
    """Rows under named columns; cells are text, numbers or None for a number that does not exist."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    @property
    def headings(self) -> list[str]:
        """The columns as people read them."""
        return [heading(column) for column in self.columns]


@dataclass(frozen=True)
class Section:
    """A part of the page: what it says in words, its figures and its tables."""

    name: str
    title: str
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    details: Sequence[Table] = ()
    """Longer tables, closed until somebody opens them."""
    card: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """What a reader must know of the method: heading and text."""

    @property
    def short(self) -> str:
        """The title up to its colon, for a list of the parts of a page."""
        return self.title.partition(":")[0]
