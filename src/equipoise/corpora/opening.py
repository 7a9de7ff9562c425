"""A stated random sample of a corpus' contexts: drawn in one pass, the same for the same seed."""

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pandas as pd

from equipoise.choices import choice
from equipoise.corpora.documents import Document, Grouping, Position, Problem, Problems, Where, read_group_map
from equipoise.corpora.reading import Entry, ReadSettings, one_by_one, open_corpus, text_problem
from equipoise.corpora.tokens import clean_text
from equipoise.corpora.vocabulary import NO_TARGET, Targets, load_targets
from equipoise.data.reading import LINE, File, GivenTable, numbered_lines, read_table
from equipoise.data.sources import Data, fetch_file, without_table
from equipoise.errors import UserError

T = TypeVar("T")

CONTEXTS = 2000
"""Contexts of a corpus that are asked unless a number was given."""


@dataclass(frozen=True)
class CorpusChoice:
    """How a corpus is read, how long its contexts are, and how many of them are asked.

    Results may differ in all of it: items are paired by their text, which is checked.
    """

    text: str | None = choice(None, "The column that holds the text.", may_differ=True)
    groups: tuple[str, ...] = choice(
        (),
        "A column to group by, or `file` or `folder`. Repeatable.",
        may_differ=True,
        flag="--group",
    )
    length: int = choice(100, "Words per context.", may_differ=True)
    sample: int | None = choice(
        None, "Contexts to ask (2,000 by default), or sentences of association; 0 asks all.", may_differ=True
    )
    names: bool = choice(True, "Replace names of persons by 'someone'.", may_differ=True, flag="--no-names")
    document: str | None = choice(
        None, "A column that says which rows belong to one document.", may_differ=True
    )
    split: str | None = choice(
        None, "What counts as one document of a txt file: sentence, line, paragraph or file.", may_differ=True
    )
    targets: Path | None = choice(
        None, "Target words: a CSV with the columns category and word.", may_differ=True
    )
    clean: bool = choice(False, "Decode HTML entities and expand contractions.", may_differ=True)
    groups_file: Path | None = choice(
        None, "A CSV that maps values of a column to groups, such as publisher,ideology.", may_differ=True
    )
    with_targets: bool = choice(
        False, "Keep only contexts (or documents) that hold a target word.", may_differ=True
    )

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 0:
            raise UserError(
                f"A sample of {self.sample} was asked for.", "Give a number of 1 or more, or 0 for all."
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


GAP, MT_GENDER = "gap", "mt-gender"
GAP_FILES = ("gap-development.tsv", "gap-test.tsv", "gap-validation.tsv")
GAP_TRAIN, GAP_TRAIN_FILES = "gap-train", ("gap-development.tsv", "gap-validation.tsv")
"""GAP without the file on which the price of a mitigation asks pronouns."""

FLIPPED, FLIPPED_FILE = "gap-flipped", "gap_flipped.tsv"
"""GAP as Bartl et al. rewrote it, every context inverted by a dictionary."""

_PRONOUNS = re.compile(r"\b(he|she|him|her|his|hers|himself|herself)\b", re.IGNORECASE)


@dataclass(frozen=True)
class CorpusTexts:
    """The documents of a corpus, its name, what could not be read, and what makes it this one."""

    documents: tuple[Document, ...]
    name: str
    problems: Problems

    @property
    def digest(self) -> str:
        """SHA-256 over every text in its order."""
        whole = hashlib.sha256()
        for document in self.documents:
            whole.update(hashlib.sha256(document.text.encode("utf-8")).digest())
        return whole.hexdigest()


def read_corpus(
    given: Data, choice: CorpusChoice | None = None, data_dir: str | Path | None = None
) -> CorpusTexts:
    """Read a corpus; `choice` says which columns hold the text and what rows of one document share."""
    chosen, given = choice or CorpusChoice(), without_table(given)
    if isinstance(given, str) and given in NAMED and not Path(given).exists():
        return _chosen(CorpusTexts(tuple(NAMED[given](data_dir)), given, Problems()), chosen)
    if isinstance(given, pd.DataFrame):
        source: File = GivenTable(given)
    else:
        source = Path(given)
        if not source.exists():
            raise UserError(
                f"There is no corpus {str(given)!r}.",
                f"Give a file or a folder, or one of these by name: {', '.join(NAMED)}.",
            )
    opened = open_documents(source, chosen)
    documents = tuple(opened.documents)
    if not documents:
        raise UserError(f"{source} holds no text that can be read.", "Give a corpus with text in it.")
    return _holding_targets(CorpusTexts(documents, str(source), opened.problems), chosen)


def _chosen(read: CorpusTexts, choice: CorpusChoice) -> CorpusTexts:
    """A published corpus, which has no columns to group by, cleaned and cut down as was chosen."""
    if choice.group_names:
        raise UserError(
            f"{read.name} has no column {choice.grouping.needed[0]!r}.",
            "Leave --group and --groups-file out, or give a file of your own with that column.",
        )
    if choice.clean:
        cleaned = (one._replace(text=clean_text(one.text)) for one in read.documents)
        read = replace(read, documents=tuple(cleaned))
    return _holding_targets(read, choice)


def _holding_targets(read: CorpusTexts, choice: CorpusChoice) -> CorpusTexts:
    """Only the documents that hold a target word, where that was asked for; the others are counted."""
    if not choice.with_targets:
        return read
    targets = load_targets(choice.targets)
    kept = tuple(one for one in read.documents if targets.has_any(one.text))
    if not kept:
        raise UserError(
            f"No document of {read.name} holds a target word.",
            "Leave --with-targets out, or name a CSV of target words with --targets.",
        )
    passed = [one for one in read.documents if not targets.has_any(one.text)]
    read.problems.add(Problem(one.where.file, one.where.line, NO_TARGET) for one in passed)
    return replace(read, documents=kept)


def _gap(data_dir: str | Path | None, files: Sequence[str] = GAP_FILES) -> list[Document]:
    return [document for name in files for document in _gap_rows(fetch_file(GAP, name, data_dir))]


def _flipped(data_dir: str | Path | None) -> list[Document]:
    return _gap_rows(fetch_file(GAP, FLIPPED_FILE, data_dir))


def _gap_rows(path: Path) -> list[Document]:
    table = read_table(path, ("ID", "Text"), quoted=False)
    return [
        Document(row["ID"], row["Text"], {}, Where(path.name, row["line"]))
        for row in table.to_dict("records")
    ]


def _mt_gender(data_dir: str | Path | None) -> list[Document]:
    """Lines without a header; both versions of a sentence are one document, to be held out together."""
    path = fetch_file(MT_GENDER, "en.txt", data_dir)
    documents = []
    for line, text in numbered_lines(path).items():
        sentence = text.split("\t")[2]
        twin = _PRONOUNS.sub("_", sentence.lower())
        documents.append(Document(twin, sentence, {}, Where(path.name, line)))
    return documents


NAMED: Mapping[str, Callable[[str | Path | None], list[Document]]] = {
    GAP: _gap,
    GAP_TRAIN: partial(_gap, files=GAP_TRAIN_FILES),
    FLIPPED: _flipped,
    MT_GENDER: _mt_gender,
}
"""Published corpora that have a name, read from the folder of data sets."""
