"""A failure to write what goes on where it stopped, explained."""

from contextlib import AbstractContextManager
from pathlib import Path

from equipoise.errors import explained_writing


def writing(*paths: Path) -> AbstractContextManager[None]:
    """Explains a failure to write one of these, which goes on where it stopped."""
    hint = "What is finished is kept: make room, and the same command goes on from there."
    return explained_writing(" or ".join(map(str, paths)), hint)
