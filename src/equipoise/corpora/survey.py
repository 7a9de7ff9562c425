"""A corpus under the microscope: read once, counted block by block, written as tables; resumable."""

import csv
import hashlib
import io
import json
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from equipoise.corpora.cooccurrence import (
    BASE,
    FEWEST_DOCUMENTS,
    Candidate,
    Drivers,
    Moments,
    cooccurrence_table,
    mentions_table,
)
from equipoise.corpora.counting import BlockCounts, count_block
from equipoise.corpora.documents import Block, Position, Problem, Problems
from equipoise.corpora.flags import FLAG_COLUMNS, Flag, flagged_rows, flags_in
from equipoise.corpora.processes import shared, suitable_processes
from equipoise.corpora.reading import Corpus
from equipoise.corpora.vocabulary import Targets, Vocabulary, gendered_words, load_targets
from equipoise.data.csv_text import as_csv, spreadsheet_safe
from equipoise.errors import UserError
from equipoise.files import archive_of, replacing, resumable_writing, size_of, write_beside

STATE = "state.npz"


@dataclass
class SurveyState:
    """The sums of all finished blocks and the position after them."""

    fingerprint: str
    moments: Moments
    drivers: Drivers
    position: Position = field(default_factory=Position)
    problems: Problems = field(default_factory=Problems)
    flags: Counter[str] = field(default_factory=Counter)
    flagged_bytes: int = 0
    finished: bool = False

    def save(self, folder: Path) -> None:
        """Write the state beside and rename it into place."""
        moments = self.moments
        notes = {
            "fingerprint": self.fingerprint,
            "groups": moments.groups,
            "categories": self.drivers.categories,
            "drivers": self.drivers.kept,
            "position": self.position,
            "problems": self.problems.kept,
            "problem_counts": self.problems.counts,
            "flags": self.flags,
            "flagged_bytes": self.flagged_bytes,
            "finished": self.finished,
        }
        size = len(moments.groups)
        with resumable_writing(folder / STATE), replacing(folder / STATE) as file:
            np.savez(
                file,
                notes=np.frombuffer(json.dumps(notes).encode(), dtype=np.uint8),
                base=moments.base[:size],
                mentions=moments.mentions[:size],
                targets=moments.targets[:size],
            )


def load_state(folder: Path) -> SurveyState | None:
    """The state of an earlier run, if there is one that can be read."""
    path = folder / STATE
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as arrays:
            notes = json.loads(arrays["notes"].tobytes())
            kept = {name: arrays[name] for name in ("base", "mentions", "targets")}
        return _restored(notes, kept)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} cannot be read: {error}", "Start again with --force, or give another folder with --out."
        ) from error


def _restored(notes: dict[str, Any], arrays: dict[str, Any]) -> SurveyState:
    groups = [(by, level) for by, level in notes["groups"]]
    moments = Moments(arrays["targets"].shape[1], groups)
    moments.base, moments.mentions, moments.targets = (
        arrays[name] for name in ("base", "mentions", "targets")
    )
    kept = {name: [Candidate(*row) for row in rows] for name, rows in notes["drivers"].items()}
    problems = Problems([Problem(*row) for row in notes["problems"]], Counter(notes["problem_counts"]))
    return SurveyState(
        notes["fingerprint"],
        moments,
        Drivers(notes["categories"], kept),
        Position(*notes["position"]),
        problems,
        Counter(notes["flags"]),
        notes["flagged_bytes"],
        notes["finished"],
    )


FLAGGED = "flagged.csv"
TABLES = ("cooccurrence.csv", "mentions.csv", "drivers.csv", "problems.csv", "problem-counts.csv")
DEFAULT_WINDOW = 10
SAVE_EVERY = 5.0
"""Seconds between two saved states."""


Counted = tuple[BlockCounts, list[list[Flag]]]
"""What was counted in the texts of a block, and the marked sentences of each."""


@dataclass(frozen=True)
class SurveySettings:
    """What is counted: target words, the words either side (0: the sentence); whether to flag sentences."""

    targets: Targets = field(default_factory=load_targets)
    window: int = DEFAULT_WINDOW
    flag: bool = False
    processes: int = 1
    """How many processes share the counting; 0 uses every core for a large corpus."""
    address: str = ""
    """The Ray cluster whose workers share it instead; then 0 processes are all that it has."""


@dataclass(frozen=True)
class Survey:
    """The tables of a corpus, and how much of it there was."""

    documents: int
    words: int
    cooccurrence: pd.DataFrame
    mentions: pd.DataFrame
    drivers: pd.DataFrame
    problems: Problems
    flags: Counter[str]
    notices: tuple[str, ...] = ()


def survey_corpus(
    corpus: Corpus,
    out: Path,
    *,
    settings: SurveySettings | None = None,
    force: bool = False,
    save_every: float = SAVE_EVERY,
    advance: Callable[[int, int], None] | None = None,
) -> Survey:
    """Count a corpus and write the tables to a folder; a stopped run goes on at the last saved block.

    `advance` is told how many bytes of how many are done in this run.
    """
    chosen = settings or SurveySettings()
    if chosen.window < 0:
        raise UserError(f"The window is {chosen.window} words.", "Give 1 or more, or 0 for the sentence.")
    state = _begin(corpus, out, chosen, force=force)
    if not state.finished:
        _Run(corpus, out, chosen, state, save_every).go(advance or (lambda done, total: None))
    survey = _survey(state, chosen)
    if not survey.documents:
        raise UserError(
            f"{corpus.root} has no document that can be read ({_reasons(state.problems)}).",
            "Give a corpus with at least one document.",
        )
    _write_tables(survey, out)
    return survey


class _Run:
    """One pass from the state's position to the end."""

    def __init__(
        self, corpus: Corpus, out: Path, settings: SurveySettings, state: SurveyState, save_every: float
    ) -> None:
        self.corpus = corpus
        self.out = out
        self.settings = settings
        self.state = state
        self.save_every = save_every
        self.unsaved: list[str] = []

    def go(self, advance: Callable[[int, int], None]) -> None:
        """Count until the end, saving now and then."""
        state, saved = self.state, time.monotonic()
        begun = self.corpus.bytes_before(state.position)
        for block, counted in self._counted(self.corpus.blocks(state.position)):
            self._add(block, *counted)
            state.position = block.position
            if time.monotonic() - saved >= self.save_every:
                self._save()
                saved = time.monotonic()
            advance(self.corpus.bytes_before(state.position) - begun, self.corpus.ends[-1] - begun)
        state.finished = True
        self._save()

    def _counted(self, blocks: Iterator[Block]) -> Iterator[tuple[Block, Counted]]:
        """Every block with its counts, in order; several processes may share the work."""
        processes, address = self.settings.processes, self.settings.address
        if not address:
            processes = processes or suitable_processes(self.corpus.ends[-1])
        begun: deque[Block] = deque()

        def texts() -> Iterator[list[str]]:
            """The texts alone are sent to the processes: documents take as long to send as to count."""
            for block in blocks:
                begun.append(block)
                yield [document.text for document in block.documents]

        if processes > 1 or address:
            counted = shared(
                texts(), _count, processes, start=_start, given=(self.settings,), address=address
            )
        else:
            _start(self.settings)
            counted = map(_count, texts())
        for one in counted:
            yield begun.popleft(), one

    def _add(self, block: Block, counts: BlockCounts, flags: list[list[Flag]]) -> None:
        state = self.state
        state.moments.add(block.documents, counts)
        state.drivers.add(block.documents, counts, state.moments)
        state.problems.add(block.problems)
        state.flags.update(flag.rule for of_text in flags for flag in of_text)
        marked = zip(block.documents, flags, strict=bool(flags))
        if rows := [row for document, of_text in marked for row in flagged_rows(document, of_text)]:
            self.unsaved.append(_csv_text(rows))

    def _save(self) -> None:
        """Flagged sentences first: what the state does not know of is cut off when the run goes on."""
        if self.unsaved:
            path = self.out / FLAGGED
            with resumable_writing(path), path.open("r+b") as file:
                file.truncate(self.state.flagged_bytes)
                file.seek(self.state.flagged_bytes)
                file.write("".join(self.unsaved).encode("utf-8"))
                file.flush()
                os.fsync(file.fileno())
                end = file.tell()
            self.unsaved, self.state.flagged_bytes = [], end
        self.state.save(self.out)


_COUNTING: list[tuple[Vocabulary, SurveySettings]] = []
"""What this process counts by."""


def _start(settings: SurveySettings) -> None:
    _COUNTING[:] = [(Vocabulary(settings.targets, gendered_words()), settings)]


def _count(texts: list[str]) -> Counted:
    """What is counted in the texts of a block, and their marked sentences."""
    ((vocabulary, settings),) = _COUNTING
    flags = [flags_in(text) for text in texts] if settings.flag else []
    return count_block(texts, vocabulary, settings.window), flags


def _begin(corpus: Corpus, out: Path, settings: SurveySettings, *, force: bool) -> SurveyState:
    """A new state, or that of the same command, which was stopped."""
    fingerprint = _fingerprint(corpus, settings)
    if not force:
        known = load_state(out)
        if known is not None and known.fingerprint == fingerprint:
            return known
        if known is not None or (out.is_dir() and any(out.iterdir())) or out.is_file():
            raise UserError(
                f"{out} holds the output of another command, or other files.",
                "Give another folder with --out, or replace the tables there with --force.",
            )
    categories = list(settings.targets.categories)
    state = SurveyState(fingerprint, Moments(len(settings.targets.items)), Drivers(categories))
    with resumable_writing(out):
        out.mkdir(parents=True, exist_ok=True)
        for name in (STATE, FLAGGED, *TABLES):
            (out / name).unlink(missing_ok=True)
        if settings.flag:
            header = _csv_text([FLAG_COLUMNS]).encode()
            (out / FLAGGED).write_bytes(header)
            state.flagged_bytes = len(header)
    state.save(out)
    return state


def _fingerprint(corpus: Corpus, settings: SurveySettings) -> str:
    """What must be the same for a run to go on: the files, how they are read and what is counted."""
    files = [
        (corpus.name(path), size_of(path), (archive_of(path) or path).stat().st_mtime_ns)
        for path in corpus.files
    ]
    known = [
        files,
        corpus.text,
        repr(corpus.settings),
        settings.targets.items,
        settings.window,
        settings.flag,
    ]
    text = json.dumps([*known, str(corpus.root.resolve()), sorted(gendered_words().items())])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _survey(state: SurveyState, settings: SurveySettings) -> Survey:
    base = dict(zip(BASE, state.moments.base[0], strict=True))
    return Survey(
        int(base["documents"]),
        int(base["words"]),
        cooccurrence_table(state.moments, settings.targets),
        mentions_table(state.moments),
        state.drivers.table(state.moments),
        state.problems,
        state.flags,
        (
            *settings.targets.notices,
            *_too_few_documents(int(base["documents"])),
            *state.problems.notices,
        ),
    )


def _too_few_documents(documents: int) -> list[str]:
    if documents >= FEWEST_DOCUMENTS:
        return []
    return [
        f"Intervals are over documents, and there are only {documents}. "
        "A plain text can be cut into more with --split."
    ]


def _reasons(problems: Problems) -> str:
    return (
        "; ".join(f"{reason}: {count}" for reason, count in problems.unread.most_common(3)) or "it is empty"
    )


def _write_tables(survey: Survey, out: Path) -> None:
    problems = pd.DataFrame(survey.problems.kept, columns=list(Problem._fields))
    counts = pd.DataFrame(survey.problems.counts.most_common(), columns=["reason", "rows"])
    frames = (survey.cooccurrence, survey.mentions, survey.drivers, problems, counts)
    for name, frame in zip(TABLES, frames, strict=True):
        with resumable_writing(out / name):
            write_beside(out / name, as_csv(frame))


def _csv_text(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([spreadsheet_safe(cell) for cell in row] for row in rows)
    return text.getvalue()
