"""`compare`: results of two or more models, corpora or groups, side by side and in words."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equipoise.cli.options import Json
from equipoise.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equipoise.results import Result
    from equipoise.studies.association_tables import Papers

COLUMNS = ("quantity", "first", "second", "95 % of difference", "verdict")

Margin = Annotated[
    list[str] | None,
    typer.Option("--margin", help="[INSTRUMENT=]NUMBER, the largest difference that would not matter."),
]


def compare(
    folders: Annotated[
        list[Path], typer.Argument(help="Two or more result folders; with --between, one will do.")
    ],
    margin: Margin = None,
    by_text: Annotated[
        bool, typer.Option("--by-text", help="Pair items by their text, across different files.")
    ] = False,
    corpora: Annotated[
        bool, typer.Option("--corpora", help="One model on different corpora: compare those, unpaired.")
    ] = False,
    between: Annotated[
        str, typer.Option(help="Compare the groups of a column, such as publisher, within each result.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Compare results item by item: lower, higher, equivalent, or not enough items to tell."""
    from equipoise.cli.printing import interval, print_json, print_rows, say
    from equipoise.report.paper_tables import table_4_of
    from equipoise.results.comparison import compare as compare_results
    from equipoise.results.records import to_records
    from equipoise.results.saving import load_folders
    from equipoise.studies.association_tables import TABLE_4

    results = load_folders(folders)
    if between or corpora:
        from equipoise.results.comparison.apart import compare_corpora, compare_groups

        if by_text or (between and corpora):
            raise UserError(
                "--by-text, --corpora and --between are different comparisons.", "Give one of them."
            )
        flat = [result for held in results for result in held]
        margins = read_margins(margin)
        comparison = compare_groups(flat, between, margins) if between else compare_corpora(flat, margins)
    else:
        comparison = compare_results(*results, margin=read_margins(margin), by_text=by_text)
    papers = {} if between or corpora or by_text else _changes(results)
    if as_json:
        said = {"differences": to_records(comparison.table), "sentences": comparison.sentences()}
        tables = {name: to_records(one.tables[TABLE_4]) for name, one in papers.items()}
        told = {name: one.sentences for name, one in papers.items()}
        print_json(said | ({"bec_pro_table_4": tables, "hypotheses": told} if papers else {}))
        return
    for (first, second), rows in comparison.table.groupby(["first", "second"], sort=False):
        shown = [
            (
                f"{row['instrument']}: {row['label']}",
                row["first_value"],
                row["second_value"],
                interval(row["low"], row["high"]),
                row["verdict"],
            )
            for row in rows.to_dict("records")
        ]
        print_rows(f"first: {first}\nsecond: {second}", COLUMNS, shown)
    for name, one in papers.items():
        table = table_4_of("bec-pro", one.tables[TABLE_4], name)
        print_rows(table.title, table.headings, table.rows)
    for sentence in comparison.sentences():
        say(sentence)
    for name, one in papers.items():
        for sentence in one.sentences:
            say(f"{name}: {sentence}" if len(papers) > 1 else sentence)


def _changes(results: "Sequence[Sequence[Result]]") -> "dict[str, Papers]":
    """Table 4 of BEC-Pro and its hypotheses for the first folder beside each of the others."""
    from equipoise.studies.association_tables import papers_of

    changes = {}
    for later in results[1:]:
        papers = papers_of(results[0], [later])
        if papers is not None:
            changes[f"before: {results[0][0].model}, after: {later[0].model}"] = papers
    return changes


def read_margins(given: list[str] | None) -> dict[str, float] | float | None:
    """One margin for everything, or one for each named instrument."""
    margins: dict[str, float] = {}
    for text in given or ():
        name, _, number = text.rpartition("=")
        if name in margins:
            raise UserError(f"--margin was given twice{f' for {name}' if name else ''}.", "Give it once.")
        try:
            margins[name] = float(number)
        except ValueError as error:
            raise UserError(
                f"--margin {text} is no number.", "Write --margin 0.05, or --margin tbe=0.05."
            ) from error
    if "" in margins and len(margins) > 1:
        raise UserError(
            "One --margin names no instrument while others do.", "Name an instrument in each, or in none."
        )
    return margins.get("", margins or None)
