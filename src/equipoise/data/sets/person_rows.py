"""The shape that every corpus of persons has: a row per sentence, with the spans of person and profession."""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from equipoise.data.reading import File, row_error
from equipoise.errors import UserError
from equipoise.text.person_sentences import Sentence

ENGLISH, GERMAN = "en", "de"

_COLUMNS = (
    *("item", "language", "template", "pair", "gender", "person", "profession", "group"),
    *("percent_women", "title", "text", "target_start", "target_end", "attribute_start", "attribute_end"),
)


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


def sentence_of(row: Mapping[str, Any]) -> Sentence:
    """The sentence of a row that `spans_as_columns` filled."""
    target = int(row["target_start"]), int(row["target_end"])
    return Sentence(row["text"], target, (int(row["attribute_start"]), int(row["attribute_end"])))


def sentences_of(table: pd.DataFrame) -> list[Sentence]:
    """The sentences of all rows."""
    return [sentence_of(row) for row in table.to_dict("records")]


def finished_table(rows: pd.DataFrame, language: str) -> pd.DataFrame:
    """The rows with their language and a name for each (template, person, profession), columns in order."""
    named = rows["template"].astype(str) + ":" + rows["phrase"] + ":" + rows["profession"]
    rows = rows.drop(columns="phrase").assign(item=named, language=language, dropped="")
    further = [name for name in rows.columns if name not in (*_COLUMNS, "dropped")]
    return rows[[*_COLUMNS, *further, "dropped"]]


def numbered_partners(rows: pd.DataFrame) -> pd.DataFrame:
    """Templates and pairs by number: the published files list both genders in the same order."""
    for column, source in (("template", "published_template"), ("pair", "phrase")):
        ranks = {
            (gender, name): str(number)
            for gender, names in rows.groupby("gender", sort=False)[source]
            for number, name in enumerate(names.unique(), start=1)
        }
        rows[column] = [ranks[key] for key in zip(rows["gender"], rows[source], strict=True)]
    return rows.drop(columns="published_template")


def locate(row: Mapping[str, Any], attribute: str, file: File) -> tuple[Sentence, str]:
    """The sentence with its spans, and the phrase of its person: the noun is the phrase's last word."""
    pattern = ""
    for part in re.split(r"(<[^>]+>)", row["Template"]):
        if part.startswith("<person"):
            pattern += r"(?P<phrase>(?:\w+ )*(?P<noun>\w+))"
        elif part.startswith("<"):
            pattern += f"(?P<attribute>{re.escape(attribute)})"
        else:
            pattern += re.sub(r"(\w+)/(\w+)", r"(?:\1|\2)", re.escape(part))
    match = re.fullmatch(pattern, row["Sentence"])
    if not match or not match["phrase"].lower().endswith(row["Person"].lower()):
        raise astray(row, file)
    return Sentence(row["Sentence"], match.span("noun"), match.span("attribute")), match["phrase"].lower()


def astray(row: Mapping[str, Any], file: File) -> UserError:
    """The error for a sentence that does not follow the template of its row."""
    problem = f"{row['Sentence']!r} does not follow its template {row['Template']!r}"
    hint = "Check the columns Sentence, Template, Person and the attribute of that row."
    return row_error(file, row, problem, hint)
