"""Verification: every published number that a model and the data at hand can check.

A row of `published-checks.csv` says how a figure of `published-figures.csv` is measured: the instrument, its
data and variant, the estimate, the tolerance (rounding in print), the corrected variant beside it, and why
numbers differ. A row with `*` stands for the other figures of its table and says what they need.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import isnan, nan
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pandas as pd

from equipoise.data.reading import own_table
from equipoise.data.sources import is_dataset
from equipoise.errors import UserError
from equipoise.instruments.base import Settings
from equipoise.measuring import measure
from equipoise.models.protocol import LanguageModel
from equipoise.models.questions import Fill
from equipoise.results import Result
from equipoise.results.records import shown
from equipoise.studies.papers.published import TABLE, published
from equipoise.studies.steps import Keeping, Plan, Step, StudyRun

CHECKS = "published-checks.csv"
REPRODUCED, DIFFERENT, NOT_CHECKED = "reproduced", "not reproduced", "not checked"
FILL = "fill"
"""The instrument of a check that asks for P(he) - P(she) at the blank of one sentence."""

PRONOUNS = ("he", "she")
LONG = ("crows-pairs-all", "gest")
"""Data that are read only when everything is asked for: they take as long as all the others."""

EVERY = "*"
COLUMNS = (
    *("source", "table", "figure", "published", "as_published", "corrected"),
    *("tolerance", "verdict", "reason", "other_tools"),
)
Asked = tuple[str, str, str]
"""Instrument, data and variant."""


@dataclass(frozen=True)
class Verification:
    """A row for each published figure, and how many were reproduced."""

    table: pd.DataFrame
    sentences: list[str]


@dataclass
class _Measured:
    """What the model gives, measured once for all checks of an instrument, its data and its variant."""

    study: StudyRun
    model: LanguageModel
    data_dir: Path | None
    results: dict[Asked, Result | UserError] = field(default_factory=dict)

    def result(self, asked: Asked) -> Result:
        """The result of a measurement; what it lacks is raised for every check that needs it."""
        if asked not in self.results:
            try:
                (self.results[asked],) = self.study.results(_step(asked), lambda: [self._measure(asked)])
            except UserError as error:
                self.results[asked] = error
        result = self.results[asked]
        if isinstance(result, UserError):
            raise result
        return result

    def _measure(self, asked: Asked) -> Result:
        instrument, data, variant = asked
        given = data if is_dataset(data) else str((self.data_dir or Path()) / data)
        return measure(self.model, instrument, Settings(data=given, variant=variant, data_dir=self.data_dir))

    def value(self, row: Mapping[str, Any], *, corrected: bool = False) -> float:
        """The number of a check, as published or corrected; NaN where there is no corrected one."""
        if row["instrument"] == FILL:
            if corrected:
                return nan
            (answer,) = self.model.answer([Fill(row["data"], PRONOUNS)])
            he, she = np.exp(answer.logprobs)
            return float(he - she)
        variant = row["corrected"] if corrected else row["variant"]
        if corrected and not variant:
            return nan
        key = row["corrected_key"] or row["key"] if corrected else row["key"]
        groups = dict(part.split("=") for part in row["groups"].split(";") if part)
        result = self.result((row["instrument"], row["data"], variant))
        try:
            return result.value(key, **groups)
        except UserError:
            if corrected:
                return nan
            raise


def verify(
    model: LanguageModel,
    *,
    name: str = "",
    data_dir: Path | None = None,
    full: bool = False,
    keeping: Keeping | None = None,
) -> Verification:
    """Check every published figure of the named model (else what the model's name ends in)."""
    named = name or PurePath(model.name).name
    rows = checks()
    asked = list(dict.fromkeys(_asked(rows, named, full)))
    settings = {"model": model.fingerprint, "as": named, "full": full, "data": str(data_dir or "")}
    steps = [Step(_step(one), f"Measure {' '.join(filter(None, one))}", 60.0) for one in asked]
    study = (keeping or Keeping()).begin(Plan("verify", "Published numbers, checked", settings, steps))
    measured = _Measured(study, model, data_dir)
    table = pd.DataFrame([_checked(row, named, full, measured) for row in rows], columns=list(COLUMNS))
    sentences = _in_words(table)
    study.finish(sentences, {"verify.csv": table})
    return Verification(table, sentences)


@cache
def checks() -> list[dict[str, Any]]:
    """Return every published figure with its check; figures without their own share that of their table."""
    given = own_table(CHECKS).to_dict("records")
    own = {(row["table"], row["row"], row["column"]): row for row in given}
    rows: list[dict[str, Any]] = []
    for figure in own_table(TABLE).to_dict("records"):
        at = (figure["table"], figure["row"], figure["column"])
        row = own.get(at) or own.get((figure["table"], EVERY, EVERY))
        assert row is not None, f"no check names {at}"
        rows.append({**row, "row": figure["row"], "column": figure["column"], "source": figure["source"]})
    return rows


def _asked(rows: list[dict[str, Any]], named: str, full: bool) -> Iterator[Asked]:
    for row in rows:
        if row["instrument"] not in ("", FILL) and not _missing(row, named, full):
            yield row["instrument"], row["data"], row["variant"]
            if row["corrected"]:
                yield row["instrument"], row["data"], row["corrected"]


def _missing(row: Mapping[str, Any], named: str, full: bool) -> str:
    """Why a figure is not checked, or nothing."""
    if not row["instrument"]:
        return str(row["reason"])
    if row["model"] != named:
        return f"It is of {row['model']}: name that model, or say with --as that yours is the same."
    return "Takes long: give --full." if row["data"] in LONG and not full else ""


def _checked(row: dict[str, Any], named: str, full: bool, measured: _Measured) -> dict[str, Any]:
    value = published(row["table"], row["row"], row["column"])
    told = {
        "source": row["source"],
        "table": row["table"],
        "figure": f"{row['row']}, {row['column']}",
        "published": value,
        "tolerance": float(row["tolerance"] or nan),
        "other_tools": row["others"],
    }
    missing = _missing(row, named, full)
    if missing:
        return {**told, "verdict": NOT_CHECKED, "reason": missing}
    try:
        ours = measured.value(row)
    except UserError as error:
        return {**told, "verdict": NOT_CHECKED, "reason": f"{error.message} {error.hint}".strip()}
    try:
        corrected = measured.value(row, corrected=True)
    except UserError:
        corrected = nan
    agrees = not isnan(ours) and abs(ours - value) <= told["tolerance"]
    verdict = REPRODUCED if agrees else DIFFERENT
    return {**told, "as_published": ours, "corrected": corrected, "verdict": verdict, "reason": row["reason"]}


def _in_words(table: pd.DataFrame) -> list[str]:
    counts = table["verdict"].value_counts()
    checked = len(table) - counts.get(NOT_CHECKED, 0)
    said = [
        f"{counts.get(REPRODUCED, 0)} of {checked} published numbers that could be checked were reproduced; "
        f"{counts.get(NOT_CHECKED, 0)} others were not checked."
    ]
    rows = table[table["verdict"] == DIFFERENT].to_dict("records")
    return said + [
        f"{row['source']}: {row['figure']} is {shown(row['as_published'])} here, {row['published']} in print."
        f" {row['reason']}"
        for row in rows
    ]


def _step(asked: Asked) -> str:
    return "-".join(part.replace("/", "-") for part in asked if part)
