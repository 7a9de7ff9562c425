"""Sentences with two occupations and a blank for one of them: ours, a user's or WinoBias, in one form.

Beside every sentence stand two copies with names instead of occupations, which have a right answer.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.lint import flag_notices
from equipoise.data.poles import Poles
from equipoise.data.reading import LINE, File, Shape, read_percentage, read_rows, row_error
from equipoise.data.sets import ItemSet
from equipoise.data.sets.winobias import (
    DATASET,
    FLAGS,
    PERCENT_WOMEN,
    SEVERAL,
    FilePair,
    pairs_at,
    published_pairs,
    read_winobias,
    with_published_names,
)
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK, count_blanks

OWN = "equipoise-schemas"
OCCUPATIONS, NAMES = "occupations", "names"
"""The parts of the items: sentences about occupations, and their copies about two people with names."""

PUBLISHED_SPLIT = "test"
"""What the published tables were measured on: Table 1 on both types, the others on type 2."""

_MAN, _WOMAN = "Bob", "Alice"
_COLUMNS = ("id", "type", "sentence", "profession", "other", "form", "pair")
_SCHEMAS, _PROFESSIONS = "schemas.csv", "schema-professions.csv"


def load_schemas(source: Source, poles: Poles, *, as_published: bool = False) -> ItemSet:
    """The sentences of the chosen data with their copies; or those of the study, prepared as it did."""
    pairs = _winobias_pairs(source)
    files: tuple[File, ...]
    if pairs:
        pairs = _published_part(pairs) if as_published else pairs
        table = read_winobias(pairs, poles)
        shares = table["profession"].str.lower().map(PERCENT_WOMEN).astype(float)
        table = table.assign(percent_women=shares, title="")
        files = tuple(path for pair in pairs for path in (pair.pro, pair.anti))
    else:
        table, files = _own_schemas(source, poles)
    table = _prepared_as_published(table) if as_published else table.assign(published_words="")
    notices = flag_notices(table, FLAGS)
    is_named_as_published = as_published and bool(pairs) and poles.are_genders
    with_names = _with_published_copies if is_named_as_published else _with_copies
    items = with_names(table, poles).drop(columns=["published_text", "published_person", "in_published_set"])
    return ItemSet(items, (*files, poles.path), notices)


def _prepared_as_published(table: pd.DataFrame) -> pd.DataFrame:
    """Texts as the published code has them, and the sentences that it kept."""
    reasons = ["" if kept else SEVERAL for kept in table["in_published_set"]]
    return table.assign(text=table["published_text"], dropped=reasons)


def _winobias_pairs(source: Source) -> list[FilePair]:
    """The files of WinoBias, if that is what was chosen, by name or by path."""
    if source.name == DATASET and source.is_dataset:
        return published_pairs(source)
    if not isinstance(source.given, Path):
        return []
    pairs = pairs_at(source.given)
    if not pairs and source.given.is_dir() and not (source.given / _SCHEMAS).exists():
        raise UserError(
            f"{source.given} holds neither {_SCHEMAS} nor files of WinoBias.",
            f"Expected {_SCHEMAS}, or pro_stereotyped_type2.txt.test with its anti file.",
        )
    return pairs


def _published_part(pairs: Sequence[FilePair]) -> list[FilePair]:
    """The pairs of files that were published on; all of them where the path has none of those."""
    return [pair for pair in pairs if pair.split == PUBLISHED_SPLIT] or list(pairs)


def _own_schemas(source: Source, poles: Poles) -> tuple[pd.DataFrame, tuple[File, ...]]:
    """A table of schemas with the stereotype and the share of women of each profession."""
    path, professions = source.file(_SCHEMAS), source.beside_or_shipped(_PROFESSIONS)
    known = {row["profession"].lower(): row for row in _read_professions(professions, poles)}
    rows = read_rows(path, Shape(required=_COLUMNS, unique=("id",)))
    table = pd.DataFrame([_schema_row(row, known, poles=poles, path=path) for row in rows.to_dict("records")])
    is_repeated = table["text"].str.lower().duplicated()
    return table.assign(flags=["duplicate" if repeated else "" for repeated in is_repeated]), (
        path,
        professions,
    )


def _read_professions(path: File, poles: Poles) -> list[dict[str, Any]]:
    shape = Shape(required=("profession", "gender", "percent_women"), optional=("title",))
    table = read_rows(path, shape)
    rows: list[dict[str, Any]] = table.to_dict("records")
    for row in rows:
        if row["gender"] not in poles.pair:
            problem = (
                f"the gender {row['gender']!r} is not one of the first two poles, {' and '.join(poles.pair)}"
            )
            hint = (
                "Use poles whose first two names stand in the column gender, or another file of professions."
            )
            raise row_error(path, row, problem, hint)
        row["percent_women"] = read_percentage(row["percent_women"], f"{path}, line {row[LINE]}")
    return rows


def _schema_row(
    row: dict[str, Any], known: dict[str, dict[str, Any]], *, poles: Poles, path: File
) -> dict[str, Any]:
    """Return one sentence after checking it."""
    problem = _problem(row, known)
    if problem:
        hint = f"Expected one {BLANK} and two professions of the file of professions."
        raise row_error(path, row, problem, hint)
    poles.check_form(row["form"], f"{path}, line {row[LINE]}", poles=poles.pair)
    text = " ".join(row["sentence"].split())
    profession = known[row["profession"].lower()]
    return {
        "item": row["id"],
        "type": row["type"],
        "split": "",
        "pair": row["pair"],
        "text": text,
        "form": row["form"],
        "stereotype": profession["gender"],
        "published_text": f"{text[:-1]} . \n",
        "published_person": "",
        "published_words": "",
        "in_published_set": True,
        "flags": "",
        "dropped": "",
        "profession": row["profession"],
        "other": row["other"],
        "percent_women": profession["percent_women"],
        "title": profession["title"],
    }


def _problem(row: dict[str, Any], known: dict[str, dict[str, Any]]) -> str:
    """What keeps a row from being asked, or nothing."""
    blanks = count_blanks(row["sentence"])
    if blanks != 1:
        return f"{blanks} blanks in {row['sentence']!r}"
    for column in ("profession", "other"):
        if row[column].lower() not in known:
            return f"{row[column]!r} is not in the file of professions"
        if not is_mentioned(row["sentence"], row[column]):
            return f"the {column} {row[column]!r} is not in the sentence"
    return ""


def _with_copies(table: pd.DataFrame, poles: Poles) -> pd.DataFrame:
    """The sentences, then two copies of each: the referent has a name of the first pole, or of the second.

    Two sentences that differ in the occupations only have the same copies, which are kept once.
    """
    sentences = table.assign(part=OCCUPATIONS, referent=table["profession"], rival=table["other"])
    first, second = names_of(poles)
    copies = [
        _copy(sentences, pole, names=names)
        for pole, names in zip(poles.pair, ((first, second), (second, first)), strict=True)
    ]
    named = pd.concat(copies).drop_duplicates(["type", "split", "text", "stereotype"])
    return pd.concat([sentences, named], ignore_index=True)


def _with_published_copies(table: pd.DataFrame, poles: Poles) -> pd.DataFrame:
    """The sentences, then one copy of each with the names that the published code gives its people."""
    sentences = table.assign(part=OCCUPATIONS, referent=table["profession"], rival=table["other"])
    named = dict(zip(poles.pair, names_of(poles), strict=True))
    other = {pole: name for pole, (_, name) in zip(poles.pair, reversed(named.items()), strict=True)}
    people = zip(sentences["text"], sentences["published_person"], sentences["stereotype"], strict=True)
    copies = sentences.assign(
        item=sentences["item"] + ":" + sentences["stereotype"].map(named),
        text=[with_published_names(text, person, named[pole], names=named) for text, person, pole in people],
        part=NAMES,
        referent=sentences["stereotype"].map(named),
        rival=sentences["stereotype"].map(other),
    )
    return pd.concat([sentences, copies], ignore_index=True)


def names_of(poles: Poles) -> tuple[str, str]:
    """A name for each of the first two poles: from the form `name` of the poles, else Bob and Alice."""
    is_woman_first = poles.pair[0] == "female" or poles.pair[1] == "male"
    defaults = (_WOMAN, _MAN) if is_woman_first else (_MAN, _WOMAN)
    first, second = (
        (*poles.words.get((pole, "name"), ()), default)[0]
        for pole, default in zip(poles.pair, defaults, strict=True)
    )
    return first, second


def _copy(sentences: pd.DataFrame, pole: str, *, names: tuple[str, str]) -> pd.DataFrame:
    """The sentences about two named people; the pole of the referent's name is the right answer."""
    referent, rival = names
    people = zip(sentences["text"], sentences["profession"], sentences["other"], strict=True)
    copy = sentences.assign(
        item=[f"{item}:{referent}" for item in sentences["item"]],
        text=[with_name(with_name(text, one, referent), other, rival) for text, one, other in people],
        part=NAMES,
        referent=referent,
        rival=rival,
        stereotype=pole,
        published_words="",
    )
    for column, reason in (("other", "no second occupation to replace"), ("form", "the form is unknown")):
        copy.loc[(copy[column] == "") & (copy["dropped"] == ""), "dropped"] = reason
    return copy


Span = tuple[int, int]
_ARTICLES = r"(?:\b(?:the|an?)\s+)*"


def mention_spans(text: str, noun: str) -> tuple[Span, ...]:
    """Every place where the sentence has this noun, without its article."""
    return tuple(match.span() for match in re.finditer(rf"\b{re.escape(noun)}\b", text, re.IGNORECASE))


def is_mentioned(text: str, noun: str) -> bool:
    """Whether the sentence has this noun as a word of its own."""
    return bool(noun) and bool(mention_spans(text, noun))


def with_name(text: str, noun: str, name: str) -> str:
    """The sentence with a name in the place of the first mention and of the articles before it."""
    pattern = rf"{_ARTICLES}\b{re.escape(noun)}\b"
    return re.sub(pattern, lambda _: name, text, count=1, flags=re.IGNORECASE)
