"""Sentences about a person named by an epicene noun: frames crossed with nouns and fields of work.

A language is a folder of five files: frames, nouns, fields of work, the poles (its pronouns), and a table of
the words that agree with a noun. German is `text/languages/de`; docs/extending.md says how to add one.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from equipoise.data.lint import Finding
from equipoise.data.reading import (
    LANGUAGE_FILES,
    LANGUAGES,
    LINE,
    File,
    Shape,
    check_rows,
    read_rows,
    refuse_rows,
)
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK

NOUN, FIELD = "{noun}", "{field}"
FRAMES, NOUNS, FIELDS, POLES = LANGUAGE_FILES
AGREEMENT = "agreement.csv"
FILES = (*LANGUAGE_FILES, AGREEMENT)
GERMAN = LANGUAGES / "de"
AGREES, HARMLESS = "agrees", "harmless"

_PLACES = {NOUN: "for the person", FIELD: "for the work", BLANK: "for what is filled in"}
FRAME_SHAPE = Shape(required=("id", "template"), once={"template": _PLACES}, unique=("id",))


def load_epicene(source: Source) -> ItemSet:
    """Every frame with every noun and field; a frame with an agreeing word is dropped with the reason.

    A field without a majority is a control: it says nothing of the work, so only agreement speaks there.
    """
    files = language_files(source)
    shapes = (
        FRAME_SHAPE,
        Shape(required=("noun", "agreement", "gender"), unique=("noun",)),
        Shape(required=("field", "majority", "category"), unique=("field",)),
    )
    read = (files[FRAMES], files[NOUNS], files[FIELDS])
    frames, nouns, fields = (read_rows(file, shape) for file, shape in zip(read, shapes, strict=True))
    if not fields["majority"].eq("").any():
        raise UserError(
            f"{files[FIELDS]} has no control, a field without a majority.",
            "Add one that says nothing of the work, such as `hier`: agreement is measured there.",
        )
    agreement = Agreement(files[AGREEMENT])
    rows = [
        _item(frame, noun, field, leaks)
        for frame in frames.to_dict("records")
        for leaks in [agreement.leaks(frame["template"])]
        for noun in nouns.to_dict("records")
        for field in fields.to_dict("records")
    ]
    return ItemSet(pd.DataFrame(rows), tuple(files.values()))


def language_files(source: Source) -> dict[str, Path]:
    """The five files by name: the user's, with German ones for those that are missing.

    A folder with pronouns of its own is another language, whose nouns would not fit German frames.
    """
    if source.is_dataset:
        return {name: source.beside_or_shipped(name) for name in FILES}
    there = {name: path for name in FILES if (path := source.beside(name))}
    named = source.given.name if isinstance(source.given, Path) else ""
    if not there or not (Path(source.name).is_dir() or named in FILES):
        raise UserError(
            f"{source.given} holds no sentences for `epicene`.",
            f"Give a folder that holds some of {', '.join(FILES)}.",
        )
    missing = [name for name in FILES if name not in there]
    if POLES in there and missing:
        raise UserError(
            f"{there[POLES].parent} is a language of its own, for it holds {POLES}, and has no {missing[0]}.",
            f"Add {', '.join(missing)}: docs/extending.md shows each of them.",
        )
    return {name: there.get(name, GERMAN / name) for name in FILES}


class Agreement:
    """A language's table of words that agree with a noun, and of look-alikes that do not."""

    def __init__(self, file: File) -> None:
        shape = Shape(required=("kind", "pattern"), filled=("pattern",), one_of={"kind": (AGREES, HARMLESS)})
        table = read_rows(file, shape)
        refuse_rows(table, file, _pattern_problem, "Write a word, or a regular expression.")
        self.agrees, self.harmless = (
            _whole_words(table.loc[table["kind"] == kind, "pattern"]) for kind in (AGREES, HARMLESS)
        )

    def leaks(self, template: str) -> list[str]:
        """The words of a frame that agree with a noun, such as `ihre` or `, der`.

        The article of another noun ("die Familie", "in der Kita") agrees with that noun and is harmless.
        """
        for place in _PLACES:
            template = template.replace(place, "")
        return [match[0] for match in self.agrees.finditer(self.harmless.sub("", template))]


def _pattern_problem(row: dict[str, str]) -> str:
    try:
        re.compile(row["pattern"])
    except re.error as error:
        return f"the pattern {row['pattern']!r} is not a regular expression ({error})"
    return ""


def _whole_words(patterns: Iterable[str]) -> re.Pattern[str]:
    """Any of the patterns as whole words, in capitals or not; without patterns it matches nothing."""
    any_of = "|".join(patterns) or r"(?!)"
    return re.compile(rf"(?<!\w)(?:{any_of})(?!\w)", re.IGNORECASE)


def are_frames(table: pd.DataFrame) -> bool:
    """Whether a table holds frames rather than pairs."""
    return "template" in table and bool(table["template"].str.contains(NOUN, regex=False).any())


def frame_findings(table: pd.DataFrame, file: Path) -> list[Finding]:
    """Every word of a frame that agrees with a noun, by the agreement table beside it or the German one."""
    check_rows(table, file, FRAME_SHAPE)
    agreement = Agreement(Source(str(file), file).beside(AGREEMENT) or GERMAN / AGREEMENT)
    return [
        Finding(row[LINE], row["id"], "agreement", f"{word!r} agrees with a noun")
        for row in table.to_dict("records")
        for word in agreement.leaks(row["template"])
    ]


def _item(
    frame: dict[str, str], noun: dict[str, str], field: dict[str, str], leaks: list[str]
) -> dict[str, str]:
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
