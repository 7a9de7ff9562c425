"""Association tests: two sets of targets and two of attributes, as words or as sentences around them.

A user's table has a row for each word: `test`, `role` (first target, second target, first attribute, second
attribute), `set` (what the words have in common) and `word`, perhaps `text`, a sentence that holds it. The
published files (May et al. 2019) hold a test each, in JSON.
"""

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.reading import TABLES, File, Shape, lacking, read_rows, read_text, refuse_rows
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError

OWN, PUBLISHED = "equipoise-associations", "seat"
TABLE, FRAMES = "association-sets.csv", "association-frames.csv"
TARGETS = ("first target", "second target")
ATTRIBUTES = ("first attribute", "second attribute")
ROLES = (*TARGETS, *ATTRIBUTES)
SLOT = "<word>"
GENDER_TESTS = ("weat6", "weat6b", "weat7", "weat7b", "weat8", "weat8b")
"""The published tests about women and men; a whole folder holds others besides."""

FRAME_WORDS = frozenset(
    [
        *("this", "that", "these", "those", "there", "here", "it", "they", "is", "are", "a", "an", "the"),
        *("person", "person's", "people", "thing", "things", "name"),
    ]
)
"""What the published sentences are made of, beside the word that they are about."""

COLUMNS = ["test", "role", "set", "word", "cluster", "text"]
_PUBLISHED_ROLES = dict(zip(("targ1", "targ2", "attr1", "attr2"), ROLES, strict=True))
_SENTENCE = "sent-"


def load_association_tests(source: Source, *, sentences: bool) -> ItemSet:
    """The tests of a source; `text` is the word itself, or with `sentences` one around it."""
    files = _published_files(source, sentences=sentences)
    if files:
        table = pd.concat([_read_published(path, source) for path in files], ignore_index=True)
        return _checked(table, tuple(files))
    path = source.file(TABLE)
    table, used = _read_own(path), (path,)
    if not sentences:
        return _checked(table.assign(text=table["word"]), used)
    if "text" in table:
        return _checked(table, used)
    frames = source.beside_or_shipped(FRAMES) if source.name == OWN else source.beside(FRAMES)
    frames = frames or TABLES / FRAMES
    return _checked(_framed(table, frames), (*used, frames))


def _published_files(source: Source, *, sentences: bool) -> list[Path]:
    """The JSON files to read, if the source has any."""
    prefix = _SENTENCE if sentences else ""
    if source.name == PUBLISHED:
        return [source.path(f"{prefix}{name}.jsonl") for name in GENDER_TESTS]
    if source.has_suffix(".jsonl", ".json"):
        return [source.path("")]
    if isinstance(source.given, Path) and source.given.is_dir():
        held = {path.stem: path for path in sorted(source.given.glob("*.json*"))}
        fitting = [name for name in held if name.startswith(_SENTENCE) == sentences]
        gender = [f"{prefix}{name}" for name in GENDER_TESTS if f"{prefix}{name}" in held]
        return [held[name] for name in gender or fitting]
    return []


def _read_published(path: Path, source: Source) -> pd.DataFrame:
    """Read one test. A sentence is named after its word in the file next to it."""
    words = _words_beside(path, source)
    rows = []
    for role, (category, texts) in _sets(path).items():
        for text in texts:
            word = _content_word(text)
            near = get_close_matches(word.lower(), words.get(role, ()), n=1, cutoff=0.4)
            rows.append((path.stem, role, category, word, near[0] if near else (word or text).lower(), text))
    return pd.DataFrame(rows, columns=COLUMNS)


def _sets(path: Path) -> dict[str, tuple[str, list[str]]]:
    """The four sets of a published file, by role."""
    expected = f"Expected {', '.join(_PUBLISHED_ROLES)}, each with a category and a list of examples."
    try:
        content: dict[str, Any] = json.loads(read_text(path))
        return {
            role: (str(content[key]["category"]), [str(text) for text in content[key]["examples"]])
            for key, role in _PUBLISHED_ROLES.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path} is not an association test: {error!r}.", expected) from error


def _words_beside(path: Path, source: Source) -> dict[str, list[str]]:
    """The words of the test whose sentences a file holds; none if there is no such file."""
    if not path.stem.startswith(_SENTENCE):
        return {}
    name = path.name.removeprefix(_SENTENCE)
    beside = source.path(name) if source.name == PUBLISHED else path.with_name(name)
    if not beside.exists():
        return {}
    return {role: [text.lower() for text in texts] for role, (_, texts) in _sets(beside).items()}


def _content_word(text: str) -> str:
    """The one word of a published sentence that does not belong to its frame; a single word is its own."""
    words = re.findall(r"[\w'-]+", text)
    content = [word for word in words if word.lower() not in FRAME_WORDS]
    if len(words) == 1 or not content:
        return text.strip()
    return content[0] if len(content) == 1 else ""


def _read_own(file: File) -> pd.DataFrame:
    table = read_rows(
        file,
        Shape(required=("test", "role", "set", "word"), filled=("word",), one_of={"role": ROLES}),
    )
    hint = "Write the word as it stands in the text."
    refuse_rows(table, file, lambda row: lacking(row.get("text", row["word"]), (row["word"],)), hint)
    return table.assign(cluster=table["word"].str.lower())


def _framed(table: pd.DataFrame, frames: Path) -> pd.DataFrame:
    """Every word in every frame."""
    patterns = read_rows(
        frames, Shape(required=("id", "frame"), once={"frame": {SLOT: "where the word goes"}})
    )
    crossed = table.merge(patterns[["frame"]], how="cross")
    texts = [frame.replace(SLOT, word) for frame, word in zip(crossed["frame"], crossed["word"], strict=True)]
    return crossed.assign(text=texts)


def _checked(table: pd.DataFrame, files: tuple[File, ...]) -> ItemSet:
    """The tests without texts that stand twice; sets that are missing or overlap are refused."""
    kept = table[COLUMNS].drop_duplicates(["test", "role", "text"], ignore_index=True)
    for test, rows in kept.groupby("test", sort=False):
        missing = [role for role in ROLES if role not in set(rows["role"])]
        if missing:
            raise UserError(
                f"The association test {test!r} has no {', no '.join(missing)}.",
                "A test has four sets of words.",
            )
        for one, other in (TARGETS, ATTRIBUTES):
            _refuse_overlap(str(test), rows, one, other)
    repeated = len(table) - len(kept)
    notices = (f"{repeated} texts stand twice in their set and count once",) if repeated else ()
    return ItemSet(kept, files, notices)


def _refuse_overlap(test: str, rows: pd.DataFrame, one: str, other: str) -> None:
    first, second = (set(rows.loc[rows["role"] == role, "text"].str.lower()) for role in (one, other))
    shared = sorted(first & second)
    if shared:
        raise UserError(
            f"The association test {test!r} has the same in its {one} and {other}: {', '.join(shared[:5])}.",
            "Leave them out of one of the two sets.",
        )


def each_test(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Every test with its rows, in the file's order."""
    for name, rows in table.groupby("test", sort=False):
        yield str(name), rows
