"""Sentences with two occupations and a blank for one of them: ours, a user's or WinoBias, in one form.

Beside every sentence stand two copies with names instead of occupations, which have a right answer.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.catalogue import fetch_file
from equipoise.data.poles import Poles
from equipoise.data.reading import LINE, TABLES, read_table
from equipoise.data.winobias import (
    DATASET,
    FLAGS,
    PERCENT_WOMEN,
    SEVERAL,
    FilePair,
    pairs_at,
    published_pairs,
    read_winobias,
)
from equipoise.errors import UserError
from equipoise.instruments.base import ItemSet, Settings
from equipoise.instruments.mentions import is_mentioned, with_name
from equipoise.instruments.preference import flag_notices
from equipoise.models.base import BLANK

OWN = "equipoise-schemas"
PROFESSION, NAMES = "profession", "names"
"""The roles of an item: a sentence about occupations, or its copy about two people with names."""

PUBLISHED_TYPE, PUBLISHED_SPLIT = "2", "test"
"""What the published table was measured on."""

_DEFAULT_NAMES = ("Bob", "Alice")
_COLUMNS = ("id", "type", "sentence", "occupation", "other", "form", "pair")
_OCCUPATIONS = "schema-occupations.csv"


def load_schemas(settings: Settings, poles: Poles, *, as_published: bool) -> ItemSet:
    """The sentences of the chosen data with their copies; or those of the study, prepared as it did."""
    pairs = _winobias_pairs(settings)
    if pairs:
        pairs = _published_part(pairs) if as_published else pairs
        table = read_winobias(pairs, poles)
        shares = table["occupation"].str.lower().map(PERCENT_WOMEN).astype(float)
        table = table.assign(percent_women=shares)
        files = tuple(path for pair in pairs for path in (pair.pro, pair.anti))
    else:
        table, files = _own_schemas(settings, poles)
    table = _prepared_as_published(table) if as_published else table.assign(published_words="")
    notices = flag_notices(table, FLAGS)
    items = _with_copies(table.drop(columns=["published_text", "in_published_set"]), poles)
    return ItemSet(items, (*files, poles.path), notices)


def _prepared_as_published(table: pd.DataFrame) -> pd.DataFrame:
    """Type 2 only, if there is one; texts as the published code has them; sentences that it kept."""
    is_type = table["type"] == PUBLISHED_TYPE
    table = table[is_type] if is_type.any() else table
    reasons = ["" if kept else SEVERAL for kept in table["in_published_set"]]
    return table.assign(text=table["published_text"], dropped=reasons)


def _winobias_pairs(settings: Settings) -> list[FilePair]:
    """The files of WinoBias, if that is what was chosen, by name or by path."""
    if settings.data == DATASET:
        return published_pairs(settings.data_dir)
    pairs = [] if settings.file is None else pairs_at(settings.file)
    if (
        not pairs
        and settings.file is not None
        and settings.file.is_dir()
        and not _schema_file(settings).exists()
    ):
        raise UserError(
            f"{settings.file} holds neither schemas.csv nor files of WinoBias.",
            "Expected schemas.csv, or pro_stereotyped_type2.txt.test with its anti file.",
        )
    return pairs


def _published_part(pairs: Sequence[FilePair]) -> list[FilePair]:
    """The pairs of files that were published on; all of them where the path has none of those."""
    chosen = [pair for pair in pairs if (pair.type, pair.split) == (PUBLISHED_TYPE, PUBLISHED_SPLIT)]
    return chosen or list(pairs)


def _schema_file(settings: Settings) -> Path:
    if settings.file is None:
        return fetch_file(settings.data, "schemas.csv", settings.data_dir)
    return settings.file / "schemas.csv" if settings.file.is_dir() else settings.file


def _own_schemas(settings: Settings, poles: Poles) -> tuple[pd.DataFrame, tuple[Path, ...]]:
    """A table of schemas with the stereotype and the share of women of each occupation."""
    path = _schema_file(settings)
    beside = path.with_name(_OCCUPATIONS)
    occupations = beside if beside.exists() else TABLES / _OCCUPATIONS
    known = {row["occupation"].lower(): row for row in _read_occupations(occupations, poles)}
    rows = read_table(path, _COLUMNS).to_dict("records")
    table = pd.DataFrame([_schema_row(row, known, poles=poles, path=path) for row in rows])
    _check_ids(table["item"], path)
    is_repeated = table["text"].str.lower().duplicated()
    return table.assign(flags=["duplicate" if one else "" for one in is_repeated]), (path, occupations)


def _check_ids(ids: pd.Series, path: Path) -> None:
    repeated = ids[ids.duplicated()].tolist()
    if repeated:
        raise UserError(
            f"{path} has the id {repeated[0]!r} more than once.", "Give every sentence its own id."
        )


def _read_occupations(path: Path, poles: Poles) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_table(path, ("occupation", "gender", "percent_women")).to_dict(
        "records"
    )
    for row in rows:
        if row["gender"] not in poles.names[:2]:
            raise UserError(
                f"{path}, line {row[LINE]}: the gender {row['gender']!r} is not one of the first two poles, "
                f"{' and '.join(poles.names[:2])}.",
                "Use poles whose first two names stand in the column gender, or another file of occupations.",
            )
        try:
            row["percent_women"] = float(row["percent_women"] or "nan")
        except ValueError as error:
            raise UserError(
                f"{path}, line {row[LINE]}: {row['percent_women']!r} is not a percentage.",
                "Give a number from 0 to 100, or leave the cell empty.",
            ) from error
    return rows


def _schema_row(
    row: dict[str, Any], known: dict[str, dict[str, Any]], *, poles: Poles, path: Path
) -> dict[str, Any]:
    """One sentence, once everything that is asked of it holds."""
    problem = _problem(row, known, poles)
    if problem:
        raise UserError(
            f"{path}, line {row[LINE]}: {problem}.",
            f"Expected one {BLANK}, two occupations of the file of occupations, and a form of the poles.",
        )
    text = " ".join(row["sentence"].split())
    occupation = known[row["occupation"].lower()]
    return {
        "item": row["id"],
        "type": row["type"],
        "split": "",
        "pair": row["pair"],
        "text": text,
        "form": row["form"],
        "stereotype": occupation["gender"],
        "published_text": f"{text[:-1]} . \n",
        "published_words": "",
        "in_published_set": True,
        "flags": "",
        "dropped": "",
        "occupation": row["occupation"],
        "other": row["other"],
        "percent_women": occupation["percent_women"],
    }


def _problem(row: dict[str, Any], known: dict[str, dict[str, Any]], poles: Poles) -> str:
    """What keeps a row from being asked, or nothing."""
    blanks = row["sentence"].count(BLANK)
    if blanks != 1:
        return f"{blanks} blanks in {row['sentence']!r}"
    if row["form"] not in poles.forms:
        return f"the form {row['form']!r} does not exist in the poles {poles.name!r}"
    for column in ("occupation", "other"):
        if row[column].lower() not in known:
            return f"{row[column]!r} is not in the file of occupations"
        if not is_mentioned(row["sentence"], row[column]):
            return f"the {column} {row[column]!r} is not in the sentence"
    return ""


def _with_copies(table: pd.DataFrame, poles: Poles) -> pd.DataFrame:
    """The sentences, then two copies of each: the referent has a name of the first pole, or of the second.

    Two sentences that differ in the occupations only have the same copies, which are kept once.
    """
    sentences = table.assign(role=PROFESSION, referent=table["occupation"], rival=table["other"])
    first, second = names_of(poles)
    copies = [
        _copy(sentences, pole, names=names)
        for pole, names in zip(poles.names[:2], ((first, second), (second, first)), strict=True)
    ]
    named = pd.concat(copies).drop_duplicates(["type", "split", "text", "stereotype"])
    return pd.concat([sentences, named], ignore_index=True)


def names_of(poles: Poles) -> tuple[str, str]:
    """A name for each of the first two poles: from the form `name` of the poles, else Bob and Alice."""
    if "name" not in poles.forms:
        return _DEFAULT_NAMES
    words = poles.at("name")
    first, second = (
        (*words[pole], default)[0] for pole, default in zip(poles.names[:2], _DEFAULT_NAMES, strict=True)
    )
    return first, second


def _copy(sentences: pd.DataFrame, pole: str, *, names: tuple[str, str]) -> pd.DataFrame:
    """The sentences about two named people; the pole of the referent's name is the right answer."""
    referent, rival = names
    people = zip(sentences["text"], sentences["occupation"], sentences["other"], strict=True)
    copy = sentences.assign(
        item=[f"{item}:{referent}" for item in sentences["item"]],
        text=[with_name(with_name(text, one, referent), other, rival) for text, one, other in people],
        role=NAMES,
        referent=referent,
        rival=rival,
        stereotype=pole,
        published_words="",
    )
    for column, reason in (("other", "no second occupation to replace"), ("form", "the form is unknown")):
        copy.loc[(copy[column] == "") & (copy["dropped"] == ""), "dropped"] = reason
    return copy
