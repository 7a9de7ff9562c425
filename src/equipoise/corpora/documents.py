"""What reading a corpus gives: documents, and the rows that could not be read."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

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
    """A row or a file that was passed over, or a repeated document; line 0 stands for the whole file."""

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
