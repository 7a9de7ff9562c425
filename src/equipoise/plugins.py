"""Indexes of names: ours and, through entry points, those of installed packages.

What a name stands for is imported when it is asked for. A package adds a name with an entry point of the
group `equipoise.instruments`, `.mitigations`, `.exports`, `.models` or `.data`: docs/extending.md shows one.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from inspect import cleandoc
from typing import Any

from equipoise.errors import UserError, unknown_name

PREFIX = "equipoise."


@dataclass(frozen=True)
class Index(Mapping[str, str]):
    """Names to `module:object`, ours first; `kind` is the last part of the entry points' group.

    `what` says in an error what the names are of; `make` makes what is used of the object, and may refuse it.
    """

    kind: str
    ours: Mapping[str, str]
    what: str
    make: Callable[[Any], Any] = field(default=lambda given: given)
    problems: dict[str, str] = field(default_factory=dict)
    """Why a name of an installed package could not be used."""

    @cached_property
    def _others(self) -> dict[str, tuple[str, str]]:
        """List the names that installed packages offer, with their places; a name of ours wins."""
        others: dict[str, tuple[str, str]] = {}
        points = [(one, one.dist.name if one.dist else "") for one in entry_points(group=PREFIX + self.kind)]
        for point, package in sorted(points, key=lambda one: (one[0].name, one[1])):
            if point.name in self.ours:
                self.problems[f"{point.name} ({package})"] = "the name is taken by Equipoise"
            elif point.name in others:
                first = others[point.name][1]
                self.problems[f"{point.name} ({package})"] = f"the name is taken by {first}"
            else:
                others[point.name] = (point.value, package)
        return others

    def __getitem__(self, name: str) -> str:
        return self.ours[name] if name in self.ours else self._others[name][0]

    def __contains__(self, name: object) -> bool:
        return name in self.ours or name in self._others

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self._others

    def __len__(self) -> int:
        return len(self.ours) + len(self._others)

    def load(self, name: str) -> Any:
        """What a name stands for."""
        if name not in self:
            raise unknown_name(self.what, name, self)
        module, _, wanted = self[name].partition(":")
        if name in self.ours:
            return self.make(getattr(import_module(module), wanted))
        package = self._others[name][1]
        try:
            return self.make(getattr(import_module(module), wanted))
        # A package of someone else may raise anything at all, and must not stop what it has no part in.
        except Exception as error:
            said = error.message if isinstance(error, UserError) else repr(error)
            self.problems[f"{name} ({package})"] = f"it cannot be loaded: {said}"
            raise UserError(
                f"The {self.what} {name!r} of the package {package} cannot be loaded: {said.rstrip('.')}.",
                f"Update or uninstall {package}; everything else works without it.",
            ) from error

    def usable(self) -> list[str]:
        """Our names, and those of packages that can be loaded; `problems` says why others cannot."""
        names = list(self.ours)
        for name in self._others:
            try:
                self.load(name)
            except UserError:
                continue
            names.append(name)
        return names


def card_of(chosen: type[Any]) -> str:
    """The card of a class: the docstring of its module, or its own where it was made in a session."""
    module = None if chosen.__module__ == "__main__" else import_module(chosen.__module__).__doc__
    return cleandoc(module or chosen.__doc__ or "")
