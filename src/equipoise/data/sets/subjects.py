"""Person phrases of two poles, in pairs that belong together: "the man" and "the woman"."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from equipoise.data.poles import DEFAULT_POLES, Poles
from equipoise.data.reading import TABLES, File, Shape, own_table, read_rows
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
    columns = ("pair", "pole", "phrase")
    table = read_rows(file, Shape(required=columns, filled=columns[1:], unique=("phrase",)))
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
    places = {PERSON: "where the person goes", BLANK: "where the model fills a word in"}
    shape = Shape(required=("id", "template"), optional=("topic",), once={"template": places}, unique=("id",))
    return read_rows(file, shape)
