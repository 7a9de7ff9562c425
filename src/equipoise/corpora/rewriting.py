"""Rewriting a corpus as a stream: constant memory, order kept, several processes, resumable after a kill."""

import csv
import io
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal

from equipoise.corpora.processes import shared, suitable_processes
from equipoise.corpora.rewriting_parquet import rewrite_parquet
from equipoise.corpora.rewriting_progress import Batch, Position, Progress, RewriteSettings, RewriteSummary
from equipoise.corpora.rewriting_rows import TWINS, BadRow, BadRowError, Record, Table, format_of, records
from equipoise.errors import UserError
from equipoise.files import resumable_writing
from equipoise.text.rewriting import Rewriter, Rewritten
from equipoise.text.rewriting.account import Tally, twin_of
from equipoise.text.rewriting.pronouns.forms import Judge

ACCOUNT_COLUMNS = ("line", "action", "start", "end", "old", "new", "rule", "margin", "judged")
BATCH_BYTES = 200_000
"""Text handed to a process at once."""

_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_LONE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


def rewrite_file(
    source: Path | None,
    out: Path,
    settings: RewriteSettings,
    *,
    judge: Judge | None = None,
    account: Path | None = None,
    force: bool = False,
) -> RewriteSummary:
    """Rewrite a file (None: standard input) into another; a killed call goes on where it stopped."""
    if source is not None and source.suffix.lower() == ".parquet":
        if account is not None:
            raise UserError(
                "No account is written for a Parquet file.", "Convert it to jsonl, or leave --account out."
            )
        return rewrite_parquet(source, out, settings, judge=judge, force=force)
    if settings.processes < 1:
        settings = replace(settings, processes=_processes_for(source, judge))
    if judge is not None and settings.processes > 1:
        raise UserError("A judge answers in one process.", "Leave --processes out, or the judge.")
    if account is not None and any(_is_same(account, other) for other in (out, source) if other):
        raise UserError(f"{account} is the file that is read or written.", "Give another --account.")
    told = asdict(settings) | {"account": str(account), "judge": judge is not None, "processes": None}
    progress = Progress(source, out, told)
    summary = RewriteSummary()
    position = progress.resume(summary, force=force)
    if account is not None and account.exists() and not progress.goes_on and not force:
        raise UserError(f"{account} exists.", "Give another --account, or --force to overwrite it.")
    how: Literal["r+b", "wb"] = "r+b" if position.rows else "wb"
    try:
        written = [path for path in (out, account) if path]
        with resumable_writing(*written), ExitStack() as stack:
            file, output = stack.enter_context(opened(source)), stack.enter_context(out.open(how))
            ledger = stack.enter_context(account.open(how)) if account else None
            _stream(file, (output, ledger), settings, judge=judge, run=(progress, position, summary))
    except UserError:
        _remove_empty(out, account)
        raise
    progress.finish()
    if summary.bad_rows and not summary.rows:
        _refuse_unread(out, account, summary)
    return summary


def _processes_for(source: Path | None, judge: Judge | None) -> int:
    """Every core for a file that keeps them busy; a judge answers in one process."""
    if source is None or judge is not None or not source.is_file():
        return 1
    return suitable_processes(source.stat().st_size)


def _is_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _remove_empty(*paths: Path | None) -> None:
    """Leave no empty file behind a refusal: it would stand in the way of the next try."""
    for path in paths:
        if path is not None and path.is_file() and path.stat().st_size == 0:
            path.unlink()


def _refuse_unread(out: Path, account: Path | None, summary: RewriteSummary) -> None:
    """Nothing could be read: what was written is only a header at most, and goes."""
    for path in (out, account):
        if path is not None and path.is_file():
            path.unlink()
    first = summary.bad[0]
    raise UserError(
        f"None of the {summary.bad_rows:,} rows has a text to read (line {first.line}: {first.message}).",
        "Name the column that holds the text with --text.",
    )


def rewrite_stream(
    file: BinaryIO,
    output: BinaryIO,
    settings: RewriteSettings,
    *,
    kind: str = "txt",
    judge: Judge | None = None,
) -> RewriteSummary:
    """Rewrite what can be read once, such as standard input, and write it as it is done."""
    header = file.readline().decode("utf-8", "surrogateescape") if kind in ("csv", "tsv") else ""
    table, summary = _table(kind, settings, header), RewriteSummary()
    _write_headers(output, None, table, settings, header)
    work = partial(rewrite_batch, table=table, account=False)
    batches = _batches(records(file, kind, line=2 if header else 1))
    for _, batch in _worked(batches, work, settings, judge):
        output.write(batch.output)
        summary.add(batch)
    output.flush()
    return summary


def texts_at(source: Path, settings: RewriteSettings, lines: Collection[int]) -> Iterator[tuple[int, str]]:
    """The texts of the rows that begin in given lines, in order."""
    kind, last = format_of(source), max(lines, default=0)
    with opened(source) as file:
        header = file.readline().decode("utf-8", "surrogateescape") if kind in ("csv", "tsv") else ""
        table = Table(kind, settings.text_column, header)
        for record in records(file, kind, line=2 if header else 1):
            if record.line > last:
                return
            if record.line in lines:
                yield record.line, table.text_of(record.raw)


def opened(source: Path | None) -> BinaryIO:
    """A file of text (None: standard input) to read from; a binary file is refused."""
    if source is None:
        return sys.stdin.buffer
    try:
        file = source.open("rb")
    except OSError as error:
        raise UserError(f"{source} cannot be read: {error.strerror}.", "Check the path.") from error
    if b"\0" in file.read(8192):
        file.close()
        raise UserError(f"{source} is not a text file.", "Give txt, csv, tsv, jsonl or parquet.")
    file.seek(0)
    return file


def _stream(
    file: BinaryIO,
    outputs: tuple[BinaryIO, BinaryIO | None],
    settings: RewriteSettings,
    *,
    judge: Judge | None,
    run: tuple[Progress, Position, RewriteSummary],
) -> None:
    progress, position, summary = run
    output, ledger = outputs
    kind = progress.kind
    header = file.readline().decode("utf-8", "surrogateescape") if kind in ("csv", "tsv") else ""
    table = _table(kind, settings, header)
    if position.rows:
        file.seek(position.read)
        output.truncate(position.written)
        output.seek(position.written)
        if ledger:
            ledger.truncate(position.accounted)
            ledger.seek(position.accounted)
    else:
        _write_headers(output, ledger, table, settings, header)
        position = Position(
            len(header.encode("utf-8", "surrogateescape")),
            output.tell(),
            ledger.tell() if ledger else 0,
            2 if header else 1,
        )
        progress.note(position, summary, outputs, at_once=True)
    batches = _batches(records(file, kind, line=position.line))
    work = partial(rewrite_batch, table=table, account=ledger is not None)
    for group, batch in _worked(batches, work, settings, judge):
        output.write(batch.output)
        if ledger:
            ledger.write(batch.account)
        summary.add(batch)
        size = sum(len(record.raw.encode("utf-8", "surrogateescape")) for record in group)
        lines = sum(record.raw.count("\n") for record in group)
        position = position.after(size, lines, len(group), (len(batch.output), len(batch.account)))
        progress.note(position, summary, (output, ledger))


def _table(kind: str, settings: RewriteSettings, header: str) -> Table:
    return Table(kind, settings.text_column, header, added=TWINS if settings.mode == "augment" else ())


def _write_headers(
    output: BinaryIO, ledger: BinaryIO | None, table: Table, settings: RewriteSettings, header: str
) -> None:
    if header and settings.mode == "augment":
        body = header.rstrip("\r\n")
        header = table.delimiter.join((body, *TWINS)) + header[len(body) :]
    output.write(header.encode("utf-8", "surrogateescape"))
    if ledger:
        ledger.write((",".join(ACCOUNT_COLUMNS) + "\n").encode())


def _batches(rows: Iterable[Record]) -> Iterator[list[Record]]:
    batch: list[Record] = []
    size = 0
    for record in rows:
        batch.append(record)
        size += len(record.raw)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _worked(
    batches: Iterator[list[Record]],
    work: Callable[..., Batch],
    settings: RewriteSettings,
    judge: Judge | None,
) -> Iterator[tuple[list[Record], Batch]]:
    """Every batch with its result, in order; with processes, only a few batches are under way at once."""
    if settings.processes < 2:
        rewriter = settings.rewriter(judge)
        for batch in batches:
            yield batch, work(batch, rewriter=rewriter)
        return
    yield from shared(
        batches, partial(_in_worker, work), settings.processes, start=_start_worker, given=(settings,)
    )


_WORKER: list[Rewriter] = []


def _start_worker(settings: RewriteSettings) -> None:
    _WORKER[:] = [settings.rewriter()]


def _in_worker(work: Callable[..., Batch], batch: list[Record]) -> Batch:
    return work(batch, rewriter=_WORKER[0])


def rewrite_batch(batch: Sequence[Record], *, table: Table, account: bool, rewriter: Rewriter) -> Batch:
    """The rows of a batch rewritten; a row without a text is left out and reported."""
    readable: list[tuple[Record, str]] = []
    bad: list[BadRow] = []
    for record in batch:
        try:
            readable.append((record, table.text_of(record.raw)))
        except BadRowError as error:
            bad.append(BadRow(record.line, f"{error}; left out"))
        if not record.raw.isascii() and _NOT_UTF8.search(record.raw):
            bad.append(BadRow(record.line, "bytes that are not UTF-8; kept as they are"))
    done, ledger = _rewritten(readable, table, rewriter, account=account)
    output = "".join(rows for rows, _, _ in done)
    tally = [sum(column) for column in zip(*(tally for _, _, tally in done), strict=True)] or [0, 0, 0, 0]
    return Batch(
        _encoded(output),
        _encoded(ledger),
        len(readable),
        sum(changes for _, changes, _ in done),
        (tally[0], tally[1], tally[2], tally[3]),
        bad,
    )


Done = list[tuple[str, int, Tally]]
"""The rows of each record as they are written, the number of changes, and the words of both sides."""


def _rewritten(
    readable: Sequence[tuple[Record, str]], table: Table, rewriter: Rewriter, *, account: bool
) -> tuple[Done, str]:
    ledger = io.StringIO(newline="")
    writer = csv.writer(ledger, lineterminator="\n")
    done = []
    results = rewriter.rewrite_many(text for _, text in readable)
    for (record, text), rewritten in zip(readable, results, strict=True):
        rows = _rows_of(table, record, text, rewritten.texts, rewriter.mode)
        done.append((rows, len(rewritten.changes), rewritten.tally))
        if account:
            writer.writerows(_account_of(record, rewritten))
    return done, ledger.getvalue()


def _rows_of(table: Table, record: Record, text: str, versions: Sequence[str], mode: str) -> str:
    """The record with each version of its text; twins get the id that they share."""
    rows = [table.with_text(record.raw, text, version) for version in versions]
    if mode != "augment":
        return rows[0]
    if table.kind == "txt" and len(rows) == 2 and not rows[0].endswith("\n"):
        rows[0] += "\n"
    twin = twin_of(text)
    return "".join(table.with_twin(row, twin, copy) for copy, row in enumerate(rows))


def _account_of(record: Record, rewritten: Rewritten) -> Iterator[list[Any]]:
    for row in rewritten.rows():
        yield [record.line, *(row[column] for column in ACCOUNT_COLUMNS[1:])]


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # lone surrogates out of JSON escapes, which UTF-8 cannot write
        return _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", text).encode("utf-8", "surrogateescape")
