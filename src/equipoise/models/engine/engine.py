"""Running rows: deduplicated, in length buckets, the head on asked positions only, finished answers kept."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from threading import Lock, get_ident

from equipoise.errors import Cancelled, UserError
from equipoise.models.engine.executors import Executor, Job, find_executor
from equipoise.models.engine.forward import Forward
from equipoise.models.engine.plan import Batch, Plan, make_plan, make_plans, tokens_in
from equipoise.models.engine.rows import Row, RowAnswer
from equipoise.models.engine.store import AnswerStore
from equipoise.models.neural.network import Network

SAMPLE = 64
"""Rows kept of those that were run, at most; on them the deviation from fp32 is measured."""

Report = Callable[[int, int], None]
"""Told after every batch how many rows and how many tokens it had."""


class Engine:
    """Answers rows from the store where it can, from the network where it must."""

    def __init__(
        self,
        network: Network,
        store: AnswerStore,
        *,
        padding_id: int,
        budget: int,
        executor: Executor | None = None,
    ) -> None:
        self.network = network
        self.store = store
        self.padding_id = padding_id
        self.budget = budget
        self.executor = executor or find_executor("local")
        self.rows_run = 0
        self.passes = 0
        self.sample: list[Row] = []
        self._turn = Lock()
        self._running = 0

    @property
    def forward(self) -> Forward:
        """What answers a batch."""
        return Forward(self.network, self.padding_id)

    def prepare(self, rows: Sequence[Row]) -> Plan:
        """What the store answers already and which batches are still to run."""
        lanes = self.executor.lanes(self.network.device)
        return make_plan(rows, self.store, budget=self.budget, lanes=lanes)

    def prepare_in_turn(self, parts: Sequence[Sequence[Row]]) -> list[Plan]:
        """A plan for each part, to be run in this order; no row is run twice."""
        lanes = self.executor.lanes(self.network.device)
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
        job = Job(self.forward, plan.open_batches, self.store.write)
        tokens = {batch[0][0]: tokens_in(batch) for batch in plan.open_batches}
        with self._taking_turns(), closing(self.executor.run(job)) as answered:
            for pairs in answered:
                plan.known.update(pairs)
                self.rows_run += len(pairs)
                self.passes += 1
                if report is not None:
                    report(len(pairs), tokens[pairs[0][0]])
                if is_cancelled is not None and is_cancelled():
                    raise Cancelled(f"stopped after {self.rows_run} rows; their answers are kept")
            self._keep_sample(plan.open_batches)
        return [plan.known[key] for key in plan.keys]

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
