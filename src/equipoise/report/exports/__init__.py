"""Output formats: one file each, whose name is the format's.

Most have a function `render(results) -> str`. A format of `FOLDERS` has `files(results)`, texts by file name.
"""

from collections.abc import Callable, Mapping, Sequence
from pkgutil import iter_modules

from equipoise.errors import UserError
from equipoise.plugins import Index
from equipoise.report.gate.rules import Rule
from equipoise.results import Result

FOLDERS = ("lm-eval",)
READS_RULES = ("bias-scenarios",)


def own_formats() -> dict[str, str]:
    """The modules of this folder by the name of their format."""
    names = sorted(module.name.replace("_", "-") for module in iter_modules(__path__))
    makers = {name: "files" if name in FOLDERS else "render" for name in names}
    return {name: f"{__name__}.{name.replace('-', '_')}:{maker}" for name, maker in makers.items()}


EXPORTS = Index("exports", own_formats(), "output format")
"""The modules of this folder and the formats of installed packages."""


def export(results: Sequence[Result], format_name: str, rules: Sequence[Rule] = ()) -> str:
    """The results in a named format; `rules` are for the formats that judge by them."""
    if format_name in FOLDERS:
        raise UserError(f"The format {format_name} is a folder of files.", "Name a new folder with --out.")
    render: Callable[..., str] = EXPORTS.load(format_name)
    if not rules:
        return render(results)
    if format_name not in READS_RULES:
        raise UserError(
            f"The format {format_name} reads no rules.", f"Leave them out, or use {', '.join(READS_RULES)}."
        )
    return render(results, rules)


def export_files(results: Sequence[Result], format_name: str) -> Mapping[str, str]:
    """The results in a format of `FOLDERS`: texts by file name."""
    files: Callable[..., Mapping[str, str]] = EXPORTS.load(format_name)
    return files(results)
