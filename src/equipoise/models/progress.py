"""How far a run has come, told to whoever wants to know; nothing is drawn here."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from equipoise.errors import Cancelled

LOADING = "loading"
PLANNING = "planning"
SCORING = "scoring"
READING = "reading"
TRAINING = "training"
STOPPED = "stopped"
"""The phases of a run. `stopped` is the last thing said of a run that an error or a caller ended early."""


@dataclass(frozen=True)
class Progress:
    """How much of a phase is done: steps of loading, questions planned, tokens scored, bytes read.

    Scoring counts tokens, because long rows come first and a count of rows would promise too long a wait.
    `subject` is the model at work and `rows` how many rows have been scored.
    """

    phase: str
    done: int
    total: int
    subject: str = ""
    rows: int = 0

    @property
    def is_finished(self) -> bool:
        """Whether nothing of the phase is left to do."""
        return self.phase == STOPPED or self.done >= self.total


ProgressCallback = Callable[[Progress], None]


def unheard(_progress: Progress) -> None:
    """The callback of a run that nobody watches."""


EVERY = 200
"""Questions planned between two reports, a few milliseconds' work."""


class RunReport:
    """Counts questions planned and tokens scored, and tells the callback."""

    def __init__(
        self,
        subject: str,
        questions: int,
        tell: ProgressCallback | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.subject = subject
        self.questions = questions
        self._tell = tell or unheard
        self._is_cancelled = is_cancelled
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
