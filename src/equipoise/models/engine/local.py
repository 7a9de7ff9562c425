"""This machine: two batches at the same time, each in a lane of its own on half of the processor's threads.

All threads on one batch wait for the slowest of them after every operation; lanes never wait for each other,
and one reads its answers while the other multiplies. On two cores that is a tenth faster. Freed memory goes
back to the system, so that the peak does not grow with the number of batches.
"""

import ctypes
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from functools import cache, partial
from queue import SimpleQueue
from typing import TypeVar

import torch

from equipoise.models.engine.engine import Job, Keep
from equipoise.models.engine.forward import Forward, answer_batch
from equipoise.models.engine.plan import Answered, Batch
from equipoise.models.options import RunOptions

LANES = 2

Item = TypeVar("Item")
Done = TypeVar("Done")

_setting = threading.Lock()
"""Held while lanes set their number of threads, which for that moment is every new thread's number too."""

PAUSE = 2.0
"""Seconds between two returns: fetching the pages anew after every batch takes three per cent of the time."""


class LocalExecutor:
    """Runs the batches here, in one lane or two."""

    def __init__(self, options: RunOptions) -> None:
        self.workers = options.workers
        self._fingerprint = ""
        self._forward: Forward | None = None
        self._keep: Keep = _kept_by_nobody

    def open(self, fingerprint: str, forward: Forward, keep: Keep) -> None:
        """Run the batches of this model from now on."""
        self._fingerprint, self._forward, self._keep = fingerprint, forward, keep

    def lanes(self) -> int:
        """The number of workers asked for, or what suits the processor."""
        return self.workers or (lanes_on(self._forward.device) if self._forward else 1)

    def run(self, job: Job) -> Generator[list[Answered], None, None]:
        """Run every batch once, each lane on modules of its own that share the weights."""
        forward = self._forward
        if forward is None or job.fingerprint != self._fingerprint:
            raise ValueError(f"the model {job.fingerprint[:8]} is not open")
        count = min(len(job.batches), self.lanes())
        forwards = [forward, *(forward.sibling() for _ in range(count - 1))]
        workers = [partial(_answer_and_keep, each, self._keep) for each in forwards]
        yield from side_by_side(workers, job.batches)

    def close(self) -> None:
        """Let go of the model."""
        self._forward, self._keep = None, _kept_by_nobody


def _kept_by_nobody(_answered: list[Answered]) -> None:
    """Before a model is open there is nothing to keep."""


def _answer_and_keep(forward: Forward, keep: Keep, batch: Batch) -> list[Answered]:
    answered = answer_batch(forward, batch)
    keep(answered)
    give_back()
    return answered


def lanes_on(device: torch.device) -> int:
    """How many batches to run at the same time there; none of its threads may be left without one."""
    return LANES if device.type == "cpu" and _threads() % LANES == 0 else 1


def _threads() -> int:
    """Return how many threads torch uses for one operation."""
    with _setting:
        return torch.get_num_threads()


def side_by_side(
    workers: Sequence[Callable[[Item], Done]], items: Sequence[Item]
) -> Generator[Done, None, None]:
    """Yield the workers' results as soon as each is finished. A single worker runs without a thread."""
    if len(workers) == 1:
        yield from map(workers[0], items)
    else:
        yield from _in_lanes(workers, items)


def _in_lanes(
    workers: Sequence[Callable[[Item], Done]], items: Sequence[Item]
) -> Generator[Done, None, None]:
    """Whatever stops the caller, items begun are finished first: what a worker keeps of its work is kept."""
    free: SimpleQueue[Callable[[Item], Done]] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def work(item: Item) -> Done:
        worker = free.get()
        try:
            return worker(item)
        finally:
            free.put(worker)

    pool = _open_lanes(len(workers))
    try:
        for done in as_completed([pool.submit(work, item) for item in items]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _open_lanes(count: int) -> ThreadPoolExecutor:
    """A pool of threads that each have their share of torch's threads.

    What a thread sets for itself is what threads begun later find, so all lanes are begun at once and the
    number is set back before anything else can see it: another model may be at work in this process.
    """
    with _setting:
        threads = torch.get_num_threads()
        pool = ThreadPoolExecutor(count, initializer=_take_threads, initargs=(threads // count,))
        begun = threading.Barrier(count)
        try:
            wait([pool.submit(begun.wait) for _ in range(count)])
        finally:
            torch.set_num_threads(threads)
    return pool


def _take_threads(count: int) -> None:
    """Set this thread's number; asking first makes it the thread's own, which later settings leave alone."""
    torch.get_num_threads()
    torch.set_num_threads(count)


class Allocator:
    """The C library's, which keeps what is freed unless it is told otherwise."""

    def __init__(self) -> None:
        self.returned = float("-inf")

    def give_back(self) -> None:
        """Return freed memory to the system, where the C library can and has not just done so.

        Batches differ in shape, so what one frees does not fit the next: glibc keeps the holes and asks on.
        """
        now = time.monotonic()
        if now - self.returned > PAUSE:
            self.returned = now
            _trim()(0)


give_back = Allocator().give_back


@cache
def _trim() -> Callable[[int], object]:
    if sys.platform != "linux":
        return lambda _padding: None
    give_back: Callable[[int], object] = getattr(ctypes.CDLL(None), "malloc_trim", lambda _padding: None)
    return give_back
