"""The tables of the papers, made from results: the same rows and columns, with intervals.

An instrument whose paper has tables has one function here. The page, the screen, `report --tables` and the
CSV files beside a result all show what it gives.
"""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pandas as pd

from equipoise.files import write_beside
from equipoise.report.files import Table, as_csv
from equipoise.report.measurements import Measurement
from equipoise.results import Result
from equipoise.studies.papers import association_tables, competence, completion_tables, skew

NUMBERED = "-table-"
"""What the name of a table holds that the paper prints; lists behind it are closed on the page."""

PRINTED = "; printed: the paper's numbers"


def paper_tables(measured: Measurement) -> list[Table]:
    """The tables that the paper of this instrument prints; none of results that an older version wrote."""
    if measured.instrument not in _MAKERS:
        return []
    needed, make = _MAKERS[measured.instrument]
    is_known = all(needed <= {*one.items, *one.estimates["key"]} for one in measured.results.values())
    return make(measured) if is_known else []


def paper_sentences(measured: Measurement) -> list[str]:
    """What the paper's hypotheses say of the change from the first model to each of the others."""
    first, *others = measured.results.values()
    said = []
    for label, after in islice(measured.results.items(), 1, None):
        if association_tables.can_be_paired(first, after):
            changes = association_tables.changes_in_words(first, after)
            said += [f"{label}: {sentence}" if len(others) > 1 else sentence for sentence in changes]
    return said


def is_printed(table: Table) -> bool:
    """Whether the paper has this table; others are the lists that it was made from."""
    return NUMBERED in table.name


def save_paper_tables(measured: Measurement, folder: Path) -> list[Path]:
    """Every table as a CSV file in a result's folder; give the paths."""
    tables = {folder / f"{table.name}.csv": table for table in paper_tables(measured)}
    for path, table in tables.items():
        write_beside(path, as_csv(table))
    return list(tables)


def table_4_of(name: str, frame: pd.DataFrame, models: str = "before and after") -> Table:
    """Table 4 of BEC-Pro: the means of two models, the change, and its test."""
    title = f"Table 4 of BEC-Pro, {models}: association by professions and persons; W and r test the change"
    return _table(f"{name}-table-4", _titled(title, frame), frame)


def _association_tables(measured: Measurement) -> list[Table]:
    results = measured.results
    frames = {label: association_tables.table_5(result) for label, result in results.items()}
    frame = _joined(frames)
    title = "Table 5 of BEC-Pro: association by professions and persons; W and r test women against men"
    tables = [_table(f"{measured.name}-table-5", _titled(title, frame), frame)]
    for place, (label, after) in enumerate(islice(results.items(), 1, None), start=2):
        if association_tables.can_be_paired(measured.first, after):
            first = next(iter(results))
            name = measured.name if len(results) == 2 else f"{measured.name}-{place}"
            frame = association_tables.table_4(measured.first, after)
            tables.append(table_4_of(name, frame, f"before: {first}, after: {label}"))
    return tables


def _completion_tables(measured: Measurement) -> list[Table]:
    results, name = measured.results, measured.name
    shares = completion_tables.table_2(results)
    by_model: dict[str, tuple[str, Callable[[Result], pd.DataFrame]]] = {
        "table-3": (
            "Table 3 of GBM: top sentences and unique completions by sentiment and gender",
            lambda result: completion_tables.table_3(result.items, result.variant),
        ),
        "top-sentences": (
            "The sentences with the largest shares, for both ways to count",
            lambda result: completion_tables.top_templates(result.items),
        ),
        "unique-completions": (
            "The listed words among the likeliest completions, and how many sentences each completes",
            lambda result: completion_tables.unique_completions(result.items),
        ),
        "word-lists": (
            "Listed words that the vocabulary holds in one piece",
            lambda result: completion_tables.list_coverage(result.items),
        ),
    }
    title = "Table 2 of GBM: shares of male, female and other words by sentiment, and GBM"
    tables = [_table(f"{name}-table-2", title, shares)]
    for part, (said, make) in by_model.items():
        frames = {label: make(result) for label, result in results.items()}
        tables.append(_table(f"{name}-{part}", said, _joined(frames)))
    return tables


def _skew_tables(measured: Measurement) -> list[Table]:
    results, name = list(measured.results.values()), measured.name
    return [
        _table(f"{name}-table-2", "Table 2 of Stereotype and Skew (F1 x 100)", skew.table_2(results)),
        _table(f"{name}-table-1", "Table 1 of Stereotype and Skew: Alice and Bob", skew.table_1(results)),
    ]


def _competence_tables(measured: Measurement) -> list[Table]:
    results = list(measured.results.values())
    if not all(competence.classes_of(result) for result in results):
        return []
    title = "Table 3 of Stereotype and Skew: share of sentences in which the female pronoun is likelier"
    return [_table(f"{measured.name}-table-3", title, competence.table_3(results))]


_MAKERS: dict[str, tuple[set[str], Callable[[Measurement], list[Table]]]] = {
    association_tables.INSTRUMENT: (association_tables.NEEDED, _association_tables),
    completion_tables.INSTRUMENT: (completion_tables.NEEDED, _completion_tables),
    skew.INSTRUMENT: ({"counted", *skew.F1_KEYS, *skew.ABILITIES}, _skew_tables),
    competence.INSTRUMENT: ({competence.AXIS, *competence.KEYS.values()}, _competence_tables),
}
"""What a result must hold, columns of its items and keys of its estimates, and what makes its tables."""


def _joined(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables of several models under each other with the model's name; one model needs none."""
    if len(frames) == 1:
        return next(iter(frames.values()))
    named = [frame.assign(model=label) for label, frame in frames.items()]
    whole = pd.concat(named, ignore_index=True)
    return whole[["model", *whole.columns.drop("model")]]


def _titled(title: str, frame: pd.DataFrame) -> str:
    return title + (PRINTED if any(str(name).startswith("printed") for name in frame) else "")


def _table(name: str, title: str, frame: pd.DataFrame) -> Table:
    return Table(name, title, list(frame.columns), frame.astype(object).to_numpy().tolist())
