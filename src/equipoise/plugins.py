"""Indexes of names to `module:class`: a class is imported when its name is asked for."""

from collections.abc import Mapping
from importlib import import_module
from inspect import cleandoc
from typing import Any

from equipoise.errors import unknown_name

Index = Mapping[str, str]


def class_named(name: str, index: Index, what: str) -> type[Any]:
    """The class that an index lists under a name; `what` says in an error what the names are of."""
    if name not in index:
        raise unknown_name(what, name, index)
    module, kind = index[name].split(":")
    chosen: type[Any] = getattr(import_module(module), kind)
    return chosen


def card_of(chosen: type[Any]) -> str:
    """The card of a class: the docstring of its module, or its own where it was made in a session."""
    module = None if chosen.__module__ == "__main__" else import_module(chosen.__module__).__doc__
    return cleandoc(module or chosen.__doc__ or "")
