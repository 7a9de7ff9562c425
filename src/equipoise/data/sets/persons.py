"""Sentences about a person and a profession, built from slots so that every mask knows its place.

A corpus crosses templates with person words and professions. Each sentence keeps the character spans of its
target (the person noun, without its determiner) and of its attribute (the profession), and all masks are made
from these spans: replacing strings would also mask the "man" of "manager".
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.reading import (
    LINE,
    TABLES,
    File,
    Shape,
    check_rows,
    read_percentage,
    read_rows,
    read_table,
    row_error,
)
from equipoise.data.sets import ItemSet, bec_pro, eec
from equipoise.data.sets.person_rows import ENGLISH, GERMAN, finished_table, spans_as_columns
from equipoise.data.sources import Source, dataset_files
from equipoise.errors import UserError
from equipoise.text.person_sentences import PERSON, PROFESSION, compose, noun_start, with_right_articles

NAMES = {"equipoise-persons": ENGLISH, "equipoise-persons-de": GERMAN, "equipoise-persons-they": ENGLISH}
FILES = ("person-templates.csv", "person-words.csv", "person-professions.csv")

_INFLECTED = {GERMAN: "german"}
"""How the columns with inflected forms begin: `german_male`, otherwise `profession_male`."""


@dataclass(frozen=True)
class PersonTables:
    """What a corpus is built from: templates, paired person words and professions of one language."""

    templates: pd.DataFrame
    words: pd.DataFrame
    professions: pd.DataFrame
    language: str = ENGLISH


def load_persons(source: Source, *, as_published: bool = False) -> ItemSet:
    """The sentences of a data set, or of the user's folder or file; published ones keep their defects."""
    articles = not as_published
    if source.name in NAMES:
        files = [source.file(name) for name in dataset_files(source.name)]
        return corpus_from_files(files, language=NAMES[source.name], articles=articles)
    if source.name in bec_pro.NAMES:
        return bec_pro.load_bec_pro(source, as_published=as_published)
    if source.name == eec.NAME:
        return eec.read_eec(source.file(eec.FILE))
    if isinstance(source.given, Path) and source.given.is_dir():
        return _from_folder(source, source.given, articles)
    columns = set(read_table(source.file(FILES[0])))
    if eec.MARK in columns:
        return eec.read_eec(source.file(eec.FILE))
    if bec_pro.MARK in columns:
        return bec_pro.load_bec_pro(source)
    beside = [source.beside_or_shipped(name) for name in FILES[1:]]
    return corpus_from_files([source.file(FILES[0]), *beside], articles=articles)


def read_person_tables(
    templates: File, words: File, professions: File, *, language: str = ""
) -> PersonTables:
    """The three files of a corpus, checked line by line; without a language the first one they hold."""
    all_templates = read_table(templates)
    language = language or str(all_templates.get("language", pd.Series([ENGLISH])).iloc[0])
    chosen = PersonTables(
        _of_language(all_templates, language, templates),
        _of_language(read_table(words, ("pair", "gender", "phrase", "noun")), language, words),
        _read_professions(professions),
        language,
    )
    _check_words(chosen.words, words)
    for gender in chosen.words["gender"].unique():
        _check_templates(chosen.templates, gender, templates)
        forms = Shape(required=(), filled=(_form_column(chosen, gender),))
        check_rows(chosen.professions, professions, forms)
    return chosen


def corpus_from_files(files: Sequence[File], *, language: str = "", articles: bool = True) -> ItemSet:
    """The corpus that the files of templates, person words and professions give, in that order."""
    templates, words, professions = files
    tables = read_person_tables(templates, words, professions, language=language)
    languages = read_table(templates).get("language", pd.Series(dtype=str)).unique()
    others = [other for other in languages if other != tables.language]
    skipped = () if language or not others else (f"templates in {', '.join(others)} are left out",)
    return ItemSet(build_corpus(tables, articles=articles), tuple(files), skipped)


def build_corpus(tables: PersonTables, *, articles: bool = True) -> pd.DataFrame:
    """Every template with every person word and profession, by profession group.

    `articles=False` leaves "a" and "an" as the template has them, as published corpora do.
    """
    repaired = articles and tables.language == ENGLISH
    rows = []
    for template, word, profession in _crossed(tables):
        form = str(profession[_form_column(tables, word["gender"])])
        sentence = compose(_template_text(template, word["gender"]), word, profession=form)
        row = {
            "template": template.get("id") or f"line {template[LINE]}",
            "pair": word["pair"],
            "gender": word["gender"],
            "phrase": word["phrase"],
            "profession": profession["profession"],
            "group": profession["group"],
            "percent_women": profession["percent_women"],
            "title": profession["title"],
        }
        rows.append(row | spans_as_columns(with_right_articles(sentence) if repaired else sentence))
    return finished_table(pd.DataFrame(rows), tables.language)


def _from_folder(source: Source, folder: Path, articles: bool) -> ItemSet:
    """Templates, person words and professions; what the folder does not hold is taken from ours."""
    chosen = [source.beside_or_shipped(name) for name in FILES]
    if all(path.parent == TABLES for path in chosen):
        raise UserError(f"{folder} holds none of {', '.join(FILES)}.", "Put at least one of them there.")
    return corpus_from_files(chosen, articles=articles)


def _crossed(tables: PersonTables) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
    templates, words = tables.templates.to_dict("records"), tables.words.to_dict("records")
    for _, group in tables.professions.groupby("group", sort=False):
        yield from product(templates, words, group.to_dict("records"))


def _template_text(template: dict[str, Any], gender: str) -> str:
    """The template in the form that agrees with the person; one form may do for all."""
    return str(template.get(f"template_{gender}", template.get("template", "")))


def _form_column(tables: PersonTables, gender: str) -> str:
    """The column with the profession in the form that agrees with the person."""
    inflected = f"{_INFLECTED.get(tables.language, 'profession')}_{gender}"
    return inflected if inflected in tables.professions else "profession"


def _of_language(table: pd.DataFrame, language: str, path: File) -> pd.DataFrame:
    chosen = table[table["language"] == language] if "language" in table else table
    if chosen.empty:
        raise UserError(
            f"{path} has no rows in the language {language!r}.",
            f"It has: {', '.join(table['language'].unique())}. Keep one language in the three files.",
        )
    return chosen


def _read_professions(path: File) -> pd.DataFrame:
    """The professions with the share of women as a number, NaN where it is not known."""
    both, optional = ("profession", "group"), ("percent_women", "title")
    professions = read_rows(
        path, Shape(required=both, optional=optional, filled=both, unique=("profession",))
    )
    shares = [
        read_percentage(row["percent_women"], f"{path}, line {row[LINE]}")
        for row in professions.to_dict("records")
    ]
    return professions.assign(percent_women=shares)


def _check_words(words: pd.DataFrame, path: File) -> None:
    poles = list(words["gender"].unique())
    for row in words.to_dict("records"):
        if not row["noun"].strip() or noun_start(row["phrase"], row["noun"]) < 0:
            problem = f"the noun {row['noun']!r} is not a word of {row['phrase']!r}"
            hint = "The noun is the word of the phrase that is masked: 'brother' of 'my brother'."
            raise row_error(path, row, problem, hint)
    for pair, rows in words.groupby("pair", sort=False):
        given = list(rows["gender"])
        if len(set(given)) != len(given) or not set(poles[:2]) <= set(given) or len(poles) < 2:
            needed = f"each of {', '.join(poles[:2])} is needed once, and any other at most once"
            problem = f"pair {pair} has {', '.join(given)} where {needed}"
            hint = "Give every pair one word for each of the first two groups."
            raise row_error(path, rows.iloc[0], problem, hint)


def _check_templates(templates: pd.DataFrame, gender: str, path: File) -> None:
    texts = [_template_text(row, gender) for row in templates.to_dict("records")]
    column = f"`template`, or `template_{gender}` where words must agree"
    places = {PERSON: f"in the column {column}", PROFESSION: f"in the column {column}"}
    check_rows(templates.assign(text=texts), path, Shape(required=(), once={"text": places}))
