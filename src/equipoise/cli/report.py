"""`report`: saved results and studies as one page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import Force
from equipoise.cli.writing import refuse_unwritable

if TYPE_CHECKING:
    from equipoise.report.page import Contents

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
    for option, folder in (("--figures", figures), ("--tables", tables)):
        if folder is not None:
            refuse_unwritable(folder, option)
    collected = collect(folders)
    contents = contents_of(collected.results, collected.studies)
    _refuse_existing_files(contents, figures, tables, force=force)
    if figures is not None:
        save_figures(contents.figures, figures, force=force)
        say(f"{len(contents.figures)} figures, each as PNG and SVG: {figures}")
    if tables is not None:
        save_tables(contents.tables, tables, force=force)
        say(f"{len(contents.tables)} tables, each as CSV and LaTeX: {tables}")
    page = save_page(contents, out, force=force)
    say(f"Page: {page} ({page.stat().st_size / 1e6:.1f} MB)")


def _refuse_existing_files(
    contents: "Contents", figures: Path | None, tables: Path | None, *, force: bool
) -> None:
    """Refuse files that are there before the first one is written."""
    from equipoise.report.files import figure_files, refuse_existing, table_files

    if figures is not None:
        refuse_existing(figure_files(contents.figures, figures), "--figures", force=force)
    if tables is not None:
        refuse_existing(table_files(contents.tables, tables), "--tables", force=force)
