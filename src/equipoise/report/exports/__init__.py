"""Output formats: one file each with a function `render(results) -> str`; the file's name is its name."""

from collections.abc import Callable, Sequence
from pkgutil import iter_modules

from equipoise.plugins import Index
from equipoise.results import Result

Render = Callable[[Sequence[Result]], str]

EXPORTS = Index(
    "exports",
    {
        module.name.replace("_", "-"): f"{__name__}.{module.name}:render"
        for module in sorted(iter_modules(__path__), key=lambda one: one.name)
    },
)
"""The modules of this folder and the formats of installed packages."""


def format_names() -> list[str]:
    """The names of the output formats."""
    return list(EXPORTS)


def export(results: Sequence[Result], format_name: str) -> str:
    """The results in a named format."""
    render: Render = EXPORTS.load(format_name, "output format")
    return render(results)
