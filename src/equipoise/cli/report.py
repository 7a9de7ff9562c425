"""`report`: saved results and studies as one page."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import Force

Figures = Annotated[
    Path | None, typer.Option("--figures", help="A folder to write every chart to, as PNG and SVG.")
]
Tables = Annotated[
    Path | None, typer.Option("--tables", help="A folder to write every table to, as CSV and LaTeX.")
]


def report(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results or of studies.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write, such as report.html.")],
    figures: Figures = None,
    tables: Tables = None,
    force: Force = False,
) -> None:
    """Write one page that needs nothing else: charts, tables, cards, every item, models side by side."""
    from equipoise.cli.printing import say
    from equipoise.report.collecting import collect
    from equipoise.report.files import save_figures, save_tables
    from equipoise.report.page import contents_of, refuse_foreign, save_page

    refuse_foreign(out, force=force, ours=False)
    collected = collect(folders)
    contents = contents_of(collected.results, collected.studies)
    if figures is not None:
        count = len(save_figures(contents.figures, figures, force=force))
        say(f"{count} figures: {figures}")
    if tables is not None:
        count = len(save_tables(contents.tables, tables, force=force))
        say(f"{count} tables: {tables}")
    page = save_page(contents, out, force=force)
    say(f"Page: {page} ({page.stat().st_size / 1e6:.1f} MB)")
