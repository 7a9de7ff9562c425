"""The batches of a plan on a Ray cluster: workers hold the model, the driver keeps plan, order and store."""

import pickle
from collections.abc import Callable, Generator
from functools import partial

import torch

from equipoise.cluster import Crew
from equipoise.errors import UserError
from equipoise.models.engine.engine import Job, Keep
from equipoise.models.engine.forward import Forward, answer_batch
from equipoise.models.engine.local import LANES
from equipoise.models.engine.plan import Answered, Batch
from equipoise.models.options import RunOptions


class RayExecutor:
    """Runs the batches on the workers of a Ray cluster; `address` names it, or `local` starts one here."""

    def __init__(self, options: RunOptions) -> None:
        self.crew = Crew(options.address, options.workers)
        self._fingerprint = ""
        self._keep: Keep | None = None

    def open(self, fingerprint: str, forward: Forward, keep: Keep) -> None:
        """Send the model to the cluster once; every machine fetches it from there."""
        try:
            self.crew.open(partial(_answering, forward))
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UserError(
                f"This model cannot be sent to a cluster: {error}.",
                "Remove hooks and replaced functions from the network, or run it on this machine.",
            ) from error
        self._fingerprint, self._keep = fingerprint, keep

    def lanes(self) -> int:
        """As on one machine: batches do not get smaller when the cluster grows."""
        return LANES

    def run(self, job: Job) -> Generator[list[Answered], None, None]:
        """Run every batch once, on whichever worker is free."""
        if job.fingerprint != self._fingerprint or self._keep is None:
            raise ValueError(f"the model {job.fingerprint[:8]} is not open")
        done = self.crew.run(job.batches, keep=self._keep)
        try:
            for _number, answered in done:
                yield answered
        finally:
            done.close()

    def close(self) -> None:
        """Let go of the workers; a cluster that was started here ends with this process."""
        self.crew.close()


def _answering(forward: Forward) -> Callable[[Batch], list[Answered]]:
    """What a worker answers batches with: each worker is one processor of its machine."""
    torch.set_num_threads(1)
    return partial(answer_batch, forward)
