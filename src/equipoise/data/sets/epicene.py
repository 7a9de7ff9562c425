"""Sentences about a person named by an epicene noun: frames crossed with nouns and fields of work."""

import pandas as pd

from equipoise.data.reading import LINE, read_table, refuse_repeats
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK, count_blanks
from equipoise.text.languages.de import agreement_leaks

NOUN, FIELD = "{noun}", "{field}"
FRAMES, NOUNS, FIELDS = "epicene-frames-de.csv", "epicene-nouns-de.csv", "epicene-fields-de.csv"


def load_epicene(source: Source) -> ItemSet:
    """Every frame with every noun and field; a frame with an agreeing word is dropped with the reason.

    A field without a majority is a control: it says nothing of the work, so only agreement speaks there.
    """
    files = [source.beside_or_shipped(name) for name in (FRAMES, NOUNS, FIELDS)]
    frames = read_table(files[0], ("id", "template"))
    nouns = read_table(files[1], ("noun", "agreement", "gender"))
    fields = read_table(files[2], ("field", "majority", "category"))
    named = ((frames, "id"), (nouns, "noun"), (fields, "field"))
    for (table, column), file in zip(named, files, strict=True):
        refuse_repeats(table, (column,), file)
    for row in frames.to_dict("records"):
        counts = (count_blanks(row["template"]), row["template"].count(NOUN), row["template"].count(FIELD))
        if counts != (1, 1, 1):
            raise UserError(
                f"{files[0]}, line {row[LINE]}: {row['template']!r} is not a frame.",
                f"Write {NOUN}, {FIELD} and {BLANK} once each.",
            )
    if not fields["majority"].eq("").any():
        raise UserError(
            f"{files[2]} has no control, a field without a majority.",
            "Add one that says nothing of the work, such as `hier`: agreement is measured there.",
        )
    rows = [
        _item(frame, noun, field)
        for frame in frames.to_dict("records")
        for noun in nouns.to_dict("records")
        for field in fields.to_dict("records")
    ]
    return ItemSet(pd.DataFrame(rows), tuple(files))


def _item(frame: dict[str, str], noun: dict[str, str], field: dict[str, str]) -> dict[str, str]:
    leaks = agreement_leaks(frame["template"].replace(NOUN, "").replace(FIELD, "").replace(BLANK, ""))
    return {
        "item": f"{frame['id']}:{noun['noun']}:{field['field']}",
        "text": frame["template"].replace(NOUN, noun["noun"]).replace(FIELD, field["field"]),
        "template": frame["id"],
        "noun": noun["noun"],
        "agreement": noun["agreement"],
        "gender": noun["gender"],
        "profession": field["field"],
        "majority": field["majority"],
        "category": field["category"],
        "dropped": f"agreement leak: {leaks[0]!r} agrees with a noun" if leaks else "",
    }
