"""A progress bar on stderr for anything that takes more than two seconds."""

import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 2.0
"""Seconds before a bar appears."""

PLAIN_EVERY = 10.0
"""Seconds between lines where there is no terminal to draw on."""


class Progress:
    """Counts rows (or another unit); says how many a second and the time left after two seconds of work."""

    def __init__(self, label: str = "scoring", unit: str = "rows") -> None:
        self.label = label
        self.unit = unit
        self.total = 0
        self.done = 0
        self.started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._spoke = self.started

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def expect(self, total: int) -> None:
        """Set how many rows there will be, as far as is known now."""
        self.total = total

    def advance(self, rows: int) -> None:
        """Say that rows are done."""
        self.done += rows
        now = time.monotonic()
        if now - self.started < PATIENCE:
            return
        if sys.stderr.isatty():
            self._draw()
        elif now - self._spoke > PLAIN_EVERY or self._spoke == self.started:
            self._spoke = now
            print(self.line(now), file=sys.stderr, flush=True)  # noqa: T201

    def line(self, now: float) -> str:
        """The state in words: rows done, rows per second, time left."""
        rate = self.done / max(now - self.started, 1e-9)
        left = max(self.total - self.done, 0) / max(rate, 1e-9)
        done = f"{self.done:,} of {self.total:,} {self.unit}, {rate:,.0f} {self.unit}/s"
        return f"{self.label}: {done}, {left:,.0f} s left"

    def _draw(self) -> None:
        if self._bar is None:
            self._bar = _bar(self.unit)
            self._task = self._bar.add_task(self.label, total=self.total, rate="0")
            self._bar.start()
        rate = self.done / max(time.monotonic() - self.started, 1e-9)
        self._bar.update(self._task, total=self.total, completed=self.done, rate=f"{rate:,.0f}")


def _bar(unit: str) -> Any:
    from rich import progress as rich
    from rich.console import Console

    return rich.Progress(
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn(f"{unit}, {{task.fields[rate]}} {unit}/s,"),
        rich.TimeRemainingColumn(),
        rich.TextColumn("left"),
        console=Console(stderr=True),
        transient=True,
    )
