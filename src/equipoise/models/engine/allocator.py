"""Giving freed memory back, so that the peak does not grow with the number of batches."""

import ctypes
import sys
import time
from collections.abc import Callable
from functools import cache

PAUSE = 2.0
"""Seconds between two returns: fetching the pages anew after every batch takes three per cent of the time."""


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
