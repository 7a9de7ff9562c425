"""A whole corpus in memory to train on: a user's file, folder or table, or a published one by name."""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from equipoise.corpora.cleaning import clean_text
from equipoise.corpora.documents import Document, Problem, Problems, Where
from equipoise.corpora.sampling import CorpusChoice, open_documents
from equipoise.corpora.vocabulary import NO_TARGET, load_targets
from equipoise.data.catalogue import fetch_file
from equipoise.data.reading import File, GivenTable, numbered_lines, read_table
from equipoise.data.sources import Data, without_table
from equipoise.errors import UserError

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
"""Published corpora that are known by name, read from the folder of data sets."""
