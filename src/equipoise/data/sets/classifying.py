"""Texts for classifiers: sentences about men to be turned, templates for names, premises and hypotheses."""

import pandas as pd

from equipoise.data.reading import (
    LINE,
    TABLES,
    File,
    name_rows,
    own_table,
    read_table,
    refuse_repeats,
    with_columns,
)
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.sides import FEMALE, MALE

NAME = "equipoise-classifying"
TEXTS, TEMPLATES, PREDICATES = "classifier-texts.csv", "name-templates.csv", "inference-predicates.csv"
PROFESSIONS, SETS = "schema-professions.csv", "association-sets.csv"
SLOT = "<name>"


def load_texts(source: Source) -> ItemSet:
    """Texts with what they are about, if it is known (columns text, topic, tone)."""
    file = source.file(TEXTS)
    table = with_columns(name_rows(read_table(file, ("text",))), ("topic", "tone"))
    refuse_repeats(table, ("id",), file)
    items = table.rename(columns={"id": "item"})[["item", "topic", "tone", "text"]]
    return ItemSet(items.assign(dropped=""), (file,))


def load_named_texts(source: Source) -> ItemSet:
    """Every template with every name: columns template, name, gender, text."""
    file = source.file(TEMPLATES)
    table = name_rows(read_table(file, ("template",)))
    for row in table.to_dict("records"):
        if SLOT not in row["template"]:
            raise UserError(
                f"{file}, line {row[LINE]}: there is no {SLOT}.", f"Write {SLOT} where a name goes."
            )
    names_file = source.beside("names.csv") or TABLES / SETS
    names = _read_names(names_file)
    crossed = table[["id", "template"]].merge(names, how="cross")
    crossed = crossed.assign(
        item=crossed["id"] + " " + crossed["name"],
        text=[
            text.replace(SLOT, name) for text, name in zip(crossed["template"], crossed["name"], strict=True)
        ],
        template=crossed["id"],
        dropped="",
    )
    return ItemSet(crossed[["item", "template", "name", "gender", "text", "dropped"]], (file, names_file))


def load_premises(source: Source) -> ItemSet:
    """Premises about a profession, each with a hypothesis about a man and one about a woman."""
    file = source.file(PREDICATES)
    predicates = name_rows(read_table(file, ("predicate",)))
    professions_file = source.beside_or_shipped(PROFESSIONS)
    professions = read_table(professions_file, ("profession", "gender"))
    crossed = professions[["profession", "gender"]].merge(predicates[["id", "predicate"]], how="cross")
    crossed = crossed.rename(columns={"gender": "leaning", "id": "pattern"})
    crossed = crossed.assign(
        item=crossed["profession"] + " " + crossed["pattern"],
        premise="The " + crossed["profession"] + " " + crossed["predicate"] + ".",
        male="The man " + crossed["predicate"] + ".",
        female="The woman " + crossed["predicate"] + ".",
        dropped="",
    )
    return ItemSet(crossed.drop(columns="predicate"), (file, professions_file))


def load_labelled(source: Source) -> ItemSet:
    """Texts with their true label and the gender they are about (columns text, label, gender)."""
    if source.given is None:
        raise UserError(
            "No labelled texts were given.", "Name a CSV with the columns text, label and gender with --data."
        )
    file = source.file("labelled.csv")
    table = name_rows(read_table(file, ("text", "label", "gender")))
    refuse_repeats(table, ("id",), file)
    for row in table.to_dict("records"):
        if row["gender"] not in (MALE, FEMALE) or not row["label"].strip():
            raise UserError(
                f"{file}, line {row[LINE]}: label {row['label']!r}, gender {row['gender']!r}.",
                f"Give a label, and {MALE} or {FEMALE} as the gender.",
            )
    items = table.rename(columns={"id": "item"})[["item", "label", "gender", "text"]]
    return ItemSet(items.assign(dropped=""), (file,))


def _read_names(file: File) -> pd.DataFrame:
    """Names with a gender: a user's file, or those of the shipped association tests."""
    if isinstance(file, type(TABLES)) and file == TABLES / SETS:
        table = own_table(SETS)
        named = table[table["set"].isin(("male names", "female names"))].drop_duplicates("word")
        return pd.DataFrame({"name": named["word"], "gender": named["set"].str.removesuffix(" names")})
    table = read_table(file, ("name", "gender"))
    if set(table["gender"]) != {MALE, FEMALE}:
        raise UserError(f"{file} has no names of both genders.", f"Give {MALE} and {FEMALE} names.")
    return table[["name", "gender"]]
