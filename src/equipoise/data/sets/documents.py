"""Documents about one person, each with a question, and what a placebo changes in them."""

import re

import pandas as pd

from equipoise.data.reading import LINE, name_rows, read_table, refuse_repeats, with_columns
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError

DOCUMENTS, PLACEBOS = "documents.csv", "placebos.csv"
WEEKDAY, TOWN, NAME, DOUBLE_NAME = "weekday", "town", "name", "double name"
KINDS = (WEEKDAY, TOWN, NAME, DOUBLE_NAME)
"""A double name moves every later word by one place, as swapped names of other lengths do."""
QUESTION = "Is this good news for the person? Answer yes or no."


def load_documents(source: Source) -> ItemSet:
    """Documents (column text) with kind, question and answers; answers are `good|bad`, or numbers `1..10`."""
    file = source.file(DOCUMENTS)
    table = with_columns(name_rows(read_table(file, ("text",))), ("kind", "question", "answers"))
    refuse_repeats(table, ("id",), file)
    table["question"] = table["question"].replace("", QUESTION)
    table["answers"] = table["answers"].replace("", "yes|no")
    for row in table.to_dict("records"):
        try:
            parse_answers(row["answers"])
        except ValueError as error:
            raise UserError(
                f"{file}, line {row[LINE]}: {row['answers']!r} is not a list of answers.",
                "Write the good answer and the bad one as yes|no, or a range of numbers as 1..10.",
            ) from error
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
        if not swaps:
            return text
        pattern = re.compile(r"\b(" + "|".join(map(re.escape, swaps)) + r")\b")
        return pattern.sub(lambda match: swaps[match[0]], text)

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


def load_placebos(source: Source) -> Placebos:
    """What may be exchanged, of the shipped table or of one beside the user's documents."""
    return Placebos(read_table(source.beside_or_shipped(PLACEBOS), ("kind", "gender", "value")))
