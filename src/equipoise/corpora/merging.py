"""What a document is: a row, or adjacent rows that share a name, such as the paragraphs of a book.

Every command reads documents through `one_by_one`, so that all of them count the same documents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from equipoise.corpora.documents import BEGUN_ANEW, REPEATED, Document, Position, Problem
from equipoise.corpora.lines import LONGEST

Entry = tuple[Document | Problem, Position]

NAMES_HELD = 100_000
"""Names remembered to find repeated ones: memory does not grow with the corpus."""


def one_by_one(entries: Iterable[Entry], *, merged: bool) -> Iterator[Entry]:
    """Documents under names of their own; adjacent rows of one name are put together first if `merged`.

    A name that was there before gets a number: two documents of one name would count as one where documents
    are told apart by name, and as two elsewhere. Within a file, a problem before the document says so.
    """
    times: Counter[str] = Counter()
    places: set[tuple[str, ...]] = set()
    for entry, position in _merge_rows(entries) if merged else entries:
        if isinstance(entry, Problem) or entry.is_unnamed or _is_late(entry, times):
            yield entry, position
            continue
        times[entry.id] += 1
        place = (entry.id, entry.where.file, *(entry.groups.values() if merged else ()))
        if place in places:
            yield Problem(*entry.where, BEGUN_ANEW if merged else REPEATED), position
        if len(places) < NAMES_HELD:
            places.add(place)
        name = entry.id if times[entry.id] == 1 else f"{entry.id} ({times[entry.id]})"
        yield entry._replace(id=name), position


def _is_late(document: Document, times: Counter[str]) -> bool:
    """Whether a name comes when no more are remembered."""
    return document.id not in times and len(times) >= NAMES_HELD


def _merge_rows(entries: Iterable[Entry]) -> Iterator[Entry]:
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
