"""Writes constraints.txt from what is installed: `make newest`."""

from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

HEAD = """\
# What `make test` last passed with, so that a release elsewhere cannot break a clean clone.
# Users are bound by pyproject.toml only; `make newest` tries the newest of everything and writes this anew.
"""
LEFT_OUT = {"equipoise", "pip", "setuptools", "torch"}
"""What this project is, what installs it, and PyTorch, whose CPU build the Makefile names."""


def constraints(versions: Iterable[tuple[str, str]]) -> str:
    """One line a package; releases of today may not exist for a Python older than 3.11."""
    kept = sorted({(name.lower(), version) for name, version in versions})
    lines = [f"{name}=={version}; python_version >= '3.11'" for name, version in kept if name not in LEFT_OUT]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    installed = ((package.metadata["Name"], package.version) for package in distributions())
    Path("constraints.txt").write_text(constraints(installed), encoding="utf-8")
