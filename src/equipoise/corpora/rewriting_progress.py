"""How a corpus is rewritten, what came of it so far, and the note from which a stopped run resumes."""

import hashlib
import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from equipoise.corpora.formats import format_of
from equipoise.corpora.rewriting_rows import BadRow
from equipoise.errors import UserError
from equipoise.files import archive_of, write_beside
from equipoise.text.rewriting import Policy, Rewriter
from equipoise.text.rewriting.pronouns.forms import Judge
from equipoise.text.rewriting.rewriter import check_choices

EVERY = 2.0
"""Seconds between two notes of the position."""

MOST_BAD_ROWS = 50
"""Bad rows kept with their message; all are counted."""

DEFAULT_POLICY = Policy()


@dataclass(frozen=True)
class RewriteSettings:
    """How a corpus is rewritten."""

    mode: str = "invert"
    text_column: str = "text"
    seed: int = 0
    names: bool = True
    policy: Policy = DEFAULT_POLICY
    processes: int = 1
    """How many processes share the work; 0 uses every core for a large file."""
    address: str = ""
    """The Ray cluster whose workers share the work instead; then 0 processes are all that it has."""

    def __post_init__(self) -> None:
        """Refuse what no rewriter has before a file is opened."""
        check_choices(self.mode, self.seed, self.policy)

    def rewriter(self, judge: Judge | None = None) -> Rewriter:
        """The rewriter that these settings describe."""
        return Rewriter(self.mode, seed=self.seed, judge=judge, names=self.names, policy=self.policy)


class Batch(NamedTuple):
    """The rewritten rows of a batch, its account, what it adds to the summary, and how much was read.

    `read` are the bytes, lines and records of the batch in the file.
    """

    read: tuple[int, int, int]
    output: bytes
    account: bytes
    rows: int
    changes: int
    tally: tuple[int, int, int, int]
    bad: list[BadRow]


@dataclass
class RewriteSummary:
    """What was rewritten: rows, changes, gendered words of both sides before and after, and bad rows."""

    rows: int = 0
    changes: int = 0
    tally: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    bad_rows: int = 0
    bad: list[BadRow] = field(default_factory=list)

    def join(self, other: "RewriteSummary") -> None:
        """Add what came of another file."""
        self.rows += other.rows
        self.changes += other.changes
        self.tally = [total + more for total, more in zip(self.tally, other.tally, strict=True)]
        self.bad_rows += other.bad_rows
        self.bad += other.bad[: MOST_BAD_ROWS - len(self.bad)]

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        self.rows += batch.rows
        self.changes += batch.changes
        self.tally = [total + more for total, more in zip(self.tally, batch.tally, strict=True)]
        self.bad_rows += len(batch.bad)
        self.bad += batch.bad[: MOST_BAD_ROWS - len(self.bad)]


class RewritePosition(NamedTuple):
    """Bytes read and written, and the next line, at a point where every earlier batch is finished."""

    read: int = 0
    written: int = 0
    accounted: int = 0
    line: int = 1
    rows: int = 0

    def after(self, batch: Batch) -> "RewritePosition":
        """The position after one more batch."""
        size, lines, records = batch.read
        return RewritePosition(
            self.read + size,
            self.written + len(batch.output),
            self.accounted + len(batch.account),
            self.line + lines,
            self.rows + records,
        )


class RewriteProgress:
    """The note beside an output file: what is being done, and how far it has come."""

    def __init__(self, source: Path | None, out: Path, settings: dict[str, Any]) -> None:
        self.source = source
        self.out = out
        self.path = out.with_name(out.name + ".progress")
        self.kind = format_of(source) if source is not None else format_of(out)
        description = json.dumps([str(source), _size_and_time(source), settings], sort_keys=True, default=str)
        self.task = hashlib.sha256(description.encode()).hexdigest()
        self.goes_on = False
        self._noted = time.monotonic()

    def resume(self, summary: RewriteSummary, *, force: bool) -> RewritePosition:
        """Where to go on; an output of another run is refused unless forced."""
        if not self.out.parent.is_dir():
            raise UserError(f"There is no folder {self.out.parent}.", "Make it first, or give another --out.")
        note = self._note()
        if note and note["task"] == self.task and self.source is not None and self.out.exists() and not force:
            self.goes_on = True
            summary.rows, summary.changes, summary.tally = note["rows"], note["changes"], note["tally"]
            summary.bad_rows, summary.bad = note["bad_rows"], [BadRow(*row) for row in note["bad"]]
            return RewritePosition(*note["position"])
        if self.out.exists() and not force:
            raise UserError(
                f"{self.out} exists" + (" from a run with other settings." if note else "."),
                "Give another --out, or --force to overwrite it.",
            )
        if self.source is not None and self.out.exists() and self.out.samefile(self.source):
            raise UserError(f"{self.out} is the file that is read.", "Give another --out.")
        self.path.unlink(missing_ok=True)
        return RewritePosition()

    def note(
        self,
        position: RewritePosition,
        summary: RewriteSummary,
        outputs: tuple[BinaryIO, BinaryIO | None],
        *,
        at_once: bool = False,
    ) -> None:
        """Write the position down, now and then, after what it stands for is on the disk."""
        if self.source is None or (time.monotonic() - self._noted < EVERY and not at_once):
            return
        for output in outputs:
            if output is not None:
                output.flush()
                os.fsync(output.fileno())
        written = {"task": self.task, "position": position, "rows": summary.rows, "changes": summary.changes}
        written |= {"tally": summary.tally, "bad_rows": summary.bad_rows, "bad": summary.bad}
        write_beside(self.path, json.dumps(written))
        self._noted = time.monotonic()

    def finish(self) -> None:
        """The output is whole: the note is not needed any more."""
        self.path.unlink(missing_ok=True)

    def _note(self) -> dict[str, Any] | None:
        try:
            note = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return note if isinstance(note, dict) and "task" in note else None


def _size_and_time(source: Path | None) -> tuple[int, float] | None:
    if source is None:
        return None
    try:
        stat = (archive_of(source) or source).stat()
    except OSError as error:
        raise UserError(f"{source} cannot be read: {error.strerror}.", "Check the path.") from error
    return stat.st_size, stat.st_mtime
