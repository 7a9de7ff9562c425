"""Executors: what runs the batches of a plan, looked up by name."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Protocol

import torch

from equipoise.models.engine.forward import Forward
from equipoise.models.engine.plan import Answered, Batch
from equipoise.plugins import Index


@dataclass(frozen=True)
class Job:
    """The batches to run, what answers one, and what must be called with its answers when it has."""

    forward: Forward
    batches: list[Batch]
    keep: Callable[[list[Answered]], None]


class Executor(Protocol):
    """Takes planned batches and yields answered ones, in any order.

    A batch's answers are kept before they are yielded. Closing the generator early ends the work: batches
    begun are finished and kept, no other is begun.
    """

    def lanes(self, device: torch.device) -> int:
        """How many batches are on their way at once: they share the token budget."""

    def run(self, job: Job) -> Generator[list[Answered], None, None]:
        """Run every batch once."""


EXECUTORS = Index("executors", {"local": "equipoise.models.engine.local:LocalExecutor"})
"""Where each executor is defined, by name."""


def find_executor(name: str) -> Executor:
    """The executor of a name."""
    executor: Executor = EXECUTORS.load(name, "executor")()
    return executor
