"""The competency study of Stereotype and Skew (its Table 3): share of female pronouns by class."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.results import Result
from equipoise.results.comparison import compare
from equipoise.results.records import fixed, with_interval
from equipoise.studies.papers.published import published_rows, row_of_skew
from equipoise.studies.papers.skew import is_winobias
from equipoise.studies.steps import Plan

INSTRUMENT, AXIS = "traits", "competence"
CLASSES = ("incompetent", "neutral", "competent")
KEYS = {"predictions": "second-predictions", "share": "second-share"}
COLUMNS = ("model", "class", "n", "ties", *(f"{name}{end}" for name in KEYS for end in ("", "_low", "_high")))


def competence_table(results: Sequence[Result]) -> pd.DataFrame:
    """A row for each model and class: the share of female predictions, and the mean share of probability."""
    if not results:
        raise UserError("No result was given.", f"Measure models with {INSTRUMENT} first.")
    rows = [_row(result, name) for result in results for name in classes_of(result)]
    if not rows:
        raise UserError(
            f"The sentences of {results[0].model} have no labels of {AXIS}.",
            f"Measure {INSTRUMENT} with --data FILE that has a column {AXIS} or {AXIS}_NAME.",
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def table_3(results: Sequence[Result]) -> pd.DataFrame:
    """The paper's Table 3: a row for each class, a column for each model; on WinoBias the printed one too."""
    table = competence_table(results)
    in_print = published_rows("skew.table-3")
    rows = []
    for place, name in enumerate(CLASSES):
        row: dict[str, Any] = {"class": name}
        for result in results:
            of_model = table[(table["model"] == result.model) & (table["class"] == name)]
            row[Path(result.model).name] = _cell(of_model.iloc[0]) if len(of_model) else "-"
            printed = row_of_skew(result.model, has_prior=False)
            if printed in in_print and is_winobias(result):
                row[f"{printed}, printed"] = fixed(in_print[printed][place], 3)
        rows.append(row)
    return pd.DataFrame(rows)


def competence_sentences(results: Sequence[Result]) -> list[str]:
    """The contrast of every model in words, and how models differ where several were given."""
    said = [
        f"{Path(result.model).name}: {sentence}"
        for result in results
        for sentence in result.sentences
        if "competent" in sentence
    ]
    if len(results) < 2:
        return said
    differences = compare(*results).table
    rows = differences[differences["quantity"].str.startswith(AXIS)].to_dict("records")
    return said + [
        f"{row['label']}: {row['first']} {fixed(row['first_value'], 3)}, {row['second']} "
        f"{fixed(row['second_value'], 3)}; difference {fixed(row['difference'], 3, sign=True)} "
        f"({fixed(row['low'], 3, sign=True)} to {fixed(row['high'], 3, sign=True)}): {row['verdict']}."
        for row in rows
    ]


def competence_plan(results: Sequence[Result]) -> Plan:
    """Return the text above the study on a page."""
    told = {"models": [result.model for result in results]}
    return Plan("competence", "Female pronouns by competence", told, ())


def classes_of(result: Result) -> list[str]:
    """The classes of the study that sentences of a result were labelled with."""
    table = result.estimates
    levels = set(table.loc[table["by"] == AXIS, "level"])
    return [name for name in CLASSES if name in levels]


def _row(result: Result, name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"model": result.model, "class": name}
    for column, key in KEYS.items():
        chosen = result.estimate(key, **{AXIS: name})
        row |= {column: chosen["value"], f"{column}_low": chosen["low"], f"{column}_high": chosen["high"]}
        if column == "predictions":
            row |= {"n": int(chosen["n"]), "ties": int(chosen["dropped"])}
    return row


def _cell(row: pd.Series) -> str:
    """The share with its interval and the number of sentences, as a table of a paper has it."""
    cell = with_interval(*(row[f"predictions{end}"] for end in ("", "_low", "_high")), places=3)
    return cell if cell == "-" else f"{cell}, n = {row['n']}"
