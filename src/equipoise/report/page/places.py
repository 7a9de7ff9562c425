"""Where a page may be written: never over a user's own file, over an older page where that is meant."""

from pathlib import Path

from equipoise.errors import UserError

PAGE = "report.html"
"""The page beside the results of an audit."""

GENERATOR = '<meta name="generator" content="equipoise'
"""What every page begins with, so that one of ours can be told from a user's own file."""

_LOOKED_AT = 2000


def refuse_foreign(path: Path, *, force: bool, ours: bool) -> None:
    """Refuse a path that is taken; `ours` lets a page that this program wrote be replaced."""
    if force or not path.exists():
        return
    if path.is_dir():
        raise UserError(f"{path} is a folder.", "Give a file with --out, such as report.html.")
    if ours and _is_page(path):
        return
    raise UserError(f"{path} exists.", "Give another path with --out, or --force to write over it.")


def _is_page(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return GENERATOR in file.read(_LOOKED_AT)
    except OSError:
        return False
