"""Work shared by several processes, here or on a cluster: results in order, few items under way at once."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from equipoise.cluster import AHEAD, Crew
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
    address: str = "",
) -> Iterator[Result]:
    """Every result, in the order of the items; each process begins with `start(*given)`.

    With an address the processes are workers of the Ray cluster there, 0 for all that it has.
    """
    if address:
        yield from _on_cluster(items, partial(_begun, start, given, work), Crew(address, processes))
        return
    queue = iter(items)
    try:
        with ProcessPoolExecutor(processes, initializer=start, initargs=given) as pool:
            waiting: deque[Future[Result]] = deque()
            for item in islice(queue, processes * 2):
                waiting.append(pool.submit(work, item))
            while waiting:
                result = waiting.popleft().result()
                for following in islice(queue, 1):
                    waiting.append(pool.submit(work, following))
                yield result
    except BrokenProcessPool as error:
        raise UserError(
            "A process was ended from outside, as happens when memory runs out.",
            "Run the same command again to resume; --processes 1 needs least memory.",
        ) from error


WINDOW = 64
"""Items at most between the first unfinished one and the last one begun: those are what is held in memory."""


def _on_cluster(
    items: Iterable[Item], begin: Callable[[], Callable[[Item], Result]], crew: Crew
) -> Iterator[Result]:
    crew.open(begin)
    done: dict[int, Result] = {}
    following = 0
    finished = crew.run(items, window=max(WINDOW, 2 * AHEAD * crew.size()))
    try:
        for number, result in finished:
            done[number] = result
            while following in done:
                yield done.pop(following)
                following += 1
    finally:
        finished.close()
        crew.close()


def _begun(
    start: Callable[..., None], given: tuple[Any, ...], work: Callable[[Item], Result]
) -> Callable[[Item], Result]:
    """What a worker of a cluster does once, and the work that it does then."""
    start(*given)
    return work
