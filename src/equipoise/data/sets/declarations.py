"""Declared pronouns: people who say which pronouns they use, and later sentences about them."""

from collections.abc import Iterator

import pandas as pd

from equipoise.data.reading import LINE, Shape, read_rows, read_table, row_error
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK

NAME = "equipoise-declarations"
TEXTS, PRONOUNS = "declarations.csv", "declared-pronouns.csv"
FORMS = ("subject", "object", "possessive")
KINDS = ("declaration", "name", "filler", "other", "sentence")
ANOTHER = "another person"
"""The level of `distance` at which a sentence about somebody else stands between, and then a neutral one."""


def load_declarations(source: Source) -> ItemSet:
    """Every sentence after every set of pronouns at every distance; names and phrasings take turns."""
    file, sets_file = source.file(TEXTS), source.beside_or_shipped(PRONOUNS)
    table = read_rows(file, Shape(required=("kind", "text"), optional=("detail",), named=True))
    texts = {kind: table[table["kind"] == kind].to_dict("records") for kind in KINDS}
    missing = [kind for kind in KINDS if not texts[kind]]
    if missing:
        raise UserError(
            f"{file} has no row of the kind {missing[0]!r}.", f"It needs rows of: {', '.join(KINDS)}."
        )
    for row in texts["sentence"]:
        if BLANK not in row["text"] or "<name>" not in row["text"] or row["detail"] not in FORMS:
            hint = f"Write both into it, and in the column detail one of: {', '.join(FORMS)}."
            raise row_error(file, row, f"a sentence lacks <name>, {BLANK} or its form", hint)
    sets = read_table(sets_file, ("set", "kind", *FORMS)).drop(columns=LINE).to_dict("records")
    rows = [row for one in sets for row in _rows(texts, one, sets)]
    return ItemSet(pd.DataFrame(rows), (file, sets_file))


def _rows(
    texts: dict[str, list[dict[str, str]]], declared: dict[str, str], sets: list[dict[str, str]]
) -> Iterator[dict[str, str]]:
    """The items of one set of pronouns."""
    fillers = [row["text"] for row in texts["filler"]]
    for place, sentence in enumerate(texts["sentence"]):
        name = texts["name"][place % len(texts["name"])]
        other = texts["other"][place % len(texts["other"])]["text"]
        turned = [*fillers[place % len(fillers) :], *fillers[: place % len(fillers)]]
        between = {str(count): turned[:count] for count in range(len(fillers) + 1)}
        between[ANOTHER] = [other, turned[0]]
        for number, (distance, more) in enumerate(between.items()):
            # Phrasings and names take turns at different speeds, so that neither goes with the other.
            phrasing = texts["declaration"][(place // 3 + number) % len(texts["declaration"])]
            told = phrasing["text"]
            for form in FORMS:
                told = told.replace(f"<{form}>", declared[form])
            after = " ".join([*more, sentence["text"]]).replace("<name>", name["text"])
            form = sentence["detail"]
            yield {
                "item": f"{sentence['id']}, {declared['set']}, {distance}",
                "sentence": sentence["id"],
                "pronouns": declared["set"],
                "kind": declared["kind"],
                "distance": distance,
                "form": form,
                "phrasing": phrasing["id"],
                "name_gender": name["detail"],
                "text": f"{told.replace('<name>', name['text'])} {after}",
                "undeclared": after,
                "declared": declared[form],
                "words": "|".join(dict.fromkeys(one[form] for one in sets)),
                "dropped": "",
            }
