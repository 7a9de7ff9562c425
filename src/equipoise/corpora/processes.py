"""Work shared by several processes: results in order, with only a few items under way at once."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, TypeVar

from equipoise.errors import UserError

SHARE_BYTES = 1_000_000
"""Text that is worth a process of its own."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def suitable_processes(size: int) -> int:
    """Every core for so many bytes of text, but no more processes than have enough to do."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, size // SHARE_BYTES))


def shared(
    items: Iterable[Item],
    work: Callable[[Item], Result],
    processes: int,
    *,
    start: Callable[..., None],
    given: tuple[Any, ...],
) -> Iterator[tuple[Item, Result]]:
    """Every item with its result, in order; each process begins with `start(*given)`."""
    queue = iter(items)
    try:
        with ProcessPoolExecutor(processes, initializer=start, initargs=given) as pool:
            waiting: deque[tuple[Item, Future[Result]]] = deque()
            for item in islice(queue, processes * 2):
                waiting.append((item, pool.submit(work, item)))
            while waiting:
                item, future = waiting.popleft()
                result = future.result()
                for following in islice(queue, 1):
                    waiting.append((following, pool.submit(work, following)))
                yield item, result
    except BrokenProcessPool as error:
        raise UserError(
            "A process was ended from outside, as happens when memory runs out.",
            "Run the same command again to resume; --processes 1 needs least memory.",
        ) from error
