"""The plan: what the store answers already, and the batches that are still to run."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from equipoise.models.engine.rows import Row, RowAnswer, merge
from equipoise.models.engine.store import AnswerStore

LEAST_BUDGET = 256
"""Tokens per forward pass below which lanes gain nothing over all threads on one batch."""

Batch = list[tuple[bytes, Row]]
Answered = tuple[bytes, RowAnswer]


@dataclass(frozen=True)
class Plan:
    """The keys of the rows asked, the answers known, the batches still to run."""

    keys: list[bytes]
    known: dict[bytes, RowAnswer]
    open_batches: list[Batch]

    @property
    def open_rows(self) -> int:
        """How many distinct rows are still to run."""
        return sum(len(batch) for batch in self.open_batches)

    @property
    def open_tokens(self) -> int:
        """How many tokens are still to run, padding included."""
        return sum(tokens_in(batch) for batch in self.open_batches)


def make_plan(rows: Sequence[Row], store: AnswerStore, *, budget: int, lanes: int) -> Plan:
    """What the store answers already and which batches are still to run.

    A batch is committed whole, so a resumed run repeats the very batches that the killed one would have
    run. Rows left over from batches that another plan answered in part are packed anew.
    """
    distinct = merge(rows)
    stored = store.read(list(distinct))
    known = {key: answer for key, answer in stored.items() if answer.covers(distinct[key])}
    waiting: list[Batch] = []
    remainder: Batch = []
    per_pass = budget_per_pass(distinct.values(), budget, lanes)
    for batch in batches(list(distinct.items()), per_pass):
        left = [pair for pair in batch if pair[0] not in known]
        if len(left) == len(batch):
            waiting.append(batch)
        else:
            remainder.extend(left)
    open_batches = waiting + batches(remainder, per_pass)
    open_batches.sort(key=tokens_in, reverse=True)  # the small ones fill the end of the shorter lane
    return Plan([row.key for row in rows], known, open_batches)


def budget_per_pass(rows: Collection[Row], budget: int, lanes: int) -> int:
    """A lane's part of the budget; less where there are too few rows to keep every lane busy."""
    most = budget // lanes
    fair = sum(len(row.ids) for row in rows) // (2 * lanes)
    return min(most, fair) if lanes > 1 and fair >= LEAST_BUDGET else most


def batches(rows: Sequence[tuple[bytes, Row]], budget: int) -> list[Batch]:
    """Batches of one mode and nearly one length under a token budget, longest first.

    A batch that is already half full ends where the length changes, so that most batches need no padding.
    The order depends on the rows alone: a run that is resumed forms the same batches again.
    """
    ordered = sorted(rows, key=lambda pair: (pair[1].mode, -len(pair[1].ids), pair[0]))
    packed: list[Batch] = []
    for pair in ordered:
        current = packed[-1] if packed else None
        if current is None or not _fits(current, pair[1], budget):
            packed.append([pair])
        else:
            current.append(pair)
    return packed


def tokens_in(batch: Sequence[tuple[bytes, Row]]) -> int:
    """How many tokens a batch runs, padding included."""
    return len(batch) * max(len(row.ids) for _, row in batch)


def _fits(batch: Batch, row: Row, budget: int) -> bool:
    first = batch[0][1]
    longest = len(first.ids)
    if first.mode != row.mode or longest * (len(batch) + 1) > budget:
        return False
    return len(row.ids) == longest or longest * len(batch) < budget // 2
