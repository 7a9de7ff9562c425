"""Proof: `verify` published numbers, `controls` of instruments, `reference` models to rank among."""

from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from equipoise.cli.arguments import (
    DataDir,
    Force,
    Json,
    Model,
    Out,
    Shown,
    open_model,
    takes_groups,
)
from equipoise.cli.printing import print_json, print_rows, say
from equipoise.cli.writing import keeping_of
from equipoise.errors import UserError
from equipoise.instruments import DEFAULT_AUDIT
from equipoise.instruments.gest import Gest
from equipoise.models.options import RunOptions
from equipoise.results import load_results
from equipoise.results.records import fixed, to_records
from equipoise.results.records import shown as number
from equipoise.studies.proof.references import add_reference, league, published_result, references_file
from equipoise.studies.proof.verifying import NOT_CHECKED
from equipoise.studies.proof.verifying import verify as study_published
from equipoise.studies.steps import Keeping

LIMITS = ("instrument", "estimate", "unit", "slope per nat", "dose found", "lean found")
VERIFIED = ("figure", "published", "as published", "corrected", "verdict")


@takes_groups
def verify(
    *,
    options: RunOptions,
    model: Model = None,
    data_dir: DataDir = None,
    named: Annotated[
        str, typer.Option("--as", help="Which published model yours is, such as bert-base-uncased.")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="Also run the checks that take long.")] = False,
    shown: Shown,
) -> None:
    """Check every published number that this model and these data can check."""
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
    """List what was not checked and what is missing, one line for each reason."""
    rows = table[table["verdict"] == NOT_CHECKED]
    return [
        f"Not checked, {len(same)} of {source}: {reason}"
        for (source, reason), same in rows.groupby(["source", "reason"], sort=False)
    ]


def _others(table: pd.DataFrame) -> list[str]:
    """What other tools print under the same name."""
    rows = table[table["other_tools"] != ""]
    return [f"{row['source']}, {row['figure']}: {row['other_tools']}" for row in rows.to_dict("records")]


@takes_groups
def controls(
    *,
    options: RunOptions,
    model: Model = None,
    instrument: Annotated[
        list[str] | None, typer.Option("--instrument", "-i", help="Instruments; those of audit if left out.")
    ] = None,
    draws: Annotated[int, typer.Option(min=5, help="Draws of items for each dose.")] = 20,
    shown: Shown,
) -> None:
    """Test instruments with doses that they must find and controls in which they must find nothing."""
    from equipoise.studies.proof.controls import controls as study_controls  # torch comes with it

    keeping = Keeping() if shown.out is None else keeping_of(shown.out, shown.force)
    study = study_controls(
        open_model(model, options), instrument or DEFAULT_AUDIT, draws=draws, keeping=keeping
    )
    if shown.as_json:
        tables = {"limits": study.limits, "doses": study.positive, "weights": study.planted}
        tables["negative"] = study.negative
        print_json(
            {name: to_records(table) for name, table in tables.items()} | {"sentences": study.sentences}
        )
        return
    rows = [
        [row["instrument"], row["estimate"], row["unit"]]
        + ["-" if row[name] != row[name] else number(row[name]) for name in ("slope", "limit_dose", "limit")]
        for row in study.limits.to_dict("records")
    ]
    print_rows("Detection limits", LIMITS, rows)
    for sentence in study.sentences:
        say(sentence)


League = Annotated[
    Path | None,
    typer.Option(
        "--league", envvar="EQUIPOISE_REFERENCES", help="Your own references [equipoise-references.csv]."
    ),
]
RANKED = ("rank", "model", "kind", "stereotype rate", "source")


def reference_add(
    result: Annotated[Path, typer.Argument(help="A result folder of gest.")],
    name: Annotated[str, typer.Option("--name", help="What to call the model; else its own name.")] = "",
    file: League = None,
) -> None:
    """Add a result to your own references."""
    chosen = [one for one in load_results(result) if one.instrument == Gest.name]
    if len(chosen) != 1:
        raise UserError(
            f"{result} holds {len(chosen)} results of {Gest.name} where one is expected.",
            f"Write one with `equipoise measure {Gest.name} --model M --out DIR`.",
        )
    path = references_file(file)
    table = add_reference(chosen[0], path, name=name)
    say(f"{table['model'].nunique()} models are in {path}.")


def reference_show(file: League = None, as_json: Json = False) -> None:
    """Rank the published models and your own by GEST."""
    table = league(references_file(file))
    if as_json:
        print_json({"league": to_records(table)})
        return
    rows = [
        [row["rank"], row["model"], row["kind"], fixed(row["stereotype_rate"], 2), row["source"]]
        for row in table.to_dict("records")
    ]
    print_rows("GEST: the most stereotyped first; 1 is neutral", RANKED, rows)


def reference_result(
    model: Annotated[str, typer.Argument(help="A published model, as roberta-base.")],
    out: Out,
    data_dir: DataDir = None,
    force: Force = False,
) -> None:
    """Write a published model's scores as a result, to compare it item by item."""
    place = published_result(model, data_dir).save(out, force=force)
    say(f"Every item: {place}")
