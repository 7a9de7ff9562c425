"""Frames and other harmless changes of a sentence, to see how far its score moves."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.data.reading import TABLES, Shape, read_rows
from equipoise.data.sources import Source
from equipoise.text.blank import BLANK

FILE = "frames.csv"
FRAMES = TABLES / FILE
ENGLISH = "en"
"""The language of every published data set that is asked in frames."""


@dataclass(frozen=True)
class Frames:
    """Frames by language and name; those under "" fit every sentence, because a user gave them."""

    path: Path
    by_language: Mapping[str, Mapping[str, str]]

    def fitting(self, language: str) -> dict[str, str]:
        """The frames for a language tag such as `en` or `en-GB`; none for an unknown language."""
        return {**self.by_language.get("", {}), **self.by_language.get(_primary(language), {})}

    def unframed(self, languages: list[str]) -> tuple[str, ...]:
        """Say which sentences got no frame and what to do; nothing if all of them did."""
        said = []
        for language in dict.fromkeys(languages):
            if not self.fitting(language):
                of = f"in the language {language!r}" if language else "whose language is not stated"
                said.append(
                    f"no frame was put in front of {languages.count(language)} sampled sentences {of}: "
                    f"frames ship for {ENGLISH}; name the language in a column `language`, or put a {FILE} "
                    "beside the file"
                )
        return tuple(said)


def load_frames(path: Path = FRAMES) -> Frames:
    """Read frames. Without a column `language` a user's frames fit every sentence; ours fit English ones."""
    default = ENGLISH if path == FRAMES else ""
    places = {"frame": {PLACE: "where the sentence goes"}}
    table = read_rows(path, Shape(required=("id", "frame"), optional=("language",), once=places))
    by_language: dict[str, dict[str, str]] = {}
    for row in table.to_dict("records"):
        by_language.setdefault(_primary(row["language"] or default), {})[row["id"]] = row["frame"]
    return Frames(path, by_language)


def frames_for(source: Source) -> Frames:
    """The frames that lie beside a user's data, or the shipped ones."""
    return load_frames(source.beside(FILE) or FRAMES)


def language_of(source: Source, given: str) -> str:
    """The language of a row: English in the known data sets, else what the row says."""
    return ENGLISH if source.is_dataset else given.strip()


def _primary(tag: str) -> str:
    """The language of a tag, without its region."""
    return tag.strip().lower().replace("_", "-").split("-")[0]


ORIGINAL = "original"
"""The variation of a sentence as it was written."""

LOWER_CASE = "lower-case"

PLACE = "{sentence}"
"""Where a frame says that the sentence goes."""

# Words that keep their capital inside a sentence; without a list of names, names are not recognised.
_KEEPS_CAPITAL = re.compile(
    r"I(?![a-z])|[A-Z][A-Z]|(?:Mr|Mrs|Ms|Dr|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?\b"
    r"|(?:January|February|March|April|June|July|August|September|October|November|December)\b"
)


def can_be_varied(sentence: str) -> bool:
    """Whether every change applies: a statement that ends in a period and does not open in quotation."""
    return sentence.endswith(".") and (sentence.startswith(BLANK) or sentence[:1].isalpha())


def varied(sentence: str, frames: Mapping[str, str]) -> dict[str, str]:
    """The changed forms of a sentence by name."""
    inner = decapitalised(sentence)
    return {
        "no-period": sentence.removesuffix("."),
        LOWER_CASE: lower_cased(sentence),
    } | {name: frame.replace(PLACE, inner) for name, frame in frames.items()}


def lower_cased(sentence: str) -> str:
    """The sentence in lower case, its blank left as it is."""
    return BLANK.join(part.lower() for part in sentence.split(BLANK))


def decapitalised(sentence: str) -> str:
    """The sentence as it stands inside another: its first letter small unless the word keeps it."""
    if _KEEPS_CAPITAL.match(sentence):
        return sentence
    return sentence[:1].lower() + sentence[1:]
