"""Rewriting a corpus as a stream: constant memory, order kept, several processes, resumable after a kill."""

import csv
import io
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal

from equipoise.corpora.formats import PACKED, SUFFIXES, file_problem, format_of
from equipoise.corpora.processes import shared, suitable_processes
from equipoise.corpora.reading import files_of
from equipoise.corpora.rewriting_parquet import rewrite_parquet
from equipoise.corpora.rewriting_progress import (
    Batch,
    RewritePosition,
    RewriteProgress,
    RewriteSettings,
    RewriteSummary,
)
from equipoise.corpora.rewriting_rows import TWINS, BadRow, BadRowError, RawRow, RowEditor, records
from equipoise.errors import UserError
from equipoise.files import (
    archive_of,
    members_of,
    open_binary,
    resumable_writing,
    size_of,
    unpacked_name,
    write_beside,
)
from equipoise.text.rewriting import Rewriter, Rewritten
from equipoise.text.rewriting.account import Tally, twin_of
from equipoise.text.rewriting.pronouns.forms import Judge

ACCOUNT_COLUMNS = ("line", "action", "start", "end", "old", "new", "rule", "margin", "judged")
BATCH_BYTES = 200_000
"""Text handed to a process at once."""

APART = {"processes": None, "address": None}
"""Settings that do not change what is written: a run may resume with others."""


def rewrite_file(
    source: Path | None,
    out: Path,
    settings: RewriteSettings,
    *,
    judge: Judge | None = None,
    account: Path | None = None,
    force: bool = False,
) -> RewriteSummary:
    """Rewrite a file (None: standard input) into another; a killed call continues when it is repeated."""
    if source is not None:
        if source.is_dir() or (archive_of(source) == source and len(members_of(source)) > 1):
            return _rewrite_folder(source, out, settings, judge=judge, account=account, force=force)
        _check_names(source, out)
    if source is not None and source.suffix.lower() == ".parquet":
        if account is not None or settings.address:
            raise UserError(
                "A Parquet file is rewritten in one process and without an account.",
                "Convert it to jsonl, or leave --account and --executor out.",
            )
        return rewrite_parquet(source, out, settings, judge=judge, force=force)
    if settings.processes < 1 and not settings.address:
        settings = replace(settings, processes=_processes_for(source, judge))
    if judge is not None and (settings.processes > 1 or settings.address):
        raise UserError(
            "--judge works in one process only.", "Leave --processes and --executor out, or the judge."
        )
    if account is not None and account.resolve() in [other.resolve() for other in (out, source) if other]:
        raise UserError(f"{account} is the file that is read or written.", "Give another --account.")
    told = asdict(settings) | {"account": str(account), "judge": judge is not None} | APART
    progress = RewriteProgress(source, out, told)
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
    if source is None or judge is not None or not (source.is_file() or archive_of(source)):
        return 1
    return suitable_processes(size_of(source))


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
    header = _header(file, kind)
    table, summary = _table(kind, settings, header), RewriteSummary()
    _write_headers(output, None, table, settings, header)
    work = partial(rewrite_batch, table=table, account=False)
    batches = _batches(records(file, table, line=2 if header else 1))
    for batch in _worked(batches, work, settings, judge):
        output.write(batch.output)
        summary.add(batch)
    output.flush()
    return summary


def texts_at(source: Path, settings: RewriteSettings, lines: Collection[int]) -> Iterator[tuple[int, str]]:
    """The texts of the rows that begin in given lines, in order."""
    kind, last = format_of(source), max(lines, default=0)
    with opened(source) as file:
        header = _header(file, kind)
        table = RowEditor(kind, settings.text_column, header)
        for record in records(file, table, line=2 if header else 1):
            if record.line > last:
                return
            if record.line in lines:
                yield record.line, table.text_of(record)


def opened(source: Path | None) -> BinaryIO:
    """A file of text (None: standard input) to read from; a binary file is refused."""
    if source is None:
        return sys.stdin.buffer
    if problem := file_problem(source):
        said = problem if problem.startswith("cannot") else f"is {problem}"
        raise UserError(f"{source} {said}.", f"Give UTF-8 text: {', '.join(SUFFIXES)}, also as {PACKED}.")
    return open_binary(source)


def _header(file: BinaryIO, kind: str) -> str:
    """The first line of a table; it must be text, for it is written again."""
    if kind not in ("csv", "tsv"):
        return ""
    try:
        return file.readline().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError("The header holds bytes that are not UTF-8.", "Save the file as UTF-8.") from error


def _check_names(source: Path, out: Path) -> None:
    """Refuse a file of another kind, and an output that its name would misdescribe."""
    if not format_of(source):
        raise UserError(
            f"{source} is not a kind of file that is read.", f"Give {', '.join(SUFFIXES)}, also as {PACKED}."
        )
    kind = format_of(out)
    if unpacked_name(out) != out or out.suffix.lower() == ".zip":
        raise UserError(f"{out} would not be packed.", "Give --out a name without .gz, .bz2, .xz or .zip.")
    if kind == "json" or (format_of(source) == "json" and kind not in ("jsonl", "")):
        raise UserError(f"{out} would hold JSON lines.", "Give --out a name that ends in .jsonl.")


DONE = ".rewritten"
"""The note in a folder of rewritten files: the settings, and the files that are whole."""


def _rewrite_folder(
    source: Path,
    out: Path,
    settings: RewriteSettings,
    *,
    judge: Judge | None,
    account: Path | None,
    force: bool,
) -> RewriteSummary:
    """Rewrite every file of a folder or an archive into a folder, under the same names."""
    if account is not None:
        raise UserError(
            "--account works with one file only.", "Leave --account out, or rewrite file by file."
        )
    note, told = out / DONE, repr((asdict(settings) | APART, judge is not None))
    if out.exists() and not note.is_file() and not force:
        raise UserError(f"{out} exists.", "Give another --out, or --force to overwrite it.")
    noted = note.read_text(encoding="utf-8").splitlines() if note.is_file() else []
    whole = set(noted[1:]) if noted[:1] == [told] and not force else set[str]()
    if noted and noted[:1] != [told] and not force:
        raise UserError(f"{out} exists from a run with other settings.", "Give another --out, or --force.")
    total, taken = RewriteSummary(), Counter[Path]()
    out.mkdir(parents=True, exist_ok=True)
    for path in files_of(source):
        name = unpacked_name(path).relative_to(source)
        name = name.with_suffix(".jsonl") if name.suffix.lower() == ".json" else name
        taken[name] += 1
        name = name.with_stem(f"{name.stem}-{taken[name]}") if taken[name] > 1 else name  # a.txt and a.txt.gz
        if str(name) in whole:
            continue
        problem = "" if format_of(path) == "parquet" else file_problem(path)
        if not format_of(path) or problem:
            total.bad_rows += 1
            total.bad.append(BadRow(0, f"{name} is {problem or 'not a kind of file that is read'}; left out"))
            continue
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        total.join(rewrite_file(path, out / name, settings, judge=judge, force=force))
        whole.add(str(name))
        write_beside(note, "\n".join([told, *sorted(whole)]) + "\n")
    return total


def _stream(
    file: BinaryIO,
    outputs: tuple[BinaryIO, BinaryIO | None],
    settings: RewriteSettings,
    *,
    judge: Judge | None,
    run: tuple[RewriteProgress, RewritePosition, RewriteSummary],
) -> None:
    progress, position, summary = run
    output, ledger = outputs
    kind = progress.kind
    header = _header(file, kind)
    table = _table(kind, settings, header)
    if position.rows:
        if kind != "json":  # the elements of an array are counted
            file.seek(position.read)
        output.truncate(position.written)
        output.seek(position.written)
        if ledger:
            ledger.truncate(position.accounted)
            ledger.seek(position.accounted)
    else:
        _write_headers(output, ledger, table, settings, header)
        position = RewritePosition(
            len(header.encode("utf-8")),
            output.tell(),
            ledger.tell() if ledger else 0,
            2 if header else 1,
        )
        progress.note(position, summary, outputs, at_once=True)
    batches = _batches(records(file, table, line=position.line))
    work = partial(rewrite_batch, table=table, account=ledger is not None)
    for batch in _worked(batches, work, settings, judge):
        output.write(batch.output)
        if ledger:
            ledger.write(batch.account)
        summary.add(batch)
        position = position.after(batch)
        progress.note(position, summary, (output, ledger))


def _table(kind: str, settings: RewriteSettings, header: str) -> RowEditor:
    return RowEditor(kind, settings.text_column, header, added=TWINS if settings.mode == "augment" else ())


def _write_headers(
    output: BinaryIO, ledger: BinaryIO | None, table: RowEditor, settings: RewriteSettings, header: str
) -> None:
    if header and settings.mode == "augment":
        body = header.rstrip("\r\n")
        header = table.delimiter.join((body, *TWINS)) + header[len(body) :]
    output.write(header.encode("utf-8"))
    if ledger:
        ledger.write((",".join(ACCOUNT_COLUMNS) + "\n").encode())


def _batches(rows: Iterable[RawRow]) -> Iterator[list[RawRow]]:
    batch: list[RawRow] = []
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
    batches: Iterator[list[RawRow]],
    work: Callable[..., Batch],
    settings: RewriteSettings,
    judge: Judge | None,
) -> Iterator[Batch]:
    """The result of every batch, in order; with processes, only a few batches are under way at once."""
    if settings.processes < 2 and not settings.address:
        rewriter = settings.rewriter(judge)
        for batch in batches:
            yield work(batch, rewriter=rewriter)
        return
    yield from shared(
        batches,
        partial(_in_worker, work),
        settings.processes,
        start=_start_worker,
        given=(settings,),
        address=settings.address,
    )


_WORKER: list[Rewriter] = []


def _start_worker(settings: RewriteSettings) -> None:
    _WORKER[:] = [settings.rewriter()]


def _in_worker(work: Callable[..., Batch], batch: list[RawRow]) -> Batch:
    return work(batch, rewriter=_WORKER[0])


def rewrite_batch(batch: Sequence[RawRow], *, table: RowEditor, account: bool, rewriter: Rewriter) -> Batch:
    """The rows of a batch rewritten; a row without a text is left out and reported."""
    readable: list[tuple[RawRow, str]] = []
    bad: list[BadRow] = []
    for record in batch:
        if table.is_blank(record.raw) and not record.problem:
            continue
        try:
            readable.append((record, table.text_of(record)))
        except BadRowError as error:
            bad.append(BadRow(record.line, f"{error}; left out"))
    done, ledger = _rewritten(readable, table, rewriter, account=account)
    output = "".join(rows for rows, _, _ in done)
    tally = [sum(column) for column in zip(*(tally for _, _, tally in done), strict=True)] or [0, 0, 0, 0]
    size = sum(len(record.raw.encode("utf-8", "surrogateescape")) for record in batch)
    return Batch(
        (size, sum(record.raw.count("\n") for record in batch), len(batch)),
        output.encode("utf-8"),
        ledger.encode("utf-8"),
        len(readable),
        sum(changes for _, changes, _ in done),
        (tally[0], tally[1], tally[2], tally[3]),
        bad,
    )


Done = list[tuple[str, int, Tally]]
"""The rows of each record as they are written, the number of changes, and the words of both sides."""


def _rewritten(
    readable: Sequence[tuple[RawRow, str]], table: RowEditor, rewriter: Rewriter, *, account: bool
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


def _rows_of(table: RowEditor, record: RawRow, text: str, versions: Sequence[str], mode: str) -> str:
    """The record with each version of its text; twins get the id that they share."""
    rows = [table.with_text(record.raw, text, version) for version in versions]
    if mode != "augment":
        return rows[0]
    if table.kind == "txt" and len(rows) == 2 and not rows[0].endswith("\n"):
        rows[0] += "\n"
    twin = twin_of(text)
    return "".join(table.with_twin(row, twin, copy) for copy, row in enumerate(rows))


def _account_of(record: RawRow, rewritten: Rewritten) -> Iterator[list[Any]]:
    for row in rewritten.rows():
        yield [record.line, *(row[column] for column in ACCOUNT_COLUMNS[1:])]
