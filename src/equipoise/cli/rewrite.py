"""`rewrite`: a text or a corpus with gender inverted, substituted, neutral or anonymous."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.arguments import (
    DATA,
    Force,
    Json,
    Seed,
    cluster_of,
    open_model,
    option,
    refuse_existing,
    takes_groups,
)
from equipoise.cli.printing import print_json
from equipoise.corpora.formats import format_of
from equipoise.corpora.rewriting import opened, rewrite_file, rewrite_stream
from equipoise.corpora.rewriting_progress import RewriteSettings, RewriteSummary
from equipoise.data.poles import load_poles
from equipoise.errors import UserError
from equipoise.models.form_judge import form_judge
from equipoise.models.options import RunOptions
from equipoise.report.account_page import write_account_page
from equipoise.text.rewriting import Policy
from equipoise.text.rewriting.pronouns.forms import Judge

STDIN = "-"


@takes_groups
def rewrite(
    file: Annotated[
        str,
        typer.Argument(
            help="A txt, csv, tsv, jsonl, json or parquet file, packed too, or a folder; - is standard input."
        ),
    ],
    *,
    options: RunOptions,
    mode: Annotated[
        str, typer.Option(help="invert, substitute, augment, per-sentence, neutral or anonymise.")
    ] = "invert",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write; without it, to standard output.")
    ] = None,
    text: Annotated[str, option(DATA, "--text", help="The column or field that holds the text.")] = "text",
    text_column: Annotated[
        str, typer.Option("--text-column", hidden=True, help="The old name of --text.")
    ] = "",
    judge: Annotated[
        str | None, typer.Option(help="A masked model that decides unclear forms of her and his.")
    ] = None,
    names: Annotated[bool, typer.Option(help="Exchange first names too.")] = True,
    coordinated: Annotated[
        str, typer.Option(help='"He or she": keep it as it is, or turn it to "she or he".')
    ] = "keep",
    swaps: Annotated[
        Path | None,
        typer.Option(
            "--neo-pronouns",
            help="A pole file with pronouns such as xe: each becomes the word of the other pole.",
        ),
    ] = None,
    processes: Annotated[
        int, typer.Option(min=0, help="Processes that share the work; 0 uses every core for a large file.")
    ] = 0,
    account: Annotated[
        Path | None,
        typer.Option(
            help="A .csv file for what changed, by which rule, and what was left; or an .html page with both "
            "texts side by side, and the table beside it."
        ),
    ] = None,
    seed: Seed = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Rewrite a text or a corpus; a stopped run resumes when you run the same command again.

    Example: equipoise rewrite novels.csv --text body --mode substitute --out rewritten.csv
    """
    policy = Policy(coordinated, swaps=_swaps(swaps) if swaps else ())
    address = "" if judge else cluster_of(options)  # with a judge the cluster runs the judge
    settings = RewriteSettings(mode, text_column or text, seed, names, policy, processes, address)
    asked = _judge(judge, options)
    source = None if file == STDIN else Path(file)
    if out is not None:
        table = _table_of(account, source, force=force)
        summary = rewrite_file(source, out, settings, judge=asked, account=table, force=force)
        if account is not None and source is not None and table != account:
            write_account_page(account, source, out, settings, summary)
    elif account is not None:
        raise UserError("--account needs a file to go with.", "Name the rewritten file with --out.")
    else:
        summary = _to_stdout(source, settings, asked)
    _report(summary, out, as_json=as_json)


def _swaps(path: Path) -> tuple[tuple[str, str], ...]:
    """Map each word of a pole file to the first word of the same form in the other pole."""
    poles = load_poles(path)
    swaps: dict[str, str] = {}
    for words in map(poles.pair_at, poles.forms):
        for one, other in (poles.pair, poles.pair[::-1]):
            swaps |= {word.lower(): words[other][0].lower() for word in words[one] if words[other]}
    return tuple(sorted(swaps.items()))


def _table_of(account: Path | None, source: Path | None, *, force: bool) -> Path | None:
    """The file of the account's table: the one named, or that beside the page."""
    if account is None or account.suffix.lower() not in (".html", ".htm"):
        return account
    if source is None:
        raise UserError(
            "A page shows the texts side by side, and standard input cannot be read again.",
            "Name a file to rewrite, or a .csv file for the account.",
        )
    refuse_existing(account, force)
    return account.with_suffix(".csv")


def _judge(name: str | None, options: RunOptions) -> "Judge | None":
    if name is None:
        return None

    return form_judge(open_model(name, options))


def _to_stdout(source: Path | None, settings: "RewriteSettings", judge: "Judge | None") -> "RewriteSummary":

    if source is not None and source.suffix.lower() == ".parquet":
        raise UserError("A Parquet file is not written to standard output.", "Name a file with --out.")
    kind = format_of(source) if source is not None else "txt"
    if not kind:
        raise UserError(
            f"{source} is not a kind of file that is read.", "Give a file, or a folder with --out."
        )
    with opened(source) as file:
        return rewrite_stream(file, sys.stdout.buffer, settings, kind=kind, judge=judge)


def _report(summary: "RewriteSummary", out: Path | None, *, as_json: bool) -> None:
    """The summary on stderr (or as JSON on stdout where the text went to a file), bad rows line by line."""
    for row in summary.bad:
        sys.stderr.write(f"line {row.line}: {row.message}\n")
    if summary.bad_rows > len(summary.bad):
        sys.stderr.write(f"... and {summary.bad_rows - len(summary.bad)} more rows like these.\n")
    sides = dict(
        zip(("male_before", "female_before", "male_after", "female_after"), summary.tally, strict=True)
    )
    if as_json and out is not None:
        numbers = {"rows": summary.rows, "changes": summary.changes, "bad_rows": summary.bad_rows}
        print_json({"out": str(out), **numbers, **sides})
    elif out is not None:
        sys.stderr.write(
            f"{summary.rows:,} rows, {summary.changes:,} changes, {summary.bad_rows:,} bad rows; "
            f"male and female words {sides['male_before']:,} and {sides['female_before']:,} before, "
            f"{sides['male_after']:,} and {sides['female_after']:,} after.\n"
        )
