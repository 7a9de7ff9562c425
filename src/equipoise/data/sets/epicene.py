"""Sentences about a person named by an epicene noun: frames crossed with nouns and fields of work."""

import pandas as pd

from equipoise.data.lint import Finding
from equipoise.data.reading import LINE, File, Shape, check_rows, read_rows
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.languages.de import agreement_leaks

NOUN, FIELD = "{noun}", "{field}"
FRAMES, NOUNS, FIELDS = "epicene-frames-de.csv", "epicene-nouns-de.csv", "epicene-fields-de.csv"

_PLACES = {NOUN: "for the person", FIELD: "for the work", BLANK: "for what is filled in"}
FRAME_SHAPE = Shape(required=("id", "template"), once={"template": _PLACES}, unique=("id",))


def load_epicene(source: Source) -> ItemSet:
    """Every frame with every noun and field; a frame with an agreeing word is dropped with the reason.

    A field without a majority is a control: it says nothing of the work, so only agreement speaks there.
    """
    files = [source.beside_or_shipped(name) for name in (FRAMES, NOUNS, FIELDS)]
    shapes = (
        FRAME_SHAPE,
        Shape(required=("noun", "agreement", "gender"), unique=("noun",)),
        Shape(required=("field", "majority", "category"), unique=("field",)),
    )
    frames, nouns, fields = (read_rows(file, shape) for file, shape in zip(files, shapes, strict=True))
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


def are_frames(table: pd.DataFrame) -> bool:
    """Whether a table holds frames rather than pairs."""
    return "template" in table and bool(table["template"].str.contains(NOUN, regex=False).any())


def frame_findings(table: pd.DataFrame, file: File) -> list[Finding]:
    """Every word of a frame that agrees with a noun, and so gives the pronoun away."""
    check_rows(table, file, FRAME_SHAPE)
    return [
        Finding(row[LINE], row["id"], "agreement", f"{word!r} agrees with a noun")
        for row in table.to_dict("records")
        for word in _leaks(row["template"])
    ]


def _leaks(template: str) -> list[str]:
    return agreement_leaks(template.replace(NOUN, "").replace(FIELD, "").replace(BLANK, ""))


def _item(frame: dict[str, str], noun: dict[str, str], field: dict[str, str]) -> dict[str, str]:
    leaks = _leaks(frame["template"])
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
