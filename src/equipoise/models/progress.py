"""How far a run has come, told to whoever wants to know; nothing is drawn here."""

from collections.abc import Callable
from dataclasses import dataclass

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
