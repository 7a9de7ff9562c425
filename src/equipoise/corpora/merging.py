"""Rows that belong to one document, such as the paragraphs of a book, put together while they are read."""

from collections.abc import Iterable, Iterator

from equipoise.corpora.documents import Document, Position, Problem
from equipoise.corpora.lines import LONGEST

Entry = tuple[Document | Problem, Position]


def merge_rows(entries: Iterable[Entry]) -> Iterator[Entry]:
    """One document for rows in a row with the same id and groups, with the position after its last row.

    Problems met on the way come before it with the same position, so that no position lies inside a document.
    A document that would grow too long to be held is begun anew.
    """
    rows: list[Document] = []
    waiting: list[Problem] = []
    size, after = 0, Position()
    for entry, position in entries:
        if isinstance(entry, Problem):
            waiting.append(entry)
        else:
            if rows and (not _belong(rows[0], entry) or size + len(entry.text) > LONGEST):
                yield from _merged(rows, waiting, after)
                rows, waiting, size = [], [], 0
            rows.append(entry)
            size += len(entry.text)
        after = position
    yield from _merged(rows, waiting, after)


def _belong(first: Document, row: Document) -> bool:
    return (first.id, first.groups, first.where.file) == (row.id, row.groups, row.where.file)


def _merged(rows: list[Document], problems: list[Problem], after: Position) -> Iterator[Entry]:
    for problem in problems:
        yield problem, after
    if rows:
        yield rows[0]._replace(text="\n\n".join(row.text for row in rows)), after
