"""Output formats: one file each with a function `render(results) -> str`; the file's name is its name."""

from collections.abc import Callable, Sequence
from pkgutil import iter_modules

from equipoise.errors import UserError
from equipoise.plugins import Index
from equipoise.report.gate.rules import Rule
from equipoise.results import Result


def own_formats() -> dict[str, str]:
    """The modules of this folder by the name of their format."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name.replace("_", "-"): f"{__name__}.{name}:render" for name in names}


EXPORTS = Index("exports", own_formats())
"""The modules of this folder and the formats of installed packages."""


def format_names() -> list[str]:
    """The names of the output formats."""
    return list(EXPORTS)


READS_RULES = ("bias-scenarios",)


def export(results: Sequence[Result], format_name: str, rules: Sequence[Rule] = ()) -> str:
    """The results in a named format; `rules` are for the formats that judge by them."""
    render: Callable[..., str] = EXPORTS.load(format_name, "output format")
    if not rules:
        return render(results)
    if format_name not in READS_RULES:
        raise UserError(
            f"The format {format_name} reads no rules.", f"Leave them out, or use {', '.join(READS_RULES)}."
        )
    return render(results, rules)
