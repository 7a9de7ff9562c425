"""StereoSet: a context with a blank, or a sentence to follow, and three candidates for either.

Reads the data set as one JSON object per line, and the authors' own nested JSON file. A fault flags an item
and never drops it; a space or a full stop is corrected and flagged.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from equipoise.data.lint import flag_notices
from equipoise.data.reading import read_text
from equipoise.data.sets import ItemSet
from equipoise.data.sources import Source
from equipoise.errors import UserError, unknown_name
from equipoise.text.blank import BLANK

GENDER, EVERY_TYPE = "stereoset", "stereoset-all"
FILE = "test.jsonl"
INTRASENTENCE, INTERSENTENCE = "intrasentence", "intersentence"
CANDIDATES = ("stereotype", "counterpart", "unrelated")
"""The stereotype, its anti-stereotype, and a candidate that makes no sense."""

FLAGS = {
    "two blanks": "the same word stands in both; the first is asked while the other stays blank",
    "no space beside BLANK": "letters or marks touch the blank: letters were taken into the word",
    "casing": "no capital at the start",
    "spacing": "a space is doubled, or stands at an end",
    "no end mark": "the context is not closed, so a full stop was put between the two sentences",
    "repeated context": "the context already stands in an earlier item",
    "several words": "a candidate for the blank is more than one word",
}
"""What an item can be flagged for, in words."""

_OPEN = "BLANK"
_KEYS = ("type", "target", "bias_type", "context", "stereotype", "anti-stereotype", "unrelated")
_SHAPE = {"anti-stereotype": "counterpart"}
_GLUED = re.compile(rf"(\w*){_OPEN}(\w*)")
_CLOSING = (".", "!", "?", '"', "'", "”", "’", "…")
_EXPECTED = f"Each line is a JSON object with {', '.join(_KEYS)}."


def load_stereoset(source: Source, *, kind: str = INTRASENTENCE) -> ItemSet:
    """The gender items, all items, or those of the user's file, of one kind."""
    path = source.path(FILE)
    table = read_stereoset(path, kind=kind, bias_type="gender" if source.name == GENDER else "")
    return ItemSet(table.assign(dropped=""), (path,), flag_notices(table, FLAGS))


def read_stereoset(path: Path, *, kind: str = INTRASENTENCE, bias_type: str = "") -> pd.DataFrame:
    """The items of one kind, of one bias type or of all, ready to be asked, with their flags.

    `text` is the context with its blank (intrasentence) or all that stands before a candidate
    (intersentence); for the former there is also the word of each candidate, as `<candidate>_word`.
    """
    prepare = _intrasentence if kind == INTRASENTENCE else _intersentence
    chosen = [row for row in _records(path) if row["type"] == kind]
    of_type = [row for row in chosen if not bias_type or row["bias_type"] == bias_type]
    if not of_type:
        if chosen:
            raise unknown_name(f"bias type in {path.name}", bias_type, {row["bias_type"] for row in chosen})
        raise UserError(f"{path} holds no {kind} items.", _EXPECTED)
    seen: set[str] = set()
    rows = []
    for row in of_type:
        prepared, flags = prepare(row, path)
        if row["context"] in seen:
            flags.append("repeated context")
        seen.add(row["context"])
        named = {"item": row["where"], "category": row["bias_type"], "cluster": row["target"]}
        rows.append(named | prepared | {"flags": ", ".join(dict.fromkeys(flags))})
    return pd.DataFrame(rows)


def _intrasentence(row: Mapping[str, str], path: Path) -> tuple[dict[str, str], list[str]]:
    """The context with a blank in it, and the word that each candidate puts there."""
    context, flags = row["context"], _faults(row["context"])
    if context.count(_OPEN) == 0:
        raise UserError(f"{path}, {row['where']}: the context has no {_OPEN}.", f"Write {_OPEN} once.")
    if context.count(_OPEN) > 1:
        flags.append("two blanks")
    if re.search(rf"[^\s\"'“‘(\[]{_OPEN}|{_OPEN}\w", context):
        flags.append("no space beside BLANK")
    before, after = _GLUED.search(context).groups()  # type: ignore[union-attr]
    text = re.sub(rf"([.,;:!?)]){re.escape(BLANK)}", rf"\1 {BLANK}", _GLUED.sub(BLANK, context))
    prepared = {"context": context, "text": " ".join(text.split())}
    for name in CANDIDATES:
        word = before + _word(row, name, path) + after
        if len(word.split()) > 1:
            flags.append("several words")
        prepared |= {name: prepared["text"].replace(BLANK, word), f"{name}_word": word}
    return prepared, flags


def _intersentence(row: Mapping[str, str], path: Path) -> tuple[dict[str, str], list[str]]:
    """All that stands before a candidate: the context, closed, and a space."""
    context = " ".join(row["context"].split())
    flags = [flag for name in ("context", *CANDIDATES[:2]) for flag in _faults(row[name])]
    if not context.endswith(_CLOSING):
        context, flags = context + ".", [*flags, "no end mark"]
    sentences = {name: " ".join(row[name].split()) for name in CANDIDATES}
    return {"context": row["context"], "text": context + " ", **sentences}, flags


def _faults(sentence: str) -> list[str]:
    """List the faults that any sentence can have."""
    flags = []
    opening = re.search(r"[^\W_]", sentence)
    if opening and opening[0].islower():
        flags.append("casing")
    if sentence != " ".join(sentence.split()):
        flags.append("spacing")
    return flags


def _word(row: Mapping[str, str], name: str, path: Path) -> str:
    """What a candidate has where its context has the blank; the candidates have lost their capitals."""
    first, *others = map(re.escape, row["context"].split(_OPEN))
    pattern = first + "(?P<word>.+?)" + "(?P=word)".join(others)
    match = re.fullmatch(pattern, row[name], re.IGNORECASE)
    if match is None or not match["word"].strip():
        raise UserError(
            f"{path}, {row['where']}: the {name} {row[name]!r} is not its context with the blank filled.",
            f"The context is {row['context']!r}.",
        )
    return match["word"].strip()


def _records(path: Path) -> Iterator[dict[str, str]]:
    """Every item with its keys as text and where it stands."""
    rows = _nested(path) if path.suffix == ".json" else _lines(path)
    for where, row in rows:
        missing = [key for key in _KEYS if not str(row.get(key, "")).strip()]
        if missing:
            raise UserError(f"{path}, {where}: {', '.join(missing)} is missing.", _EXPECTED)
        if row["type"] not in (INTRASENTENCE, INTERSENTENCE):
            raise UserError(
                f"{path}, {where}: the type {row['type']!r} does not exist.",
                f"Write {INTRASENTENCE} or {INTERSENTENCE}.",
            )
        yield {_SHAPE.get(key, key): str(row[key]) for key in _KEYS} | {"where": where}


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            record = _parsed(line, f"{path}, line {number}")
            if not isinstance(record, dict):
                raise UserError(f"{path}, line {number}: {line[:40]!r} is not a JSON object.", _EXPECTED)
            yield f"line {number}", record


def _nested(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The authors' file: data, then kind, then items with a list of labelled sentences."""
    content = _parsed(read_text(path), str(path))
    try:
        for kind, items in content["data"].items():
            for item in items:
                labelled = {one["gold_label"]: one["sentence"] for one in item["sentences"]}
                yield f"item {item['id']}", {**item, "type": kind, **labelled}
    except (AttributeError, KeyError, TypeError) as error:
        raise UserError(
            f"{path} does not have the shape of the StereoSet file: {error!r}.",
            f"Give the authors' dev.json, or a .jsonl file. {_EXPECTED}",
        ) from error


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: this is not valid JSON ({error}).", _EXPECTED) from error
