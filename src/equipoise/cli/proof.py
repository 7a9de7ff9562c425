"""Proof: `verify` checks published numbers."""

from typing import Annotated, Any

import pandas as pd
import typer

from equipoise.cli.arguments import DataDir, Model, Shown, open_model, takes_groups
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.cli.writing import keeping_of
from equipoise.models.options import RunOptions
from equipoise.results.numbers import fixed
from equipoise.results.records import to_records
from equipoise.studies.steps import Keeping
from equipoise.studies.verifying import NOT_CHECKED
from equipoise.studies.verifying import verify as study_published

VERIFIED = ("figure", "published", "as published", "corrected", "verdict")


@takes_groups
def verify(
    *,
    options: RunOptions,
    model: Model = None,
    data_dir: DataDir = None,
    named: Annotated[
        str, typer.Option("--as", help="The published model that yours is, as bert-base-uncased.")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="Check also what takes long.")] = False,
    shown: Shown,
) -> None:
    """Check every published number that the model and the data at hand can check."""
    keeping = Keeping() if shown.out is None else keeping_of(shown.out, shown.force)
    study = study_published(
        open_model(model, options), name=named, data_dir=data_dir, full=full, keeping=keeping
    )
    if shown.as_json:
        print_json({"table": to_records(study.table), "sentences": study.sentences})
        return
    for source, rows in study.table.groupby("source", sort=False):
        checked = rows[rows["verdict"] != NOT_CHECKED]
        if len(checked):
            print_rows(str(source), VERIFIED, [_verified(row) for row in checked.to_dict("records")])
    for sentence in [*study.sentences, *_unchecked(study.table), *_others(study.table)]:
        say(sentence)
    if shown.out is not None:
        say(f"The table and the reasons are in {shown.out}; `equipoise report {shown.out}` makes a page.")


def _verified(row: "dict[Any, Any]") -> list[str]:
    places = 3 if abs(row["published"]) < 10 else 2
    numbers = (row[name] for name in ("published", "as_published", "corrected"))
    return [row["figure"], *("-" if one != one else fixed(one, places) for one in numbers), row["verdict"]]


def _unchecked(table: pd.DataFrame) -> list[str]:
    """What was not checked, and what is missing: once for each reason."""
    rows = table[table["verdict"] == NOT_CHECKED]
    return [
        f"Not checked, {len(same)} of {source}: {reason}"
        for (source, reason), same in rows.groupby(["source", "reason"], sort=False)
    ]


def _others(table: pd.DataFrame) -> list[str]:
    """What other tools print under the same name."""
    rows = table[table["other_tools"] != ""]
    return [f"{row['source']}, {row['figure']}: {row['other_tools']}" for row in rows.to_dict("records")]
