"""Frames: what is put in front of a sentence to see how far its score moves, by language."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.data.reading import LINE, TABLES, read_table, with_columns
from equipoise.data.sources import Source
from equipoise.errors import UserError
from equipoise.text.perturbations import PLACE

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
    """The frames of a file; without the column `language` a user's fit every sentence, ours English ones."""
    default = ENGLISH if path == FRAMES else ""
    table = with_columns(read_table(path, ("id", "frame")), ("language",))
    by_language: dict[str, dict[str, str]] = {}
    for row in table.to_dict("records"):
        if row["frame"].count(PLACE) != 1:
            raise UserError(
                f"{path}, line {row[LINE]}: the frame {row['frame']!r} does not say where the sentence goes.",
                f"Write {PLACE} in it once.",
            )
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
