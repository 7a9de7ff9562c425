"""Documents about one person, each with a question, and what a placebo changes in them."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from equipoise.data.reading import Shape, read_rows, read_table, row_error
from equipoise.data.sets import ItemSet
from equipoise.data.sets.classifying import read_names
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.gendered import FEMALE, MALE

DOCUMENTS, PLACEBOS = "documents.csv", "placebos.csv"
WEEKDAY, TOWN, NAME, DOUBLE_NAME = "weekday", "town", "name", "double name"
KINDS = (WEEKDAY, TOWN, NAME, DOUBLE_NAME)
"""A double name moves every later word by one place, as swapped names of other lengths do."""
QUESTION = "Is this good news for the person? Answer yes or no."


def load_documents(source: Source) -> ItemSet:
    """Documents (column text) with kind, question and answers; answers are `good|bad`, or numbers `1..10`."""
    file = source.file(DOCUMENTS)
    optional = ("kind", "question", "answers")
    table = read_rows(file, Shape(required=("text",), optional=optional, named=True, unique=("id",)))
    table["question"] = table["question"].replace("", QUESTION)
    table["answers"] = table["answers"].replace("", "yes|no")
    for row in table.to_dict("records"):
        try:
            parse_answers(row["answers"])
        except ValueError as error:
            hint = "Write the good answer and the bad one as yes|no, or a range of numbers as 1..10."
            raise row_error(file, row, f"{row['answers']!r} is not a list of answers", hint) from error
    items = table.rename(columns={"id": "item"})[["item", "kind", "text", "question", "answers"]]
    return ItemSet(items.assign(dropped=""), (file, source.beside_or_shipped(PLACEBOS)))


def parse_answers(text: str) -> dict[str, float]:
    """What each answer is worth: 1 for the good one and 0 for the bad one, or the number itself."""
    if ".." in text:
        low, high = (int(part) for part in text.split(".."))
        if low >= high:
            raise ValueError(text)
        return {str(number): float(number) for number in range(low, high + 1)}
    good, bad = (part.strip() for part in text.split("|"))
    if not (good and bad) or good == bad:
        raise ValueError(text)
    return {good: 1.0, bad: 0.0}


class Placebos:
    """Changes that should not matter: another weekday, town, or first name of the same gender."""

    def __init__(self, table: pd.DataFrame) -> None:
        self._values = {
            kind: rows.groupby("gender")["value"].apply(list).to_dict()
            for kind, rows in table.groupby("kind")
        }

    def change(self, kind: str, text: str, names: dict[str, str]) -> str:
        """The text with everything of a kind replaced; `names` maps its first names to their gender."""
        if kind in (NAME, DOUBLE_NAME):
            swaps = self._other_names(kind, names)
        else:
            values = self._values.get(kind, {}).get("", [])
            swaps = {value: values[(place + 1) % len(values)] for place, value in enumerate(values)}
        return exchange_words(text, swaps)

    def names(self, old: Sequence[str], gender: str, turn: int) -> dict[str, str]:
        """A name of this table for each of some names, by turns."""
        free = self._values[NAME][gender]
        return {name: free[(turn + place) % len(free)] for place, name in enumerate(old)}

    def _other_names(self, kind: str, names: dict[str, str]) -> dict[str, str]:
        swaps: dict[str, str] = {}
        for name, gender in names.items():
            free = [
                one
                for one in self._values.get(kind, {}).get(gender, [])
                if one not in {*names, *swaps.values()}
            ]
            if free:
                swaps[name] = free[0]
        return swaps


def exchange_words(text: str, swaps: Mapping[str, str]) -> str:
    """The text with each of some words in the place of another, all at once."""
    if not swaps:
        return text
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, swaps)) + r")\b")
    return pattern.sub(lambda match: swaps[match[0]], text)


def load_placebos(source: Source, names: Path | None = None) -> dict[str, Placebos]:
    """What may be exchanged, of the shipped table or of one beside the user's documents.

    With a file of names by origin there is one for each origin, whose names are the only ones exchanged.
    """
    table = read_table(source.beside_or_shipped(PLACEBOS), ("kind", "gender", "value"))
    if names is None:
        return {"": Placebos(table)}
    given = read_names(names, "origin").rename(columns={"name": "value"})
    for origin, rows in given.groupby("origin", sort=False):
        if set(rows["gender"]) != {MALE, FEMALE}:
            raise UserError(
                f"{names} has no names of both genders for {origin!r}.", f"Give {MALE} and {FEMALE} names."
            )
    rest = table[~table["kind"].isin((NAME, DOUBLE_NAME))]
    return {
        str(origin): Placebos(pd.concat([rest, rows.assign(kind=NAME)]))
        for origin, rows in given.groupby("origin", sort=False)
    }
