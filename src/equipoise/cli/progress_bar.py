"""The progress bar: what a run tells, drawn on stderr once it has taken more than two seconds."""

import sys
import threading
import time
from typing import Any

from rich import progress as rich
from rich.console import Console

from equipoise.models.loading import LABELS
from equipoise.models.options import READING, SCORING, STOPPED, TRAINING, Progress

PATIENCE = 2.0
"""Seconds before anything is shown."""

STEPS = 10
"""Lines for a phase of known length where there is no terminal to draw on: one for each 10 %."""

LOOK_EVERY = 0.25
"""Seconds between two looks at how far the run has come."""

SEEN_FOR, SEEN_REPORTS = 3.0, 4
"""Seconds and reports of scoring before a time left is named: the first batches are not like the rest."""


COUNTED = (SCORING, READING, TRAINING)
"""The phases whose speed is judged, so that the time left can be told."""


class ProgressBar:
    """A progress callback that draws: `with ProgressBar() as bar: load_model(..., progress=bar)`.

    Reports only note the state. A thread of its own shows it, so that a phase that says nothing for a while
    is shown too; the thread ends with each phase that is finished or stopped.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: Progress | None = None
        self._ended: Progress | None = None
        self._rate = Rate()
        self._shown_since = 0.0
        self._drawing: threading.Thread | None = None
        self._closing = threading.Event()
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, progress: Progress) -> None:
        """Note how far the run has come; what it says is shown at once."""
        if progress.says:
            sys.stderr.write(f"{_subject(progress)}{progress.says}.\n")
            return
        with self._lock:
            now = time.monotonic()
            if self._drawing is None:
                self._shown_since = now
            self._rate.note(progress, now)
            self._state = None if progress.is_finished else progress
            self._ended = progress if progress.is_finished and progress.phase in COUNTED else None
            if self._state is None and progress.phase in (*COUNTED, STOPPED):
                self._rate = Rate()
            if self._state is not None and self._drawing is None:
                self._drawing = threading.Thread(target=self._draw_until_idle, daemon=True)
                self._drawing.start()
        if progress.phase == STOPPED:
            self.close()

    def __enter__(self) -> "ProgressBar":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Take the bar off the screen, at once."""
        with self._lock:
            self._state = None
            drawing = self._drawing
        if drawing is not None:
            self._closing.set()
            drawing.join(timeout=5)
            self._closing.clear()

    def _draw_until_idle(self) -> None:
        """Show the state now and then; after an idle moment take it off the screen."""
        spoke: tuple[str, str, int] | None = None
        idle = 0
        while idle < 2:
            is_closing = self._closing.wait(LOOK_EVERY)
            with self._lock:
                state, now = self._state, time.monotonic()
                idle = idle + 1 if state is None else 0
                if state is None and self._ended and spoke and spoke[:2] == _step(self._ended)[:2]:
                    sys.stderr.write(line(self._ended, Rate()) + "\n")  # lines end at 100 %
                    spoke = None
                if idle == 2 or is_closing:
                    self._drawing = None
                    self._hide()
                    return
                if state is None or now - self._shown_since < PATIENCE:
                    continue
                if sys.stderr.isatty():
                    self._draw(state)
                elif spoke != (step := _step(state)):
                    spoke = step
                    sys.stderr.write(line(state, self._rate) + "\n")
                    sys.stderr.flush()

    def _draw(self, state: Progress) -> None:
        if self._bar is None:
            self._bar = _bar()
            self._task = self._bar.add_task("", total=None, words="")
            self._bar.start()
        self._bar.update(
            self._task,
            description=f"{_subject(state)}{state.phase}",
            total=state.total or None,
            completed=state.done,
            words=rate_words(state, self._rate),
        )

    def _hide(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


class Rate:
    """How fast scoring or reading goes, judged from after the first batch, which is slower than the rest."""

    def __init__(self) -> None:
        self._first: tuple[float, Progress] | None = None
        self._last: tuple[float, Progress] | None = None
        self._reports = 0

    def note(self, progress: Progress, now: float) -> None:
        """Take a report into account."""
        if progress.phase in COUNTED and progress.done > 0:
            self._first = self._first or (now, progress)
            self._last = (now, progress)
            self._reports += 1

    def rows_per_second(self) -> float | None:
        """Rows per second, once enough was seen."""
        return self._per_second("rows")

    def seconds_left(self, total: int) -> float | None:
        """Seconds until all tokens are scored, once enough was seen to tell."""
        speed = self._per_second("done")
        if speed is None or self._last is None:
            return None
        return max(0, total - self._last[1].done) / speed

    def _per_second(self, what: str) -> float | None:
        if self._first is None or self._last is None or self._reports < SEEN_REPORTS:
            return None
        seconds = self._last[0] - self._first[0]
        done = getattr(self._last[1], what) - getattr(self._first[1], what)
        return done / seconds if seconds >= SEEN_FOR and done > 0 else None


def line(state: Progress, rate: Rate) -> str:
    """The state in words: what is done, how fast, and how long it will take."""
    share = f", {state.done / state.total:.0%} done" if state.total and state.done else ""
    words = rate_words(state, rate)
    return f"{_subject(state)}{state.phase}{share}{', ' + words if words else ''}"


def _subject(state: Progress) -> str:
    """Whose run it is; ours by what they are."""
    return f"{LABELS.get(state.subject, state.subject)}: " if state.subject else ""


def rate_words(state: Progress, rate: Rate) -> str:
    """Rows done, rows per second and time left, as far as they are known."""
    if state.phase not in COUNTED:
        return ""
    speed, left = rate.rows_per_second(), rate.seconds_left(state.total)
    words = [f"{state.rows:,} rows"] if state.phase == SCORING else []
    words += [f"{speed:,.0f} rows/s"] if speed is not None else []
    words += [f"{left:,.0f} s left"] if left is not None else []
    return ", ".join(words)


def _step(state: Progress) -> tuple[str, str, int]:
    """Return which tenth of the phase is running."""
    return state.subject, state.phase, STEPS * state.done // state.total if state.total else 0


def _bar() -> Any:

    return rich.Progress(
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TaskProgressColumn(),
        rich.TextColumn("{task.fields[words]}"),
        console=Console(stderr=True),
        transient=True,
    )
