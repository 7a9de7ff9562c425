"""`lint`: what is wrong with a file of sentence pairs before any model is measured with it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import AllowPickle, Json, Models, open_model
from equipoise.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

    from equipoise.data.lint import Finding

COLUMNS = ("line", "id", "code", "finding")


def lint(
    file: Annotated[Path, typer.Argument(help="A CSV with category, stereotype and counterpart.")],
    model: Models = None,
    allow_pickle: AllowPickle = False,
    as_json: Json = False,
) -> None:
    """Check a file of sentence pairs; with --model also their token counts. Exit 1 if there are findings."""
    from equipoise.cli.printing import print_json, print_rows
    from equipoise.data.pairs import pair_findings, read_pairs

    table = read_pairs(file)
    found = pair_findings(table)
    for name in model or ():
        found += _counted(table, name, allow_pickle)
    rows = [tuple(finding) for finding in sorted(found)]
    if as_json:
        findings = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        print_json({"file": str(file), "pairs": len(table), "findings": findings})
    elif rows:
        print_rows(f"{len(rows)} findings in {len(table)} pairs of {file}", COLUMNS, rows)
    else:
        typer.echo(f"No findings in {len(table)} pairs of {file}.")
    if rows:
        raise typer.Exit(1)


def _counted(table: "pd.DataFrame", name: str, allow_pickle: bool) -> "list[Finding]":
    from equipoise.data.pairs import length_findings
    from equipoise.models.neural import NeuralModel

    model = open_model(name, no_cache=True, allow_pickle=allow_pickle)
    if not isinstance(model, NeuralModel):
        raise UserError(
            f"{name!r} has no tokenizer, so it has no token counts.",
            "Give a masked, causal or encoder-decoder language model.",
        )
    found = length_findings(table, lambda text: len(model.encode(text).content))
    return [finding._replace(message=f"{finding.message} in {name}") for finding in found]
