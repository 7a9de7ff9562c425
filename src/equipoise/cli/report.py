"""`report`, `export` and `push`: saved results as a page, in another format, or on the hub."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.arguments import Force, refuse_existing
from equipoise.cli.printing import say
from equipoise.cli.writing import refuse_unwritable, write_text
from equipoise.report.exports import EXPORTS, FOLDERS, export_files
from equipoise.report.exports import export as render
from equipoise.report.files import figure_files, save_figures, save_tables, table_files
from equipoise.report.files import refuse_existing as refuse_files
from equipoise.report.gate.rules import read_rules
from equipoise.report.page import Contents, collect, contents_of, refuse_foreign, save_page
from equipoise.report.publishing import collect_upload
from equipoise.report.publishing import push as publish
from equipoise.results import load_results

Figures = Annotated[
    Path | None, typer.Option("--figures", help="A folder to write every chart to, as PNG and SVG.")
]
Tables = Annotated[
    Path | None, typer.Option("--tables", help="A folder to write every table to, as CSV and LaTeX.")
]


def report(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results, studies or corpora.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write, such as report.html.")],
    figures: Figures = None,
    tables: Tables = None,
    force: Force = False,
) -> None:
    """Write one self-contained page: findings, charts, tables, cards and every item."""
    refuse_foreign(out, force=force, ours=False)
    for option, folder in (("--figures", figures), ("--tables", tables)):
        if folder is not None:
            refuse_unwritable(folder, option)
    collected = collect(folders)
    contents = contents_of(*collected)
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
    if figures is not None:
        refuse_files(figure_files(contents.figures, figures), "--figures", force=force)
    if tables is not None:
        refuse_files(table_files(contents.tables, tables), "--tables", force=force)


def export(
    folders: Annotated[list[Path], typer.Argument(help="One or more result folders.")],
    format_name: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(EXPORTS.ours)}, or one of a plugin.")
    ] = "csv",
    rules: Annotated[
        Path | None, typer.Option("--rules", help="TOML file of rules (format bias-scenarios only).")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The file or folder to write. Without this, standard output."),
    ] = None,
    force: Force = False,
) -> None:
    """Write saved results in another format: for a spreadsheet, a paper, the hub or an auditor."""
    if out is not None:
        refuse_existing(out, force)
    results = [result for folder in folders for result in load_results(folder)]
    if format_name in FOLDERS and out is not None:
        files = export_files(results, format_name)
        for name, content in files.items():
            write_text(out / name, content)
        say(f"{format_name}: {len(files)} files in {out}")
        return
    text = render(results, format_name, read_rules(rules) if rules else ())
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    say(f"{len(results)} results as {format_name}: {out}" if len(results) > 1 else f"{format_name}: {out}")


def push(
    folder: Annotated[Path, typer.Argument(help="A folder of `mitigate`, or of results.")],
    to: Annotated[str, typer.Option("--to", help="The repository on the hub: OWNER/NAME.")],
    results: Annotated[
        Path | None, typer.Option("--results", help="Results of the model, to upload with it.")
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Let everybody read it. Without this it is private.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Only list what would be uploaded.")] = False,
    force: Force = False,
) -> None:
    """Upload a changed model, or results with every item, to the Hugging Face hub: private unless asked.

    Example: equipoise push models/changed --to my-name/changed-bert --results results/changed
    """
    upload = collect_upload(folder, results)
    size = f"{len(upload.files)} files, {upload.size / 1e6:.1f} MB"
    if check:
        typer.echo("\n".join(upload.files))
        say(f"{size}, as a {'public' if public else 'private'} {upload.kind}. Nothing was uploaded.")
        return
    address = publish(folder, to, results=results, public=public, force=force)
    say(f"{size}: {address} ({'public' if public else 'private'})")
