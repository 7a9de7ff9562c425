"""Naming: words and tasks for which a model names one of two people, a man and a woman."""

from dataclasses import replace
from typing import Any

import pandas as pd

from equipoise.data.reading import File, Shape, lacking, read_rows, read_table, refuse_rows
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError

WORDS, DECISIONS = "equipoise-word-choices", "equipoise-decisions"
WORDS_FILE, DECISIONS_FILE, PROMPTS, NAMES = (
    "naming-words.csv",
    "decisions.csv",
    "naming-prompts.csv",
    "association-sets.csv",
)
Row = dict[str, Any]
NEUTRAL, GUARD = "neutral", "guard"
GENDERS = ("male", "female")
FIRST, SECOND = "<first>", "<second>"
_OPTIONAL = Shape(required=(), optional=("category", "part"), named=True)
_PARTS = {"part": ("", NEUTRAL, GUARD)}


def load_words(source: Source) -> ItemSet:
    """Every word in every phrasing, with a pair of names; `gender` is the side of the stereotype."""
    file = source.file(WORDS_FILE)
    shape = replace(_OPTIONAL, required=("word", "gender"), one_of={"gender": GENDERS, **_PARTS})
    table = read_rows(file, shape)
    asked = [
        {**row, "about": row["word"], "slots": {"<word>": row["word"]}} for row in table.to_dict("records")
    ]
    return _crossed(source, file, asked, kind="word")


def load_decisions(source: Source) -> ItemSet:
    """Both tasks of every decision in every phrasing, with a pair of names."""
    file = source.file(DECISIONS_FILE)
    table = read_rows(file, replace(_OPTIONAL, required=("male_task", "female_task"), one_of=_PARTS))
    asked = [
        {
            **row,
            "gender": gender,
            "about": f"{row['id']} ({row[f'{gender}_task']})",
            "slots": {"<task>": row[f"{gender}_task"], "<other>": row[f"{other}_task"]},
        }
        for row in table.to_dict("records")
        for gender, other in zip(GENDERS, reversed(GENDERS), strict=True)
    ]
    return _crossed(source, file, asked, kind="decision")


def _crossed(source: Source, file: File, asked: list[Row], *, kind: str) -> ItemSet:
    prompts_file, names_file = source.beside_or_shipped(PROMPTS), source.beside_or_shipped(NAMES)
    prompts = read_rows(prompts_file, Shape(required=("kind", "prompt"), named=True))
    prompts = prompts[prompts["kind"] == kind]
    refuse_rows(
        prompts, prompts_file, lambda row: lacking(row["prompt"], (FIRST, SECOND)), "Write both names."
    )
    pairs = _name_pairs(names_file)
    # Each phrasing has pairs of its own: who clusters by phrasing has clustered by names.
    own_pairs = [pairs[number :: len(prompts)] or pairs for number in range(len(prompts))]
    rows = []
    for place, one in enumerate(asked):
        for number, prompt in enumerate(prompts.to_dict("records")):
            male, female = own_pairs[number][place % len(own_pairs[number])]
            text = prompt["prompt"]
            for slot, value in one["slots"].items():
                text = text.replace(slot, value)
            rows.append(
                {
                    "item": f"{one['about']}, {prompt['id']}",
                    "unit": one["id"],
                    "about": one["about"],
                    "category": one["category"],
                    "part": one["part"] or NEUTRAL,
                    "gender": one["gender"],
                    "phrasing": prompt["id"],
                    "names": f"{male} and {female}",
                    "male": male,
                    "female": female,
                    "prompt": text,
                    "dropped": "",
                }
            )
    return ItemSet(pd.DataFrame(rows), (file, prompts_file, names_file))


def _name_pairs(file: File) -> list[tuple[str, str]]:
    """Men's and women's names of our association tests, by rank."""
    table = read_table(file, ("set", "word"))
    by_gender = [table.loc[table["set"] == f"{gender} names", "word"].unique() for gender in GENDERS]
    if not all(map(len, by_gender)):
        raise UserError(f"{file} has no male names or no female names.", "Name both sets so.")
    return list(zip(*by_gender, strict=False))
