"""Requests for stories: people with an occupation, people whose gender is known, and phrasings."""

import pandas as pd

from equipoise.data.reading import Shape, lacking, read_rows, refuse_rows
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.text.languages.en.articles import indefinite_article

NAME = "equipoise-stories"
OCCUPATIONS, GUARDS, PROMPTS = "occupations.csv", "story-guards.csv", "story-prompts.csv"
SLOTS = ("<a person>", "<A person>")
NEUTRAL, GUARD = "occupation", "guard"


def load_stories(source: Source) -> ItemSet:
    """Every person in every phrasing, occupations first, then people whose gender is known."""
    file = source.file(OCCUPATIONS)
    optional = ("percent_women", "title")
    people = read_rows(file, Shape(required=("profession",), optional=optional))
    people = people.assign(category=NEUTRAL, gender="")
    guards_file, prompts_file = source.beside_or_shipped(GUARDS), source.beside_or_shipped(PROMPTS)
    guards = read_rows(guards_file, Shape(required=("profession", "gender"), optional=optional))
    guards = guards.assign(category=GUARD)
    prompts = read_rows(prompts_file, Shape(required=("prompt",), named=True))
    hint = f"Write {SLOTS[0]} where a person goes."
    refuse_rows(prompts, prompts_file, lambda row: lacking(row["prompt"].lower(), SLOTS[:1]), hint)
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
