"""The account of a rewrite as one page: counts, rules, reasons, and both texts side by side with marks."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from equipoise.data.csv_text import allow_long_cells
from equipoise.files import resumable_writing, write_beside
from equipoise.report.page import environment
from equipoise.text.rewriting.pronouns.forms import UNSURE

if TYPE_CHECKING:
    from equipoise.corpora.rewriting_progress import RewriteSettings, RewriteSummary

MOST_DOCUMENTS = 200
"""Documents shown side by side; every one is in the table beside the page."""

LONGEST_TEXT = 4000
"""Characters of one document that are shown."""

Entry = dict[str, str]
"""One line of the account as the table has it."""


@dataclass
class Account:
    """A whole account: entries counted by rule and by reason, and the first documents in full."""

    changes: Counter[str] = field(default_factory=Counter)
    skips: Counter[str] = field(default_factory=Counter)
    doubtful: int = 0
    judged: int = 0
    documents: int = 0
    shown: dict[int, list[Entry]] = field(default_factory=dict)

    def add(self, line: int, entries: Sequence[Entry]) -> None:
        """Count the entries of one document, and keep them if there is room."""
        self.documents += 1
        for entry in entries:
            kind = self.changes if entry["action"] == "change" else self.skips
            kind[entry["rule"]] += 1
            self.judged += entry["judged"] == "True"
            self.doubtful += is_doubtful(entry)
        if len(self.shown) < MOST_DOCUMENTS:
            self.shown[line] = list(entries)


def is_doubtful(entry: Mapping[str, str]) -> bool:
    """Whether a change was a choice that the rules were unsure of and no judge was asked about."""
    return bool(entry["margin"]) and entry["judged"] != "True" and float(entry["margin"]) < UNSURE


def read_account(path: Path) -> Account:
    """The account that was written as a table, read once from beginning to end."""
    allow_long_cells()
    account = Account()
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        for line, entries in groupby(csv.DictReader(file), key=lambda entry: int(entry["line"])):
            account.add(line, list(entries))
    return account


class Piece(NamedTuple):
    """A piece of a text: plain, or marked as `old`, `new`, `doubt` or `skip` with the rule that did it."""

    text: str
    mark: str = ""
    rule: str = ""


class ShownDocument(NamedTuple):
    """A document before and after, in pieces; `note` says if it was cut."""

    line: int
    note: str
    before: Sequence[Piece]
    after: Sequence[Piece]


def write_account_page(
    page: Path, source: Path, out: Path, settings: "RewriteSettings", summary: "RewriteSummary"
) -> None:
    """Write the page of a finished rewrite next to its table."""
    from equipoise.corpora.rewriting import texts_at

    table = page.with_suffix(".csv")
    account = read_account(table)
    names = {"source": source.name, "out": out.name, "mode": settings.mode, "table": table.name}
    written = account_page(account, texts_at(source, settings, account.shown.keys()), summary, names)
    with resumable_writing(page):
        # What UTF-8 cannot write is shown as a question mark.
        write_beside(page, written.encode("utf-8", "replace").decode("utf-8"))


def account_page(
    account: Account, texts: Iterable[tuple[int, str]], summary: "RewriteSummary", names: Mapping[str, str]
) -> str:
    """Return the page; texts are the originals by line, names say source, output, mode and table."""
    men, women, men_after, women_after = summary.tally
    return (
        environment()
        .get_template("account.html")
        .render(
            account=account,
            summary=summary,
            names=names,
            counts=[("before", men, women), ("after", men_after, women_after)],
            documents=[_document(line, text, account.shown[line]) for line, text in texts],
        )
    )


def _document(line: int, text: str, entries: Sequence[Entry]) -> ShownDocument:
    cut = len(text) > LONGEST_TEXT
    inside = [entry for entry in entries if int(entry["end"]) <= min(len(text), LONGEST_TEXT)]
    before, after = (list(_pieces(text[:LONGEST_TEXT], inside, side)) for side in ("old", "new"))
    note = f" (the first {LONGEST_TEXT:,} of {len(text):,} characters)" if cut else ""
    return ShownDocument(line, note, before, after)


def _pieces(text: str, entries: Sequence[Entry], side: str) -> Iterator[Piece]:
    """Yield the text of one side in pieces, with every entry marked."""
    place = 0
    for entry in entries:
        start, end = int(entry["start"]), int(entry["end"])
        if start < place:
            continue
        yield Piece(text[place:start])
        yield _marked(entry, side)
        place = end
    yield Piece(text[place:])


def _marked(entry: Entry, side: str) -> Piece:
    if entry["action"] != "change":
        return Piece(entry["old"], "skip", entry["rule"])
    mark = "doubt" if side == "new" and is_doubtful(entry) else side
    return Piece(entry[side], mark, entry["rule"])
