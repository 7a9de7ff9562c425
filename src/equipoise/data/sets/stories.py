"""Requests for stories: people with an occupation, people whose gender is known, and phrasings."""

import pandas as pd

from equipoise.data.reading import LINE, name_rows, read_table, with_columns
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.languages.en.articles import indefinite_article

NAME = "equipoise-stories"
OCCUPATIONS, GUARDS, PROMPTS = "occupations.csv", "story-guards.csv", "story-prompts.csv"
SLOTS = ("<a person>", "<A person>")
NEUTRAL, GUARD = "occupation", "guard"


def load_stories(source: Source) -> ItemSet:
    """Every person in every phrasing, occupations first, then people whose gender is known."""
    file = source.file(OCCUPATIONS)
    people = with_columns(read_table(file, ("profession",)), ("percent_women", "title"))
    people = people.assign(category=NEUTRAL, gender="")
    guards_file, prompts_file = source.beside_or_shipped(GUARDS), source.beside_or_shipped(PROMPTS)
    guards = with_columns(read_table(guards_file, ("profession", "gender")), ("percent_women", "title"))
    guards = guards.assign(category=GUARD)
    prompts = name_rows(read_table(prompts_file, ("prompt",)))
    for row in prompts.to_dict("records"):
        if not any(slot in row["prompt"] for slot in SLOTS):
            raise UserError(
                f"{prompts_file}, line {row[LINE]}: there is no {SLOTS[0]}.",
                f"Write {SLOTS[0]} where a person goes.",
            )
    columns = ["profession", "category", "gender", "percent_women", "title"]
    everyone = pd.concat([people[columns], guards[columns]], ignore_index=True)
    crossed = everyone.merge(prompts[["id", "prompt"]], how="cross").rename(columns={"id": "phrasing"})
    crossed["percent_women"] = pd.to_numeric(crossed["percent_women"], errors="coerce")
    crossed["prompt"] = [_asked(*pair) for pair in zip(crossed["prompt"], crossed["profession"], strict=True)]
    crossed["item"] = crossed["profession"] + ", " + crossed["phrasing"]
    return ItemSet(crossed.assign(dropped=""), (file, guards_file, prompts_file))


def _asked(prompt: str, person: str) -> str:
    named = f"{indefinite_article(person)} {person}"
    return prompt.replace(SLOTS[0], named).replace(SLOTS[1], named[:1].upper() + named[1:])
