"""Two batches at the same time, each in a lane of its own on half of the processor's threads.

All threads on one batch wait for the slowest of them after every operation; lanes never wait for each other,
and one reads its answers while the other multiplies. On two cores that is a tenth faster.
"""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from queue import SimpleQueue
from typing import TypeVar

import torch

LANES = 2

Item = TypeVar("Item")
Done = TypeVar("Done")


def lanes_on(device: torch.device) -> int:
    """How many batches to run at the same time there; none of its threads may be left without one."""
    return LANES if device.type == "cpu" and torch.get_num_threads() % LANES == 0 else 1


def side_by_side(
    workers: Sequence[Callable[[Item], Done]], items: Sequence[Item]
) -> Generator[Done, None, None]:
    """What the workers make of the items, each as soon as it is finished; one worker needs no lane."""
    if len(workers) == 1:
        yield from map(workers[0], items)
    else:
        yield from _in_lanes(workers, items)


def _in_lanes(
    workers: Sequence[Callable[[Item], Done]], items: Sequence[Item]
) -> Generator[Done, None, None]:
    """Whatever stops the caller, items begun are finished first: what a worker keeps of its work is kept."""
    threads = torch.get_num_threads()
    free: SimpleQueue[Callable[[Item], Done]] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def work(item: Item) -> Done:
        worker = free.get()
        try:
            return worker(item)
        finally:
            free.put(worker)

    share = threads // len(workers)
    pool = ThreadPoolExecutor(len(workers), initializer=torch.set_num_threads, initargs=(share,))
    try:
        for done in as_completed([pool.submit(work, item) for item in items]):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)  # what a lane set would hold for threads begun later
