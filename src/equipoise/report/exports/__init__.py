"""Output formats: one file each with a function `render(results) -> str`; the file's name is its name."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pkgutil import iter_modules

from equipoise.errors import unknown_name
from equipoise.results import Result

Render = Callable[[Sequence[Result]], str]


def format_names() -> list[str]:
    """The formats there are: the modules of this folder."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(__path__))


def export(results: Sequence[Result], format_name: str) -> str:
    """The results in a named format."""
    if format_name not in format_names():
        raise unknown_name("output format", format_name, format_names())
    render: Render = import_module(f"{__name__}.{format_name.replace('-', '_')}").render
    return render(results)
