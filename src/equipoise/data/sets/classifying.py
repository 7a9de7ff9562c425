"""Texts for classifiers: sentences about men to be turned, templates for names, premises and hypotheses."""

import pandas as pd

from equipoise.data.reading import (
    LINE,
    TABLES,
    File,
    Shape,
    lacking,
    own_table,
    read_rows,
    read_table,
    refuse_rows,
)
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.gendered import FEMALE, MALE

NAME = "equipoise-classifying"
TEXTS, TEMPLATES, PREDICATES = "classifier-texts.csv", "name-templates.csv", "inference-predicates.csv"
PROFESSIONS, SETS = "schema-professions.csv", "association-sets.csv"
ORIGINS = "names-by-origin.csv"
"""Frequent first names of six origins, six for either gender: the column origin."""
SLOT = "<name>"


def load_texts(source: Source) -> ItemSet:
    """Texts with what they are about, if it is known (columns text, topic, tone)."""
    file = source.file(TEXTS)
    shape = Shape(required=("text",), optional=("topic", "tone"), named=True, unique=("id",))
    table = read_rows(file, shape)
    items = table.rename(columns={"id": "item"})[["item", "topic", "tone", "text"]]
    return ItemSet(items.assign(dropped=""), (file,))


def load_named_texts(source: Source, *, by_origin: bool = False) -> ItemSet:
    """Every template with every name: columns template, name, gender, text, and those of the user's names."""
    file = source.file(TEMPLATES)
    table = read_rows(file, Shape(required=("template",), named=True))
    hint = f"Write {SLOT} where a name goes."
    refuse_rows(table, file, lambda row: lacking(row["template"], (SLOT,)), hint)
    names_file = source.beside("names.csv") or TABLES / (ORIGINS if by_origin else SETS)
    names = read_names(names_file)
    crossed = table[["id", "template"]].merge(names, how="cross")
    crossed = crossed.assign(
        item=crossed["id"] + " " + crossed["name"],
        text=[
            text.replace(SLOT, name) for text, name in zip(crossed["template"], crossed["name"], strict=True)
        ],
        template=crossed["id"],
        dropped="",
    )
    kept = ["item", "template", *names.columns, "text", "dropped"]
    return ItemSet(crossed[list(dict.fromkeys(kept))], (file, names_file))


def load_premises(source: Source) -> ItemSet:
    """Premises about a profession, each with a hypothesis about a man and one about a woman."""
    file = source.file(PREDICATES)
    predicates = read_rows(file, Shape(required=("predicate",), named=True))
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
    shape = Shape(
        required=("text", "label", "gender"),
        named=True,
        filled=("label",),
        one_of={"gender": (MALE, FEMALE)},
        unique=("id",),
    )
    table = read_rows(file, shape)
    items = table.rename(columns={"id": "item"})[["item", "label", "gender", "text"]]
    return ItemSet(items.assign(dropped=""), (file,))


def read_names(file: File, *columns: str) -> pd.DataFrame:
    """Read names with gender and further columns: a user's file, or the shipped association tests."""
    if isinstance(file, type(TABLES)) and file == TABLES / SETS:
        table = own_table(SETS)
        named = table[table["set"].isin(("male names", "female names"))].drop_duplicates("word")
        return pd.DataFrame({"name": named["word"], "gender": named["set"].str.removesuffix(" names")})
    table = read_table(file, ("name", "gender", *columns))
    if set(table["gender"]) != {MALE, FEMALE}:
        raise UserError(f"{file} has no names of both genders.", f"Give {MALE} and {FEMALE} names.")
    return table.drop(columns=[name for name in (LINE, "id", "template", "item", "text") if name in table])
