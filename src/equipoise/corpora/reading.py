"""Reading a corpus as a stream: a file or a folder of txt, csv, tsv, jsonl or parquet files.

A row that cannot be read is a problem with its file and line, and the rest goes on. Memory does not grow
with the corpus.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from equipoise.corpora.documents import (
    BEGUN_ANEW,
    REPEATED,
    Block,
    Document,
    Grouping,
    Position,
    Problem,
    Problems,
    Where,
)
from equipoise.corpora.formats import (
    HALF_A_PAIR,
    LONGEST,
    PACKED,
    SUFFIXES,
    TEXT,
    TOO_LONG,
    Fields,
    Record,
    array_records,
    csv_records,
    file_problem,
    format_of,
    json_records,
    parquet_problem,
    parquet_records,
    parquet_rows,
    text_records,
)
from equipoise.corpora.tokens import clean_text
from equipoise.corpora.vocabulary import NO_TARGET, Targets
from equipoise.errors import UserError, unknown_name
from equipoise.files import archive_of, members_of, size_of

SPLITS = ("sentence", "line", "paragraph", "file")
PEEKED = 100
"""Rows looked at to learn which columns there are."""

BLOCK_CHARACTERS = 2_000_000
PROBLEMS_AT_ONCE = 10_000


@dataclass(frozen=True)
class ReadSettings:
    """How to read: the text column, the groups, what a document of a plain text is, and cleaning.

    `document` names a column whose value rows of one document share, such as the title of a book. With
    `holding` only documents that hold one of these target words are read; the others are counted.
    """

    text: str | None = None
    grouping: Grouping = field(default_factory=Grouping)
    split: str | None = None
    clean: bool = False
    document: str | None = None
    holding: Targets | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns a row must have besides its text."""
        return (*self.grouping.needed, *([self.document] if self.document else []))


@dataclass(frozen=True)
class Corpus:
    """Files that have been found to hold the columns asked for."""

    root: Path
    files: tuple[Path, ...]
    text: str
    settings: ReadSettings

    @cached_property
    def ends(self) -> list[int]:
        """The bytes up to the end of each file."""
        return list(accumulate(map(size_of, self.files), initial=0))

    def bytes_before(self, position: Position) -> int:
        """How many bytes come before a position."""
        before = self.ends[position.file]
        if position.file >= len(self.files):
            return before
        path, size = self.files[position.file], self.ends[position.file + 1] - before
        if format_of(path) == "parquet":
            return before + size * position.offset // max(parquet_rows(path), 1)
        return before + (0 if format_of(path) == "json" else min(position.offset, size))

    def name(self, path: Path) -> str:
        """A file as problems and documents call it: below the corpus' folder."""
        return path.name if path == self.root else str(path.relative_to(self.root))

    def documents(self, problems: Problems | None = None) -> Iterator[Document]:
        """Every document; what could not be read is added to `problems`."""
        for block in self.blocks():
            if problems is not None:
                problems.add(block.problems)
            yield from block.documents

    def blocks(self, start: Position | None = None, size: int = BLOCK_CHARACTERS) -> Iterator[Block]:
        """Documents in blocks of about `size` characters, from a position on."""
        documents: list[Document] = []
        problems: list[Problem] = []
        characters = 0
        merged = self.settings.document is not None
        for read, position in one_by_one(self._entries(start or Position()), merged=merged):
            entry = self._wanted(read)
            if isinstance(entry, Document):
                documents.append(entry)
                characters += len(entry.text)
            else:
                problems.append(entry)
            full = characters >= size or len(problems) >= PROBLEMS_AT_ONCE
            # Problems of a merged or repeated document come before it and share its position.
            if full and (isinstance(read, Document) or not (merged or read.reason == REPEATED)):
                yield Block(documents, problems, position)
                documents, problems, characters = [], [], 0
        yield Block(documents, problems, Position(len(self.files)))

    def _entries(self, start: Position) -> Iterator[tuple[Document | Problem, Position]]:
        for number in range(start.file, len(self.files)):
            path = self.files[number]
            begin = start if number == start.file else Position(number)
            refusal = _refusal(path)
            if refusal:
                yield Problem(self.name(path), 0, refusal), Position(number + 1)
                continue
            for record in _records(path, begin, self._split):
                yield self._entry(record, path), record.after

    def _wanted(self, entry: Document | Problem) -> Document | Problem:
        """The entry, or in place of a document without any of the wanted words the reason."""
        holding = self.settings.holding
        if isinstance(entry, Problem) or holding is None or holding.has_any(entry.text):
            return entry
        return Problem(entry.where.file, entry.where.line, NO_TARGET)

    @property
    def _split(self) -> str:
        return self.settings.split or ("line" if self.root.is_file() else "file")

    def _entry(self, record: Record, path: Path) -> Document | Problem:
        name = self.name(path)
        if record.problem:
            return Problem(name, record.line, record.problem)
        fields = _with_places(record.fields, path)
        missing = [column for column in (self.text, *self.settings.needed) if column not in fields]
        if missing:
            return Problem(name, record.line, f"no column {missing[0]!r}")
        text = fields[self.text]
        reason = text_problem(text)
        if reason:
            return Problem(name, record.line, reason)
        where = Where(name, record.line)
        cleaned = clean_text(text) if self.settings.clean else text
        place = f"{where} ({record.part})" if record.part > 1 else str(where)
        identity = str(fields.get(self.settings.document or "id") or place)
        return Document(identity, cleaned, self.settings.grouping.of(fields), where)


def open_corpus(path: Path | str, settings: ReadSettings | None = None) -> Corpus:
    """The files of a corpus, checked for the columns asked for."""
    chosen, root = settings or ReadSettings(), Path(path)
    if chosen.split is not None and chosen.split not in SPLITS:
        raise unknown_name("way to split a text into documents", chosen.split, SPLITS)
    files = files_of(root)
    columns = _columns(files, chosen)
    text = chosen.text or TEXT
    for column in (text, *chosen.needed):
        if column not in columns:
            raise UserError(
                f"{root} has no column {column!r}; it has {', '.join(columns)}.",
                "Name the text column with --text and the groups with --group.",
            )
    return Corpus(root, files, text, chosen)


def files_of(root: Path) -> tuple[Path, ...]:
    """The file, or the files of a folder or an archive, in order."""
    if root.is_dir():
        paths = sorted(path for path in root.rglob("*") if path.is_file() and not _hidden(path, root))
        files = [file for path in paths for file in _unpacked(path)]
        if not files:
            raise UserError(f"{root} holds no files.", f"Expected: {_KINDS}.")
        return tuple(files)
    if not root.exists() and archive_of(root) is None:
        raise UserError(f"There is no file or folder {root}.", "Give the path of a corpus.")
    if root.suffix.lower() != ".zip" and not format_of(root):
        raise UserError(f"{root} is not a kind of file that is read.", f"Expected one of: {_KINDS}.")
    return _unpacked(root)


_KINDS = f"{', '.join(SUFFIXES)}, also packed as {PACKED}"


def _unpacked(path: Path) -> tuple[Path, ...]:
    """The path, or the files in a zip archive."""
    if path.suffix.lower() != ".zip":
        return (path,)
    return tuple(path / name for name in members_of(path))


def _hidden(path: Path, root: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(root).parts)


def _refusal(path: Path) -> str:
    if not format_of(path):
        return "not a kind of file that is read"
    return parquet_problem(path) if format_of(path) == "parquet" else file_problem(path)


def _records(path: Path, start: Position, split: str) -> Iterator[Record]:
    kind = format_of(path)
    if kind == "txt":
        return text_records(path, start, split)
    if kind == "jsonl":
        return json_records(path, start)
    if kind == "json":
        return array_records(path, start)
    if kind == "parquet":
        return parquet_records(path, start)
    return csv_records(path, start, "\t" if kind == "tsv" else ",")


def _columns(files: tuple[Path, ...], settings: ReadSettings) -> list[str]:
    """The columns of the first rows of the first file that has any."""
    for path in files:
        if _refusal(path):
            continue
        names: dict[str, None] = {}
        for number, record in enumerate(_records(path, Position(), settings.split or "line")):
            names.update(dict.fromkeys(record.fields))
            if number == PEEKED:
                break
        if names:
            return list(_with_places(dict.fromkeys(names), path))
    refusals = "; ".join(f"{path.name}: {_refusal(path) or 'no row that can be read'}" for path in files[:3])
    raise UserError(f"There is nothing to read ({refusals}).", "Give UTF-8 text, CSV, TSV or JSON lines.")


def _with_places(fields: Fields, path: Path) -> dict[str, Any]:
    """The fields and two more to group by: the file's name and its folder's, unless a column is called so."""
    return {"file": path.name, "folder": path.parent.name, **fields}


def text_problem(text: Any) -> str:
    """Say why a text cannot be a document; empty if it can."""
    if text is None:
        return "an empty document"
    if not isinstance(text, str):
        return "the text is not a string"
    if not text.strip():
        return "an empty document"
    if len(text) > LONGEST:
        return TOO_LONG
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return HALF_A_PAIR
    return ""


Entry = tuple[Document | Problem, Position]

NAMES_HELD = 100_000
"""Names remembered to find repeated ones: memory does not grow with the corpus."""


def one_by_one(entries: Iterable[Entry], *, merged: bool) -> Iterator[Entry]:
    """Yield documents with unique names; if `merged`, adjacent rows of one name are joined first.

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
