"""The page: results as one file that needs nothing else, with charts, tables, cards and every item."""

from collections.abc import Sequence
from pathlib import Path

from equipoise.errors import explained_writing
from equipoise.files import write_beside
from equipoise.report.elements import Section
from equipoise.report.files import refuse_foreign
from equipoise.report.page.contents import Contents, contents_of
from equipoise.report.page.template import filled
from equipoise.report.sections import Study
from equipoise.results import Result
from equipoise.results.result import as_results


def render(results: Result | Sequence[Result], studies: Sequence[Study] = ()) -> str:
    """One self-contained HTML page of results and of what studies wrote."""
    return filled(contents_of(as_results(results, "render"), studies))


def save_page(contents: Contents, path: Path, *, force: bool = False) -> Path:
    """Write a page; a file that exists is not replaced unless that was asked for."""
    refuse_foreign(path, force=force, ours=False)
    with explained_writing(path, "Give another path with --out."):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_beside(path, filled(contents))
    return path


__all__ = ["Contents", "Section", "contents_of", "refuse_foreign", "render", "save_page"]
