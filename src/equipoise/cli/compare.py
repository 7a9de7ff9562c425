"""`compare`: results of two or more models, side by side and in words."""

from pathlib import Path
from typing import Annotated

import typer

from equipoise.cli.options import Json


def compare(
    folders: Annotated[list[Path], typer.Argument(help="Two or more result folders.")],
    margin: Annotated[
        float | None, typer.Option(help="The largest difference that would not matter.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare results item by item: lower, higher, equivalent, or not enough items to tell."""
    from equipoise.cli.printing import console, print_json, print_table
    from equipoise.comparison import compare as compare_results
    from equipoise.results import load_results, to_records

    comparison = compare_results(*[load_results(folder) for folder in folders], margin=margin)
    if as_json:
        rows = to_records(comparison.table)
        sentences = comparison.sentences()
        print_json([row | {"sentence": text} for row, text in zip(rows, sentences, strict=True)])
        return
    columns = [
        "instrument",
        "quantity",
        "first",
        "second",
        "difference",
        "low",
        "high",
        "p_holm",
        "n",
        "verdict",
    ]
    print_table("Differences: second minus first, paired by item", comparison.table[columns])
    for sentence in comparison.sentences():
        console().print(sentence, markup=False, highlight=False)
