"""`export`: saved results in another format."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import Force, refuse_existing
from equipoise.cli.writing import write_text


def export(
    folders: Annotated[list[Path], typer.Argument(help="One or more result folders.")],
    format_name: Annotated[
        str, typer.Option("--format", "-f", help="csv, json, latex, layers, markdown or model-card.")
    ] = "csv",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file to write; else stdout.")] = None,
    force: Force = False,
) -> None:
    """Write saved results as CSV, JSON, LaTeX, Markdown or a section of a model card."""
    from equipoise.cli.printing import say
    from equipoise.report.exports import export as render
    from equipoise.results import load_results

    if out is not None:
        refuse_existing(out, force)
    results = [result for folder in folders for result in load_results(folder)]
    text = render(results, format_name)
    if out is None:
        typer.echo(text, nl=False)
        return
    write_text(out, text)
    say(f"{len(results)} results as {format_name}: {out}" if len(results) > 1 else f"{format_name}: {out}")
