"""`lint`: what is wrong with a file of sentence pairs before any model is measured with it."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from equipoise.cli.arguments import Json, Models, open_model, takes_groups
from equipoise.cli.printing import print_json, print_rows
from equipoise.data.lint import Finding
from equipoise.data.sets.pairs import length_findings, pair_findings, read_pairs, spelling_findings
from equipoise.errors import UserError
from equipoise.models.options import RunOptions
from equipoise.models.protocol import Tokenized

COLUMNS = ("line", "id", "code", "finding")


@takes_groups
def lint(
    file: Annotated[Path, typer.Argument(help="A CSV with category, stereotype and counterpart.")],
    *,
    options: RunOptions,
    model: Models = None,
    as_json: Json = False,
) -> None:
    """Check a file of sentence pairs; with --model also tokens and spelling. Exit 1 if there are findings."""
    table = read_pairs(file)
    findings = pair_findings(table)
    for name in model or ():
        findings += _counted(table, name, options)
    rows = [tuple(finding) for finding in sorted(findings)]
    if as_json:
        records = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        print_json({"file": str(file), "pairs": len(table), "findings": records})
    elif rows:
        print_rows(f"{len(rows)} findings in {len(table)} pairs of {file}", COLUMNS, rows)
    else:
        typer.echo(f"No findings in {len(table)} pairs of {file}.")
    if rows:
        raise typer.Exit(1)


def _counted(table: "pd.DataFrame", name: str, options: RunOptions) -> "list[Finding]":

    model = open_model(name, options)
    if not isinstance(model, Tokenized):
        raise UserError(
            f"{name!r} has no tokenizer, so it has no token counts.",
            "Give a masked, causal or encoder-decoder language model.",
        )
    findings = length_findings(table, lambda text: len(model.tokens.encode(text).content))
    findings += spelling_findings(table, model.unknown_parts)
    return [finding._replace(message=f"{finding.message} in {name}") for finding in findings]
