"""Sentences about a person who does something, labelled by trait: by their writer, or by annotators."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from equipoise.data.lint import shown_names
from equipoise.data.poles import Poles
from equipoise.data.reading import LINE, File, Shape, check_rows, read_table, row_error
from equipoise.data.sets.winobias import DATASET as WINOBIAS
from equipoise.data.sets.winobias import NAMED, STUDIED, person_sentences
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.stats.agreement import majority_vote
from equipoise.text.blank import BLANK

AXES = {"competence": ("competent", "incompetent"), "care": ("caring", "aggressive")}
"""The axes that are known, each with the two classes whose difference is reported."""

_REQUIRED = ("id", "sentence", "form")
_ANNOTATED = re.compile(r"(.+?)[_:](.+)")


@dataclass(frozen=True)
class TraitSet:
    """Sentences with one label per axis, and the columns that each axis was read from."""

    table: pd.DataFrame
    axes: Mapping[str, list[str]]
    files: tuple[File, ...]
    notices: tuple[str, ...]


def load_traits(source: Source, poles: Poles) -> TraitSet:
    """The sentences with a label for every axis: their own, or what most annotators said."""
    if source.is_dataset and source.name == WINOBIAS:
        return _unlabelled(source, poles)
    path = source.file("traits.csv")
    table = read_table(path)
    files: tuple[File, ...] = ()
    if "sentence" not in table and "id" in table and table["id"].str.match(NAMED).any():
        table, files = _with_winobias(table, path, source, poles)
    else:
        table = read_table(path, _REQUIRED)
    places = {"sentence": {BLANK: "where the pronoun stands"}}
    check_rows(table, path, Shape(required=(), once=places, unique=("id",)))
    for row in table.to_dict("records"):
        poles.check_form(row["form"], f"{path}, line {row[LINE]}", poles=poles.pair)
    axes = _axes(table, path)
    voted = {axis: _voted(table, columns) for axis, columns in axes.items()}
    used = [column for columns in axes.values() for column in columns]
    labels = {column: _cleaned(table[column]) for column in used if column not in axes}
    items = table[list(_REQUIRED)].rename(columns={"id": "item", "sentence": "text"})
    items = items.assign(**labels, **voted, dropped="")
    return TraitSet(items, axes, (path, *files, poles.path), _notices(table, axes, voted))


def _unlabelled(source: Source, poles: Poles) -> TraitSet:
    """The sentences of the competency study without labels: WinoBias, type 2, test split."""
    table, files = person_sentences(source, poles)
    table = table[table["id"].str.startswith(STUDIED)]
    items = table.rename(columns={"id": "item", "sentence": "text"}).assign(dropped="")
    notice = (
        "these sentences have no labels: copy the column item of the items to a file as id, add a column "
        "competence (or competence_NAME for each annotator), and give that file with --data"
    )
    return TraitSet(items.reset_index(drop=True), {}, (*files, poles.path), (notice,))


def _with_winobias(
    table: pd.DataFrame, path: File, source: Source, poles: Poles
) -> tuple[pd.DataFrame, tuple[File, ...]]:
    """Labels by id, with the sentences of WinoBias that the ids name."""
    known, files = person_sentences(Source(WINOBIAS, None, source.data_dir), poles)
    unknown = table[~table["id"].isin(known["id"])]
    if len(unknown):
        problem = f"{unknown['id'].iloc[0]!r} is not a sentence of WinoBias that can be asked"
        hint = "Give a column sentence, or ids such as type2-test-17 from the items of `--data winobias`."
        raise row_error(path, unknown.iloc[0], problem, hint)
    return table.drop(columns="form", errors="ignore").merge(known, on="id", how="left"), files


def _axes(table: pd.DataFrame, path: File) -> dict[str, list[str]]:
    """The columns with labels of each axis: the axis itself, or one for each annotator."""
    plain: dict[str, list[str]] = {axis: [axis] for axis in AXES if axis in table}
    annotated = _annotated(table)
    for axis in annotated:
        if axis in table:
            raise UserError(
                f"{path} has a column {axis!r} beside {', '.join(annotated[axis])}.",
                "Give one label per sentence, or the labels of annotators, but not both.",
            )
    if not plain and not annotated:
        raise UserError(
            f"{path} has no labels; it has the columns {', '.join(table.columns.drop(LINE))}.",
            "Expected competence or care, or a column per annotator such as competence_ann, competence_bo.",
        )
    return plain | annotated


def _annotated(table: pd.DataFrame) -> dict[str, list[str]]:
    """Columns of two or more annotators, by what they labelled."""
    columns: dict[str, list[str]] = {}
    for column in map(str, table.columns):
        parts = _ANNOTATED.fullmatch(column)
        if parts:
            columns.setdefault(parts[1], []).append(column)
    return {axis: several for axis, several in columns.items() if len(several) > 1}


def _voted(table: pd.DataFrame, columns: Sequence[str]) -> list[str]:
    """The label of each sentence: the only one, or the majority's; nothing where there is none."""
    votes = zip(*(_cleaned(table[column]) for column in columns), strict=True)
    return [label or "" for label in majority_vote([[vote or None for vote in row] for row in votes])]


def _cleaned(labels: pd.Series) -> list[str]:
    return [label.strip().lower() for label in labels]


def _notices(
    table: pd.DataFrame, axes: Mapping[str, list[str]], voted: Mapping[str, list[str]]
) -> tuple[str, ...]:
    """Name the sentences without a label, and the columns that were not read."""
    notices = []
    for axis, labels in voted.items():
        names = [name for name, label in zip(table["id"], labels, strict=True) if not label]
        reason = "no majority" if axes[axis] != [axis] else "no label"
        if names:
            notices.append(f"{axis}: {reason} for {len(names)} of {len(table)}: {shown_names(names)}")
    read = {*_REQUIRED, LINE, *(column for columns in axes.values() for column in columns), *axes}
    unread = [str(column) for column in table.columns if column not in read]
    return (*notices, f"columns not read: {', '.join(unread)}") if unread else tuple(notices)
