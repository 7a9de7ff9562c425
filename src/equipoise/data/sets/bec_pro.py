"""BEC-Pro (Bartl et al. 2020) in English and German: persons beside professions.

The published sentences come without spans, which are found by their templates; where a file's own masks
differ from them, `problem` says so.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.reading import LINE, File, read_table
from equipoise.data.sets import ItemSet
from equipoise.data.sets.person_rows import (
    ENGLISH,
    GERMAN,
    astray,
    finished_table,
    locate,
    numbered_partners,
    spans_as_columns,
)
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.person_sentences import Sentence, with_right_articles

NAMES = ("bec-pro", "bec-pro-de")
MARK = "Sent_TM"
"""The column by which a file is known to be this corpus."""

PROFESSIONS_FILE = "Professions US+DE.tsv"
MASKS = "the file masks other words too"
ARTICLE = "a or an does not agree"

_COLUMNS = ("Sentence", MARK, "Sent_AM", "Sent_TAM", "Template", "Person", "Gender", "Profession")


def load_bec_pro(source: Source, *, as_published: bool = False) -> ItemSet:
    """The corpus of the data set's language, or of a user's copy; as published it is the file of 2020."""
    english = "BEC-Pro_EN_2020.tsv" if as_published else "BEC-Pro_EN.tsv"
    name = "BEC-Pro_DE.tsv" if source.name == NAMES[1] else english
    return read_bec_pro(source.file(name), _professions_file(source))


def read_bec_pro(file: File, professions: Path | None = None) -> ItemSet:
    """The sentences with their spans, and the share of women where the file of professions is given."""
    published = read_table(file, _COLUMNS)
    language = GERMAN if "Profession_EN" in published else ENGLISH
    rows = [_located(row, file, language) for row in published.to_dict("records")]
    table = numbered_partners(pd.DataFrame(rows)).assign(title="")
    notices = _problem_notices(table["problem"], file)
    if professions is None:
        table["percent_women"] = float("nan")
        notices += (f"the share of women is not known: {PROFESSIONS_FILE} is not there",)
        return ItemSet(finished_table(table, language), (file,), notices)
    shares = read_published_professions(professions, language).set_index("profession")["percent_women"]
    table["percent_women"] = table["profession"].map(shares)
    return ItemSet(finished_table(table, language), (file, professions), notices)


def read_published_professions(path: Path, language: str = ENGLISH) -> pd.DataFrame:
    """The professions of BEC-Pro as the corpus builder takes them, with the country's share of women."""
    required = ("simplified_professions", "percent_us", "percent_de", "german_m", "german_f", "prof_gender")
    table = read_table(path, required)
    share = table["percent_de" if language == GERMAN else "percent_us"].astype(float)
    return pd.DataFrame(
        {
            "profession": table["simplified_professions"],
            "group": table["prof_gender"],
            "percent_women": share,
            "german_male": table["german_m"],
            "german_female": table["german_f"],
            "title": "",
            LINE: table[LINE],
        }
    )


def _located(row: Mapping[str, Any], file: File, language: str) -> dict[str, Any]:
    """One published row with its spans, and what is wrong with it."""
    sentence, phrase = locate(row, str(row["Profession"]), file)
    if sentence.text[slice(*sentence.target)] != row["Person"]:
        raise astray(row, file)
    return {
        "gender": row["Gender"],
        "phrase": phrase,
        "published_template": row["Template"],
        "profession": row.get("Profession_EN", row["Profession"]),
        "group": row["Prof_Gender"],
        "sent_tm": row[MARK],
        "sent_tam": row["Sent_TAM"],
        "problem": _problem(sentence, row, language),
    } | spans_as_columns(sentence)


def _problem(sentence: Sentence, row: Mapping[str, Any], language: str) -> str:
    masks = (sentence.target_masked, sentence.attribute_masked, sentence.both_masked)
    if masks != (row[MARK], row["Sent_AM"], row["Sent_TAM"]):
        return MASKS
    return ARTICLE if language == ENGLISH and with_right_articles(sentence) != sentence else ""


def _problem_notices(problems: pd.Series, file: File) -> tuple[str, ...]:
    counts = problems[problems != ""].value_counts(sort=False)
    return tuple(f"{file.name}: {count} sentences with the problem: {name}" for name, count in counts.items())


def _professions_file(source: Source) -> Path | None:
    """The file with the shares of women, which only the correlation needs."""
    if not source.is_dataset:
        return source.beside(PROFESSIONS_FILE)
    try:
        return source.path(PROFESSIONS_FILE)
    except UserError:
        return None
