"""Giving freed memory back, so that the peak does not grow with the number of batches."""

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Return freed memory to the system, where the C library can.

    Batches differ in shape, so what one frees does not fit the next: glibc keeps the holes and asks for more.
    """
    _trim()(0)


@cache
def _trim() -> Callable[[int], object]:
    if sys.platform != "linux":
        return lambda _padding: None
    found: Callable[[int], object] = getattr(ctypes.CDLL(None), "malloc_trim", lambda _padding: None)
    return found
