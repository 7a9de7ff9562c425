"""The executor of this machine: batches side by side in lanes on a processor, one by one on a card."""

from collections.abc import Callable, Generator
from functools import partial

import torch

from equipoise.models.engine.allocator import give_back
from equipoise.models.engine.executors import Job
from equipoise.models.engine.forward import Forward
from equipoise.models.engine.lanes import lanes_on, side_by_side
from equipoise.models.engine.plan import Answered, Batch


class LocalExecutor:
    """Runs batches in this process."""

    def lanes(self, device: torch.device) -> int:
        """How many batches are on their way at once."""
        return lanes_on(device)

    def run(self, job: Job) -> Generator[list[Answered], None, None]:
        """Run every batch once, each lane on modules of its own that share the weights."""
        count = min(len(job.batches), self.lanes(job.forward.network.device))
        forwards = [job.forward, *(job.forward.sibling() for _ in range(count - 1))]
        workers = [partial(_answer_and_keep, forward, job.keep) for forward in forwards]
        yield from side_by_side(workers, job.batches)


def _answer_and_keep(
    forward: Forward, keep: Callable[[list[Answered]], None], batch: Batch
) -> list[Answered]:
    answered = forward.answer(batch)
    keep(answered)
    give_back()
    return answered
