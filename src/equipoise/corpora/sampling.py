"""A stated random sample of a corpus' contexts: drawn in one pass, the same for the same seed."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from equipoise.corpora.cleaning import clean_text
from equipoise.corpora.documents import Document, Position, Problem, Problems, Where
from equipoise.corpora.groups import Grouping, read_group_map
from equipoise.corpora.merging import Entry, one_by_one
from equipoise.corpora.reading import ReadSettings, open_corpus, text_problem
from equipoise.corpora.vocabulary import Targets
from equipoise.data.reading import LINE, File, GivenTable, read_table
from equipoise.errors import UserError

T = TypeVar("T")

CONTEXTS = 2000
"""Contexts of a corpus that are asked unless a number was given."""


@dataclass(frozen=True)
class CorpusChoice:
    """How a corpus is read, how long its contexts are, and how many of them are asked.

    `sample` is 0 for all of them, and None where no number was given: then it is `CONTEXTS` of a corpus.
    `length` counts words between white space; `document` and `split` say what a document is, as for
    `ReadSettings`; `targets` is a file of target words; without `names`, persons become "someone". `clean`
    decodes HTML entities and writes contractions out; `groups_file` maps the values of a column to groups;
    `with_targets` keeps only contexts (of a corpus to train on: documents) that hold a target word.
    """

    text: str | None = None
    groups: tuple[str, ...] = ()
    length: int = 100
    sample: int | None = None
    names: bool = True
    document: str | None = None
    split: str | None = None
    targets: Path | None = None
    clean: bool = False
    groups_file: Path | None = None
    with_targets: bool = False

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 0:
            raise UserError(
                f"A sample of {self.sample} was asked for.", "Give a number from 1 on, or 0 for all."
            )
        if self.length < 1:
            raise UserError(f"A context of {self.length} words was asked for.", "Give a length of 1 or more.")

    @property
    def contexts(self) -> int:
        """How many contexts of a corpus are asked; 0: all."""
        return CONTEXTS if self.sample is None else self.sample

    @property
    def grouping(self) -> Grouping:
        """The columns to group by, and the map of one column's values."""
        return Grouping(self.groups, read_group_map(self.groups_file) if self.groups_file else None)

    @property
    def group_names(self) -> tuple[str, ...]:
        """What a document is grouped by."""
        return self.grouping.names

    def read_settings(self, year: str | None = None, holding: Targets | None = None) -> ReadSettings:
        """How files are read; `year` is a column to group by too, `holding` keeps documents with a word."""
        grouping = replace(self.grouping, year=year)
        return ReadSettings(self.text, grouping, self.split, self.clean, self.document, holding)

    @property
    def files(self) -> tuple[Path, ...]:
        """What was read besides the corpus itself."""
        return (self.groups_file,) if self.groups_file else ()


@dataclass(frozen=True)
class OpenedCorpus:
    """Documents to be read once, the files they come from, and the problems met on the way."""

    documents: Iterator[Document]
    files: tuple[File, ...]
    problems: Problems


def open_documents(given: File, choice: CorpusChoice) -> OpenedCorpus:
    """The documents of a file, a folder or a table in memory."""
    problems = Problems()
    if isinstance(given, GivenTable):
        return OpenedCorpus(_table_documents(given, choice, problems), (given, *choice.files), problems)
    corpus = open_corpus(given, choice.read_settings())
    return OpenedCorpus(corpus.documents(problems), (*corpus.files, *choice.files), problems)


def drawn(stream: Iterable[T], size: int, seed: int) -> tuple[list[T], int]:
    """`size` of a stream (0: all), each as likely as any other, in its order; and how many it had."""
    rng, kept, count = random.Random(seed), list[tuple[int, T]](), 0
    for count, entry in enumerate(stream, start=1):
        if size == 0 or len(kept) < size:
            kept.append((count, entry))
            continue
        place = rng.randrange(count)
        if place < size:
            kept[place] = (count, entry)
    return [entry for _, entry in sorted(kept, key=lambda pair: pair[0])], count


def _table_documents(given: GivenTable, choice: CorpusChoice, problems: Problems) -> Iterator[Document]:
    text, grouping = choice.text or "text", choice.grouping
    named = [choice.document] if choice.document else []
    table = read_table(given, (text, *grouping.needed, *named))

    def entries() -> Iterator[Entry]:
        for fields in table.to_dict("records"):
            where = Where(given.name, fields[LINE])
            reason = text_problem(fields[text])
            identity = str(fields.get(choice.document or "id") or f"row {where.line - 1}")
            body = clean_text(fields[text]) if choice.clean else fields[text]
            document = Document(identity, body, grouping.of(fields), where)
            yield Problem(*where, reason) if reason else document, Position()

    for entry, _ in one_by_one(entries(), merged=choice.document is not None):
        if isinstance(entry, Document):
            yield entry
        else:
            problems.add([entry])
