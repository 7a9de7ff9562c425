"""Running rows: deduplicated, in length buckets, the head on asked positions only, finished answers kept."""

import copy
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from threading import Lock

import torch

from equipoise.errors import UserError
from equipoise.models.engine.allocator import give_back
from equipoise.models.engine.lanes import lanes_on, side_by_side
from equipoise.models.engine.network import Network
from equipoise.models.engine.places import Place, find_places, pad, read_asked, read_tops
from equipoise.models.engine.rows import Row, RowAnswer, batches, merge, tokens_in
from equipoise.models.engine.store import AnswerStore
from equipoise.progress import Progress

TOKEN_BUDGET = 2048
"""Tokens on their way at once: enough to keep two cores busy, little enough to stay in cache."""

LEAST_BUDGET = 256
"""Tokens per forward pass below which lanes gain nothing over all threads on one batch."""

SAMPLE = 64
"""Rows kept of those that were run, at most; on them the deviation from fp32 is measured."""

Pair = tuple[bytes, Row]
Answered = tuple[bytes, RowAnswer]


@dataclass(frozen=True)
class Plan:
    """The keys of the rows asked, the answers found, the ones that fall short, the batches still to run."""

    keys: list[bytes]
    found: dict[bytes, RowAnswer]
    older: dict[bytes, RowAnswer]
    open_batches: list[list[Pair]]

    @property
    def open_rows(self) -> int:
        """How many distinct rows are still to run."""
        return sum(len(batch) for batch in self.open_batches)


class Engine:
    """Answers rows from the store where it can, from the network where it must."""

    def __init__(
        self, network: Network, store: AnswerStore, *, padding_id: int, budget: int = TOKEN_BUDGET
    ) -> None:
        self.network = network
        self.store = store
        self.padding_id = padding_id
        self.budget = budget
        self.rows_run = 0
        self.sample: list[Row] = []
        self._turn = Lock()

    def prepare(self, rows: Sequence[Row]) -> Plan:
        """What the store answers already and which batches are still to run.

        A batch is committed whole, so a resumed run repeats the very batches that the killed one would have
        run. Rows left over from batches that another plan answered in part are packed anew.
        """
        distinct = merge(rows)
        stored = self.store.read(list(distinct))
        found = {key: answer for key, answer in stored.items() if answer.covers(distinct[key])}
        waiting: list[list[Pair]] = []
        remainder: list[Pair] = []
        budget = self._budget_per_pass(distinct.values())
        for batch in batches(list(distinct.items()), budget):
            left = [pair for pair in batch if pair[0] not in found]
            if len(left) == len(batch):
                waiting.append(batch)
            else:
                remainder.extend(left)
        older = {key: answer for key, answer in stored.items() if key not in found}
        open_batches = waiting + batches(remainder, budget)
        open_batches.sort(key=tokens_in, reverse=True)  # the small ones fill the end of the shorter lane
        return Plan([row.key for row in rows], found, older, open_batches)

    def run(self, plan: Plan, progress: Progress) -> list[RowAnswer]:
        """One answer per row that was planned, in the order given; threads that ask at once take turns."""
        with self._turn, closing(side_by_side(self._workers(plan), plan.open_batches)) as finished:
            for pairs in finished:
                plan.found.update(pairs)
                self.rows_run += len(pairs)
                progress.advance(len(pairs))
            self._keep_sample(plan.open_batches)
        return [plan.found[key] for key in plan.keys]

    def run_batch(self, batch: list[Pair], older: dict[bytes, RowAnswer]) -> list[Answered]:
        """Run a batch and store its answers; on out-of-memory run its halves."""
        try:
            answers = self.compute([row for _, row in batch])
        except (RuntimeError, MemoryError) as error:
            if not _is_out_of_memory(error):
                raise
            if len(batch) == 1:
                raise UserError(
                    f"A single row of {len(batch[0][1].ids)} tokens does not fit in memory.",
                    "Free memory, use a smaller model, or shorten the sentence.",
                ) from error
            middle = len(batch) // 2
            halves = (batch[:middle], batch[middle:])
            return [pair for half in halves for pair in self.run_batch(half, older)]
        pairs = [(key, new.joined(older.get(key))) for (key, _), new in zip(batch, answers, strict=True)]
        self.store.write(pairs)
        give_back()
        return pairs

    def _workers(self, plan: Plan) -> list[Callable[[list[Pair]], list[Answered]]]:
        """One for every lane: this engine, and others on the same weights with modules of their own."""
        lanes = [self]
        for _ in range(min(len(plan.open_batches), lanes_on(self.network.device)) - 1):
            lane = copy.copy(self)
            lane.network = self.network.sibling()
            lanes.append(lane)
        return [partial(lane.run_batch, older=plan.older) for lane in lanes]

    def _budget_per_pass(self, rows: Collection[Row]) -> int:
        """A lane's part of the budget; less where there are too few rows to keep every lane busy."""
        lanes = lanes_on(self.network.device)
        most = self.budget // lanes
        fair = sum(len(row.ids) for row in rows) // (2 * lanes)
        return min(most, fair) if lanes > 1 and fair >= LEAST_BUDGET else most

    def _keep_sample(self, run: list[list[Pair]]) -> None:
        """One row of every batch, thinned out evenly when there are many."""
        self.sample += [batch[0][1] for batch in run]
        while len(self.sample) > SAMPLE:
            del self.sample[::2]

    def compute(self, rows: list[Row]) -> list[RowAnswer]:
        """Run rows of one mode in one forward pass, without the store."""
        ids, attention = pad(rows, self.padding_id, self.network.device)
        if rows[0].vector is not None:
            return self._vectors(rows, ids, attention)
        answers = self._logprobs(rows, ids, attention)
        if rows[0].weighed:
            for row, answer, weights in zip(
                rows, answers, self.network.attended(ids, attention).tolist(), strict=True
            ):
                answer.weights = weights[: len(row.ids)]
        return answers

    def _vectors(self, rows: list[Row], ids: torch.Tensor, attention: torch.Tensor | None) -> list[RowAnswer]:
        """The mean hidden state over each row's positions, at the layer that all rows share."""
        specs = [row.vector for row in rows if row.vector is not None]
        states = self.network.layer(ids, attention, specs[0].layer)
        return [
            RowAnswer(vector=states[number, list(spec.positions)].mean(dim=0).cpu().numpy())
            for number, spec in enumerate(specs)
        ]

    def _logprobs(
        self, rows: list[Row], ids: torch.Tensor, attention: torch.Tensor | None
    ) -> list[RowAnswer]:
        """Log P of the asked ids, normalised over the vocabulary at their own position."""
        answers = [RowAnswer() for _ in rows]
        places = find_places(rows)
        waiting = iter(places)
        for logits in self._logits_at(places, ids, attention):
            here = list(islice(waiting, len(logits)))
            read_asked(answers, here, logits)
            read_tops(answers, here, logits)
        return answers

    def _logits_at(
        self, places: list[Place], ids: torch.Tensor, attention: torch.Tensor | None
    ) -> Iterator[torch.Tensor]:
        """Logits at the places, in chunks; at every position only for a family that does not split."""
        numbers = torch.tensor([place.row for place in places], device=ids.device)
        positions = torch.tensor([place.position for place in places], device=ids.device)
        if self.network.splits:
            yield from self.network.logits(self.network.hidden_at(ids, attention, (numbers, positions)))
        else:
            yield self.network.whole(ids, attention)[numbers, positions]


def _is_out_of_memory(error: BaseException) -> bool:
    """Torch says it in several ways, depending on the device and on who failed to allocate."""
    text = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(
        words in text for words in ("out of memory", "can't allocate memory", "not enough memory")
    )
