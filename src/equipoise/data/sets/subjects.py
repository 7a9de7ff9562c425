"""Person phrases of two poles, in pairs that belong together: "the man" and "the woman"."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from equipoise.data.poles import DEFAULT_POLES, Poles
from equipoise.data.reading import LINE, TABLES, File, own_table, read_table, refuse_repeats, with_columns
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.blank import BLANK
from equipoise.text.gendered import PERSON

NAME = "subjects.csv"
SUBJECTS = TABLES / NAME


@dataclass(frozen=True)
class Subjects:
    """Person phrases (columns pair, pole, phrase) and the file they came from."""

    table: pd.DataFrame
    file: File

    @property
    def poles(self) -> tuple[str, str]:
        """The two poles, the first one first."""
        first, second = self.table["pole"].unique()
        return str(first), str(second)


def load_subjects(source: Source, poles: Poles) -> Subjects:
    """The phrases that a user put beside the data, the shipped ones, or some made of other poles."""
    own = source.beside(NAME)
    if own is not None:
        return Subjects(read_subjects(own), own)
    if poles.name == DEFAULT_POLES:
        return Subjects(read_subjects(SUBJECTS), SUBJECTS)
    return Subjects(subjects_of_poles(poles, own_table("person-professions.csv")["profession"]), poles.path)


def read_subjects(file: File) -> pd.DataFrame:
    """Person phrases with their pole, checked line by line."""
    table = read_table(file, ("pair", "pole", "phrase"))
    for row in table.to_dict("records"):
        if not (row["pole"].strip() and row["phrase"].strip()):
            raise UserError(f"{file}, line {row[LINE]}: no pole or no phrase.", "Fill both columns in.")
    refuse_repeats(table, ("phrase",), file)
    count = table["pole"].nunique()
    if count != 2:
        raise UserError(f"{file} has phrases of {count} poles where two are compared.", "Give two poles.")
    return table[["pair", "pole", "phrase"]]


def subjects_of_poles(poles: Poles, professions: Iterable[str]) -> pd.DataFrame:
    """Person phrases made of poles: "the Muslim", and "the Muslim dentist" for each profession."""
    jobs, rows = list(professions), []
    for pole in poles.pair:
        nouns, adjectives = (poles.words.get((pole, form), ()) for form in ("noun", "adjective"))
        rows += [(f"noun {place}", pole, f"the {word}") for place, word in enumerate(nouns)]
        rows += [
            (f"{job} {place}", pole, f"the {word} {job}")
            for job in jobs
            for place, word in enumerate(adjectives)
        ]
    table = pd.DataFrame(rows, columns=["pair", "pole", "phrase"])
    if table["pole"].nunique() != 2:
        raise UserError(
            f"The poles {poles.name!r} have no nouns or adjectives to name a person with.",
            f"Give both poles words of the form noun or adjective; they have {', '.join(poles.forms)}.",
        )
    return table


def read_person_templates(file: File) -> pd.DataFrame:
    """The columns id and template, and topic if there is one."""
    table = read_table(file, ("id", "template"))
    refuse_repeats(table, ("id",), file)
    for row in table.to_dict("records"):
        for mark in (PERSON, BLANK):
            if row["template"].count(mark) != 1:
                raise UserError(
                    f"{file}, line {row[LINE]}: {row['template']!r} has {row['template'].count(mark)} "
                    f"times {mark} where one is expected.",
                    f"Write {PERSON} where the person goes and {BLANK} where the model fills a word in.",
                )
    return with_columns(table, ("topic",))
