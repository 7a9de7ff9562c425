"""How a model is run: every option in one object, and the progress that a run reports.

The command line's options are made from the object, so a new option is one line here. A field with a help
text can be offered on a command line; its flag is the field's name unless another is given. Progress is told
to whoever wants to know; nothing is drawn here.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any

from equipoise.choices import option
from equipoise.errors import Cancelled, UserError, unknown_name

LOADING = "loading"
PLANNING = "planning"
BUDGET = "budget"
SCORING = "scoring"
READING = "reading"
TRAINING = "training"
STOPPED = "stopped"
"""The phases of a run. `stopped` is the last thing said of a run that an error or a caller ended early."""


@dataclass(frozen=True)
class Progress:
    """How much of a phase is done: steps of loading, questions planned, tokens scored, bytes read.

    Scoring counts tokens, because long rows come first and a count of rows would promise too long a wait.
    `subject` is the model at work and `rows` how many rows have been scored. What `says` something is to be
    shown once, whatever else is: the budget of a run on a server.
    """

    phase: str
    done: int
    total: int
    subject: str = ""
    rows: int = 0
    says: str = ""

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


STARTS = ("auto", "bos", "none", "newline")
"""What a causal model may read before a text, so that its first word has a context too."""


@dataclass(frozen=True)
class RunOptions:
    """Precision, device and executor; what may be read and kept; who is told of progress and may cancel."""

    precision: str = option("fp32", "fp32 (exact) or bf16 (faster, if the processor supports it).")
    device: str = option("auto", "Where to run: cpu, cuda, cuda:1, mps, or auto for the fastest.")
    cache: bool = option(True, "Do not store answers for later runs.", flag="--no-cache")
    allow_pickle: bool = option(False, "Read pickled weights, which can run code.")
    executor: str = option("local", "What runs the batches: local (this machine) or ray (a cluster).")
    address: str = option("", "Ray cluster: HOST:PORT, or local to start one on this machine.")
    workers: int = option(0, "Batches to run at once; 0 chooses for the device.")
    token_budget: int = option(0, "Tokens per batch; 0 chooses for the device.")
    max_requests: int = option(0, "Requests to send to a server at most; 0 sets no limit.")
    price: float = option(0.0, "Price of a million tokens, to estimate what a server will cost.")
    start: str = option("auto", "What a causal model reads before a text: auto, bos, none or newline.")
    progress: ProgressCallback | None = None
    is_cancelled: Callable[[], bool] | None = None
    store: Path | str | None = None

    def __post_init__(self) -> None:
        for name in ("token_budget", "workers", "max_requests"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise UserError(
                    f"{name.replace('_', ' ')} is {value}, where a whole number of 0 or more is expected.",
                    "Give 0 for the default.",
                )
        if self.address and self.executor == "local":
            raise UserError(
                f"The executor 'local' was given the address {self.address!r}.",
                "It runs on this machine. Leave the address out, or choose --executor ray.",
            )
        if self.executor == "ray" and not self.address:
            raise UserError(
                "The executor 'ray' was given no address.",
                "Give --address HOST:PORT of your cluster, or --address local to start one on this machine.",
            )
        if not self.price >= 0:
            raise UserError(f"The price is {self.price}.", "Give the price of a million tokens, 0 or more.")
        if self.start not in STARTS:
            raise unknown_name("start of a text", self.start, STARTS)


def choose_options(options: RunOptions | None, choices: Mapping[str, Any]) -> RunOptions:
    """Options given as one object or one by one, by name; both at once is refused."""
    if not isinstance(options, RunOptions | None):
        raise UserError(
            f"A {type(options).__name__} was given as options.",
            'Give a RunOptions, or name them one by one: precision="fp32".',
        )
    known = [each.name for each in fields(RunOptions)]
    for name in choices:
        if name not in known:
            raise unknown_name("run option", name, known)
    if options is not None and choices:
        raise UserError(
            f"Options were given twice: as an object and as {', '.join(choices)}.",
            "Put them all into RunOptions, or name them one by one.",
        )
    return options or RunOptions(**choices)
