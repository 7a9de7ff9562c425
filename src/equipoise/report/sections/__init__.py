"""Sections for what a study wrote: its sentences and tables, and the charts that are drawn of them.

A study is a folder with `study.json` (name, title, sentences) and tables as CSV files. A row of `MODULES`
names the module that draws it. Its `FIGURES` and `TABLES` hold one function per study: the charts, and the
tables of the study's paper with its rows and columns.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.errors import UserError
from equipoise.report.files import Section, Table
from equipoise.report.measurements import slug
from equipoise.studies.steps import STUDY, read_study, read_tables

MODULES = {
    **dict.fromkeys(("before-after", "professions", "mitigations", "downstream", "control"), "changes"),
    **dict.fromkeys(
        ("checkpoints", "corpus-bias", "corpus-classifiers", "learning-curve", "reminders", "resolution"),
        "tuned",
    ),
    **dict.fromkeys(("models", "skew", "sample-size"), "models"),
    "domain": "domain",
    "vectors": "vectors",
    **dict.fromkeys(("controls", "verify"), "proof"),
}
"""The module of this folder that draws each study; the others show their sentences and tables."""

SHORT = 12
"""Tables with more rows than this are closed until somebody opens them."""


@dataclass(frozen=True)
class Study:
    """What a study said, with its tables by name."""

    name: str
    title: str
    sentences: tuple[str, ...]
    tables: dict[str, pd.DataFrame]

    def table(self, name: str, columns: Iterable[str]) -> pd.DataFrame:
        """The table of that name; an empty one if it is missing or lacks a column that is drawn."""
        table = self.tables.get(name, pd.DataFrame())
        return table if set(columns) <= set(table.columns) else pd.DataFrame()


def is_study(folder: Path) -> bool:
    """Whether a study wrote this folder."""
    return (folder / STUDY).is_file()


def load_study(folder: Path) -> Study:
    """The study of a folder; one that is damaged or not finished is refused."""
    record = read_study(folder)
    tables = read_tables(folder, record)
    if not record["sentences"] and not tables:
        raise UserError(
            f"The study in {folder} is not finished.", "Run the same command again: it continues."
        )
    return Study(record["name"], record["title"], tuple(record["sentences"]), tables)


def section_of(study: Study) -> Section:
    """The section of a study: its own charts where it has a file here, and all of its tables."""
    prefix = slug(study.name)
    tables = [_table(f"{prefix}-{name}", name, frame) for name, frame in study.tables.items()]
    return Section(
        prefix,
        study.title,
        sentences=study.sentences,
        figures=_made(study, "FIGURES"),
        tables=[*study_tables(study), *(table for table in tables if len(table.rows) <= SHORT)],
        details=[table for table in tables if len(table.rows) > SHORT],
    )


def study_tables(study: Study) -> list[Table]:
    """The tables of the study's paper, with its rows and columns."""
    return _made(study, "TABLES")


def _made(study: Study, what: str) -> list[Any]:
    """Return the study's charts or tables: none where this room draws none."""
    if study.name not in MODULES:
        return []
    makers = getattr(import_module(f"{__name__}.{MODULES[study.name]}"), what, {})
    if study.name not in makers:
        return []
    try:
        made: list[Any] = makers[study.name](study)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # The tables are as saved, but not those that this version draws.
        raise UserError(
            f"The tables of the study {study.title!r} cannot be drawn: {error!r}.", "Run the study again."
        ) from error
    return made


def _table(name: str, title: str, frame: pd.DataFrame) -> Table:
    told = frame.dropna(axis="columns", how="all") if len(frame) else frame
    columns = [str(column).replace("_", " ") for column in told.columns]
    return Table(name, title.replace("-", " "), columns, told.to_numpy(dtype=object).tolist())
