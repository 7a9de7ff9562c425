"""Telling how far a run has come, in the three phases that the caller may watch."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from equipoise.errors import Cancelled
from equipoise.models.options import RunOptions
from equipoise.models.progress import PLANNING, SCORING, STOPPED, Progress, ProgressCallback, unheard

EVERY = 200
"""Questions planned between two reports, a few milliseconds' work."""


class RunReport:
    """Counts questions planned and tokens scored, and tells the callback of the options."""

    def __init__(self, subject: str, questions: int, options: RunOptions) -> None:
        self.subject = subject
        self.questions = questions
        self._tell = options.progress or unheard
        self._is_cancelled = options.is_cancelled
        self._planned = self._rows = self._tokens = self._expected = self._promised = 0

    def __enter__(self) -> "RunReport":
        self._tell(Progress(PLANNING, 0, self.questions, self.subject))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._tell(Progress(STOPPED, self._tokens, self._expected, self.subject, self._rows))
        elif self._tokens < self._promised:  # what the last windows were expected to run was in the store
            self._expected = self._tokens
            self._scored()

    def planned(self) -> None:
        """One more question is tokenised."""
        self._planned += 1
        if self._planned % EVERY == 0 or self._planned == self.questions:
            self._tell(Progress(PLANNING, self._planned, self.questions, self.subject))
            if self._is_cancelled is not None and self._is_cancelled():
                raise Cancelled(f"stopped after {self._planned} questions were planned")

    def expect(self, tokens: int, *, later: int) -> None:
        """The tokens of this window, and how many the windows after it may have."""
        self._expected = self._tokens + tokens + later
        if tokens:
            self._scored()

    def ran(self, rows: int, tokens: int) -> None:
        """A batch is done."""
        self._rows += rows
        self._tokens += tokens
        self._scored()

    def _scored(self) -> None:
        self._promised = self._expected
        self._tell(Progress(SCORING, self._tokens, self._expected, self.subject, self._rows))


@contextmanager
def stop_reported(tell: ProgressCallback, subject: str) -> Iterator[None]:
    """Tell that the work stopped if it ends by an error, so that nobody goes on showing it."""
    try:
        yield
    except BaseException:
        tell(Progress(STOPPED, 0, 0, subject))
        raise
