"""WinoBias with "person" for every occupation: the sentences of the competency study (section 4.4)."""

import re

import pandas as pd

from equipoise.data.poles import Poles
from equipoise.data.reading import File
from equipoise.data.sets.winobias import PERCENT_WOMEN, published_pairs, read_winobias
from equipoise.data.sources import Source

STUDIED = "type2-test-"
"""How the names of the sentences begin that the study labelled."""

NAMED = r"type[12]-(?:dev|test)-\d+$"
"""The name of a sentence of WinoBias."""

_OCCUPATIONS = "|".join(map(re.escape, sorted(PERCENT_WOMEN, key=len, reverse=True)))
_MENTION = re.compile(rf"(?:\b(an?)\s+)?\b(?:{_OCCUPATIONS})\b", re.IGNORECASE)


def person_sentences(source: Source, poles: Poles) -> tuple[pd.DataFrame, tuple[File, ...]]:
    """The sentences of both types and splits that can be asked (id, sentence, form), and their files."""
    pairs = published_pairs(source)
    table = read_winobias(pairs, poles)
    asked = table[table["dropped"] == ""]
    texts = [without_occupations(text) for text in asked["text"]]
    known = pd.DataFrame({"id": asked["item"], "sentence": texts, "form": asked["form"]})
    return known, tuple(path for pair in pairs for path in (pair.pro, pair.anti))


def without_occupations(text: str) -> str:
    """The sentence with "person" for every occupation, and "a" for an article before it."""
    return _MENTION.sub(_person, text)


def _person(match: re.Match[str]) -> str:
    if not match[1]:
        return "person"
    return f"{match[1][0]} person"
