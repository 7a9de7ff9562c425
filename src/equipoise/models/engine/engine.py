"""Run rows: each once, in batches of similar length, on the executor that is chosen; keep every answer."""

import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import Lock, get_ident
from typing import Protocol

from equipoise.errors import Cancelled, UserError
from equipoise.models.engine.forward import Forward
from equipoise.models.engine.plan import (
    Answered,
    Batch,
    Plan,
    make_plan,
    make_plans,
    still_open,
    tokens_in,
)
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore
from equipoise.models.options import RunOptions
from equipoise.plugins import Index

SAMPLE = 64
"""Rows kept of those that were run, at most; on them the deviation from fp32 is measured."""

Report = Callable[[int, int], None]
"""Told after every batch how many rows and how many tokens it had."""


Keep = Callable[[list[Answered]], None]
"""Stores the answers of a batch."""


@dataclass(frozen=True)
class Job:
    """The batches to run and the fingerprint of the model that answers them: plain data."""

    fingerprint: str
    batches: tuple[Batch, ...]


class Executor(Protocol):
    """Takes planned batches and yields answered ones, in any order.

    A batch's answers are kept before they are yielded. Closing the generator early ends the work: batches
    begun are finished and kept, no other is begun.
    """

    def open(self, fingerprint: str, forward: Forward, keep: Keep) -> None:
        """Make a model ready under the fingerprint that jobs name it by, in place of any other."""

    def lanes(self) -> int:
        """How many batches of the open model run at once: they share the token budget."""

    def run(self, job: Job) -> Generator[list[Answered], None, None]:
        """Run every batch once."""

    def close(self) -> None:
        """Let go of the model and of whatever was started for it."""


EXECUTORS = Index(
    "executors",
    {
        "local": "equipoise.models.engine.local:LocalExecutor",
        "ray": "equipoise.models.engine.cluster:RayExecutor",
    },
    "executor",
)
"""Where each executor is defined, by name; its class takes the run options."""


def find_executor(options: RunOptions) -> Executor:
    """The executor that the options name, not yet open."""
    executor: Executor = EXECUTORS.load(options.executor)(options)
    return executor


class Engine:
    """Answers rows from the store where it can, from the network where it must."""

    def __init__(
        self,
        forward: Forward,
        store: AnswerStore[RowAnswer],
        *,
        fingerprint: str,
        budget: int,
        executor: Executor,
    ) -> None:
        self.budget = budget
        self.executor = executor
        self.rows_run = 0
        self.passes = 0
        self.sample: list[Row] = []
        self._turn = Lock()
        self._running = 0
        self.open(forward, store, fingerprint)
        weakref.finalize(self, self.executor.close)

    def open(self, forward: Forward, store: AnswerStore[RowAnswer], fingerprint: str) -> None:
        """Answer with this network and store from now on."""
        self.forward, self.store, self.fingerprint = forward, store, fingerprint
        self.executor.open(fingerprint, forward, store.write)

    def prepare(self, rows: Sequence[Row]) -> Plan:
        """What the store answers already and which batches are still to run."""
        lanes = self.executor.lanes()
        return make_plan(rows, self.store, budget=self.budget, lanes=lanes)

    def prepare_in_turn(self, parts: Sequence[Sequence[Row]]) -> list[Plan]:
        """A plan for each part, to be run in this order; no row is run twice."""
        lanes = self.executor.lanes()
        return make_plans(parts, self.store, budget=self.budget, lanes=lanes)

    def run(
        self,
        plan: Plan,
        report: Report | None = None,
        is_cancelled: Callable[[], bool] | None = None,
    ) -> list[RowAnswer]:
        """One answer per row that was planned, in the order given; threads that ask at once take turns."""
        if self._running == get_ident():
            raise UserError(
                "The model was asked while it was answering, by its own progress callback.",
                "Ask it when the run is done, or ask another model object.",
            )
        with self._taking_turns():
            batches = still_open(plan, self.store)
            job = Job(self.fingerprint, tuple(batches))
            self._run(job, plan, report, is_cancelled)
            self._keep_sample(batches)
        return [plan.known[key] for key in plan.keys]

    def _run(
        self, job: Job, plan: Plan, report: Report | None, is_cancelled: Callable[[], bool] | None
    ) -> None:
        tokens = {batch[0][0]: tokens_in(batch) for batch in job.batches}
        with closing(self.executor.run(job)) as answered:
            for pairs in answered:
                plan.known.update(pairs)
                self.rows_run += len(pairs)
                self.passes += 1
                if report is not None:
                    report(len(pairs), tokens[pairs[0][0]])
                if is_cancelled is not None and is_cancelled():
                    raise Cancelled(f"stopped after {self.rows_run} rows; their answers are kept")

    @contextmanager
    def _taking_turns(self) -> Iterator[None]:
        with self._turn:
            self._running = get_ident()
            try:
                yield
            finally:
                self._running = 0

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """Run rows of one mode in one forward pass, without the store."""
        return self.forward.compute(rows)

    def _keep_sample(self, run: list[Batch]) -> None:
        """One row of every batch, thinned out evenly when there are many."""
        self.sample += [batch[0][1] for batch in run]
        while len(self.sample) > SAMPLE:
            del self.sample[::2]
