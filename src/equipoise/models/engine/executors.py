"""Executors: what runs the batches of a plan, looked up by name."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

from equipoise.models.engine.forward import Forward
from equipoise.models.engine.plan import Answered, Batch
from equipoise.models.options import RunOptions
from equipoise.plugins import Index

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
