"""Words and person phrases for two poles, such as male and female; lists are matched in lower case."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from equipoise.data.poles import DEFAULT_POLES, Poles, load_poles
from equipoise.data.reading import LINE, TABLES, own_table, read_table
from equipoise.errors import UserError
from equipoise.text.templates import BLANK, refuse_repeats

PERSON = "<person>"
NEITHER = "neither"
SUBJECTS = TABLES / "subjects.csv"


@dataclass(frozen=True)
class WordLists:
    """The words of two poles as they are written; whether a word is among them is asked in lower case."""

    words: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> tuple[str, str]:
        """The two poles, the first one first."""
        first, second = self.words
        return first, second

    def pole_of(self, word: str) -> str:
        """The pole whose list holds the word, or `neither`."""
        return self._lookup.get(word.strip().lower(), NEITHER)

    @cached_property
    def _lookup(self) -> dict[str, str]:
        return {word.lower(): pole for pole, words in self.words.items() for word in words}


def word_lists(words: Mapping[str, Iterable[str]], source: Path | str) -> WordLists:
    """Two lists without repeats; a word that stands in both would count for either, so it is refused."""
    lists = {pole: _distinct(given) for pole, given in words.items()}
    first, second = ({word.lower() for word in listed} for listed in lists.values())
    if first & second:
        raise UserError(
            f"{source}: {', '.join(sorted(first & second))} stands in the lists of both poles.",
            "Leave a word that can be either out of both lists.",
        )
    for pole, listed in lists.items():
        if not listed:
            raise UserError(f"{source}: there is no word for the pole {pole!r}.", "Add at least one.")
    return WordLists(lists)


def words_of_poles(poles: Poles) -> dict[str, tuple[str, ...]]:
    """The words of the first two poles: their nouns where they have any, else every form."""
    has_nouns = all(poles.words.get((pole, "noun")) for pole in poles.names[:2])
    forms = ("noun",) if has_nouns else poles.forms
    return {pole: tuple(word for form in forms for word in poles.at(form)[pole]) for pole in poles.names[:2]}


def read_word_pairs(path: Path, poles: Poles) -> WordLists:
    """The words of a file with a column for each pole, and those of the poles themselves."""
    table = read_table(path, poles.names[:2])
    own = words_of_poles(poles)
    return word_lists({pole: (*table[pole], *own[pole]) for pole in own}, path)


def subjects_for(poles_name: str, beside: Path | None = None) -> tuple[pd.DataFrame, Path]:
    """Person phrases (columns pair, pole, phrase) of a user's file, the shipped file or other poles."""
    if beside is not None:
        return read_subjects(beside), beside
    if poles_name == DEFAULT_POLES:
        return read_subjects(SUBJECTS), SUBJECTS
    poles = load_poles(poles_name)
    return subjects_of_poles(poles, own_table("person-professions.csv")["profession"]), poles.path


def read_subjects(path: Path) -> pd.DataFrame:
    """Person phrases with their pole, in pairs that belong together."""
    table = read_table(path, ("pair", "pole", "phrase"))
    for row in table.to_dict("records"):
        if not (row["pole"].strip() and row["phrase"].strip()):
            raise UserError(f"{path}, line {row[LINE]}: no pole or no phrase.", "Fill both columns in.")
    refuse_repeats(table, ("phrase",), path)
    found = table["pole"].nunique()
    if found != 2:
        raise UserError(f"{path} has phrases of {found} poles where two are compared.", "Give two poles.")
    return table[["pair", "pole", "phrase"]]


def subjects_of_poles(poles: Poles, professions: Iterable[str]) -> pd.DataFrame:
    """Person phrases made of poles: "the Muslim", and "the Muslim dentist" for each profession."""
    jobs, rows = list(professions), []
    for pole in poles.names[:2]:
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


def read_person_templates(path: Path) -> pd.DataFrame:
    """Templates with one slot for a person and one blank: columns id, template, and topic if there is one."""
    table = read_table(path, ("id", "template"))
    refuse_repeats(table, ("id",), path)
    for row in table.to_dict("records"):
        for mark in (PERSON, BLANK):
            if row["template"].count(mark) != 1:
                raise UserError(
                    f"{path}, line {row[LINE]}: {row['template']!r} has {row['template'].count(mark)} "
                    f"times {mark} where one is expected.",
                    f"Write {PERSON} where the person goes and {BLANK} where the model fills a word in.",
                )
    return table if "topic" in table else table.assign(topic="")


def with_person(template: str, phrase: str) -> str:
    """The template with a person phrase in its slot; a sentence begins with a capital."""
    text = template.replace(PERSON, phrase)
    return text[:1].upper() + text[1:] if template.startswith(PERSON) else text


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    """The words that are not empty, each once however it is capitalised."""
    found: dict[str, str] = {}
    for word in words:
        if word.strip():
            found.setdefault(word.strip().lower(), word.strip())
    return tuple(found.values())
