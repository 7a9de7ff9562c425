"""Sentences about a person and a profession, built from slots so that every mask knows its place.

A corpus crosses templates with person words and professions. Each sentence keeps the character spans of its
target (the person noun, without its determiner) and of its attribute (the profession), and all masks are made
from these spans: replacing strings would also mask the "man" of "manager".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.reading import LINE, read_table
from equipoise.errors import UserError
from equipoise.text.person_sentences import (
    PERSON,
    PROFESSION,
    Sentence,
    compose,
    noun_start,
    with_right_articles,
)

FILES = ("person-templates.csv", "person-words.csv", "person-professions.csv")
ENGLISH, GERMAN = "en", "de"

_INFLECTED = {GERMAN: "german"}
"""How the columns with inflected forms begin: `german_male`, otherwise `profession_male`."""


@dataclass(frozen=True)
class PersonTables:
    """What a corpus is built from: templates, paired person words and professions of one language."""

    templates: pd.DataFrame
    words: pd.DataFrame
    professions: pd.DataFrame
    language: str = ENGLISH


@dataclass(frozen=True)
class PersonCorpus:
    """Sentences as a table, a row each, with the files they came from and what was noticed there."""

    table: pd.DataFrame
    files: tuple[Path, ...]
    notices: tuple[str, ...] = field(default=())


def read_person_tables(
    templates: Path, words: Path, professions: Path, *, language: str = ""
) -> PersonTables:
    """The three files of a corpus, checked line by line; without a language the first one they hold."""
    all_templates = read_table(templates)
    language = language or str(all_templates.get("language", pd.Series([ENGLISH])).iloc[0])
    chosen = PersonTables(
        _of_language(all_templates, language, templates),
        _of_language(read_table(words, ("pair", "gender", "phrase", "noun")), language, words),
        _with_shares(read_table(professions, ("profession", "group")), professions),
        language,
    )
    _check_words(chosen.words, words)
    for gender in chosen.words["gender"].unique():
        _check_templates(chosen.templates, gender, templates)
        _check_forms(chosen, gender, professions)
    return chosen


def corpus_from_files(paths: Sequence[Path], *, language: str = "", articles: bool = True) -> PersonCorpus:
    """The corpus that the files of templates, person words and professions give, in that order."""
    tables = read_person_tables(*paths, language=language)
    languages = read_table(paths[0]).get("language", pd.Series(dtype=str)).unique()
    others = [one for one in languages if one != tables.language]
    skipped = () if language or not others else (f"templates in {', '.join(others)} are left out",)
    return PersonCorpus(build_corpus(tables, articles=articles), tuple(paths), skipped)


def build_corpus(tables: PersonTables, *, articles: bool = True) -> pd.DataFrame:
    """Every template with every person word and profession, by profession group.

    `articles=False` leaves "a" and "an" as the template has them, as published corpora do.
    """
    repaired = articles and tables.language == ENGLISH
    rows = []
    for template, word, profession in _crossed(tables):
        form = str(profession[_form_column(tables, word["gender"])])
        made = compose(_template_text(template, word["gender"]), word, profession=form)
        row = {
            "template": template.get("id") or f"line {template[LINE]}",
            "pair": word["pair"],
            "gender": word["gender"],
            "phrase": word["phrase"],
            "attribute": profession["profession"],
            "group": profession["group"],
            "percent_women": profession["percent_women"],
        }
        rows.append(row | spans_as_columns(with_right_articles(made) if repaired else made))
    return finished_table(pd.DataFrame(rows), tables.language)


def spans_as_columns(sentence: Sentence) -> dict[str, Any]:
    """A sentence as cells of a table."""
    (target_start, target_end), (attribute_start, attribute_end) = sentence.target, sentence.attribute
    return {
        "person": sentence.text[target_start:target_end],
        "text": sentence.text,
        "target_start": target_start,
        "target_end": target_end,
        "attribute_start": attribute_start,
        "attribute_end": attribute_end,
    }


def sentences_of(table: pd.DataFrame) -> list[Sentence]:
    """The sentences of a table that `spans_as_columns` filled."""
    columns = ("text", "target_start", "target_end", "attribute_start", "attribute_end")
    rows = zip(*(table[name] for name in columns), strict=True)
    return [Sentence(text, (begin, end), (start, stop)) for text, begin, end, start, stop in rows]


def finished_table(rows: pd.DataFrame, language: str) -> pd.DataFrame:
    """The rows with their language and a name for each: template, person and profession."""
    named = rows["template"].astype(str) + ":" + rows["phrase"] + ":" + rows["attribute"]
    rows.insert(0, "item", named)
    rows.insert(1, "language", language)
    return rows.drop(columns="phrase")


def _crossed(tables: PersonTables) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    for _, group in tables.professions.groupby("group", sort=False):
        for template in tables.templates.to_dict("records"):
            for word in tables.words.to_dict("records"):
                for profession in group.to_dict("records"):
                    yield template, word, profession


def _template_text(template: dict[str, Any], gender: str) -> str:
    """The template in the form that agrees with the person; one form may do for all."""
    return str(template.get(f"template_{gender}", template.get("template", "")))


def _form_column(tables: PersonTables, gender: str) -> str:
    """The column with the profession in the form that agrees with the person."""
    inflected = f"{_INFLECTED.get(tables.language, 'profession')}_{gender}"
    return inflected if inflected in tables.professions else "profession"


def _of_language(table: pd.DataFrame, language: str, path: Path) -> pd.DataFrame:
    chosen = table[table["language"] == language] if "language" in table else table
    if chosen.empty:
        raise UserError(
            f"{path} has no rows in the language {language!r}.",
            f"It has: {', '.join(table['language'].unique())}. Keep one language in the three files.",
        )
    return chosen


def _with_shares(professions: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The professions with the share of women as a number, NaN where it is not known."""
    seen: set[str] = set()
    shares = []
    for row in professions.to_dict("records"):
        where = f"{path}, line {row[LINE]}"
        name = row["profession"].strip()
        if not name or not row["group"].strip():
            raise UserError(f"{where}: a profession or its group is missing.", "Fill both cells.")
        if name in seen:
            raise UserError(f"{where}: {name!r} is listed twice.", "Keep one of the two rows.")
        seen.add(name)
        shares.append(_percent(row.get("percent_women", ""), where))
    return professions.assign(percent_women=shares)


def _percent(cell: str, where: str) -> float:
    try:
        share = float(cell.strip() or "nan")
    except ValueError:
        share = -1.0
    if share < 0 or share > 100:
        raise UserError(
            f"{where}: {cell!r} is no percentage.",
            "Give a number from 0 to 100, or leave the cell empty.",
        )
    return share


def _check_words(words: pd.DataFrame, path: Path) -> None:
    poles = list(words["gender"].unique())
    for row in words.to_dict("records"):
        if not row["noun"].strip() or noun_start(row["phrase"], row["noun"]) < 0:
            raise UserError(
                f"{path}, line {row[LINE]}: the noun {row['noun']!r} is no word of {row['phrase']!r}.",
                "The noun is the word of the phrase that is masked: 'brother' of 'my brother'.",
            )
    for pair, rows in words.groupby("pair", sort=False):
        if sorted(rows["gender"]) != sorted(poles) or len(poles) < 2:
            raise UserError(
                f"{path}, line {rows[LINE].iloc[0]}: pair {pair} has {', '.join(rows['gender'])} where each "
                f"of {', '.join(poles)} is needed once.",
                "Give every pair one word for each of at least two groups.",
            )


def _check_templates(templates: pd.DataFrame, gender: str, path: Path) -> None:
    for row in templates.to_dict("records"):
        text = _template_text(row, gender)
        if text.count(PERSON) != 1 or text.count(PROFESSION) != 1:
            raise UserError(
                f"{path}, line {row[LINE]}: {text!r} needs {PERSON} and {PROFESSION} once each.",
                f"Give a column `template`, or `template_{gender}` where words must agree.",
            )


def _check_forms(tables: PersonTables, gender: str, path: Path) -> None:
    column = _form_column(tables, gender)
    for row in tables.professions.to_dict("records"):
        if not row[column].strip():
            raise UserError(
                f"{path}, line {row[LINE]}: no form of {row['profession']!r} in the column {column!r}.",
                "Give the form that agrees with the person, or leave the whole column out.",
            )
