"""Who may be a person: capitalised words that cannot name anybody, by table, shape and context.

Averaging over both genders must leave a text alone that names a person whose gender it cannot turn. Most
capitalised words inside a sentence name something else: a language, a nation, a place, a firm, a month.
"""

import calendar
import csv
import re
from functools import cache
from pathlib import Path

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.first_names import load_names

_TABLES = Path(__file__).parent / "tables"
TABLE, SIGNS, CLASSES = (
    _TABLES / f"{name}.csv" for name in ("no_persons", "signs_of_gender", "form_classes")
)
CAPITALISED = re.compile(r"[A-ZÀ-Þ][a-zß-ÿ]+(?:[-'’][A-Za-zÀ-ÿ][a-zß-ÿ]+)*")
SENTENCE_START = re.compile(r"(?:^|[.!?:;][\"”’')\]]*\s+|[\"“‘`(\[]\s*)$")
_NATION = re.compile(r"[A-Z][a-z]{3,}(?:ish|ese|ians|eans|ists?|ism)$")
_PLACE_BEFORE = re.compile(
    r"\b(?:in|into|inside|near|across|around|throughout|outside|towards?|at|via|of the|from the)\s+$",
    re.IGNORECASE,
)
_DETERMINED = re.compile(
    r"\b(?:a|an|the|this|that|these|those|every|each|some|any|no|old|new|last|next|early|late|north|south|east|"
    r"west|northern|southern|eastern|western|central|my|our|your|his|her|their|its)\s+$",
    re.IGNORECASE,
)
_JOINED = re.compile(r"[A-ZÀ-Þ][\w'’-]*\s+$")
_NEXT = re.compile(r"\s+([A-Za-z']+)")
_GENERAL = {
    *("anybody", "anyone", "everybody", "everyone", "nobody", "people", "police", "somebody", "someone"),
    *("staff", "today", "tomorrow", "tonight", "yesterday", "whoever"),
}
"""What opens a sentence about a person without naming one."""


@cache
def no_persons() -> frozenset[str]:
    """Capitalised words that name no person."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        listed = [word for row in csv.DictReader(file) for word in row["words"].split()]
    return frozenset((*listed, *calendar.day_name, *calendar.month_name))


def may_be_person(text: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word inside a sentence may be somebody's name."""
    word, before = re.sub(r"['’]s$", "", match.group()), text[: match.start()]
    if word in no_persons() or (_NATION.match(word) and word.lower() not in load_names().names):
        return False
    if (_PLACE_BEFORE.search(before) or _DETERMINED.search(before)) and not _is_titled(text, match.end()):
        return False
    if _is_institution(text, match.end()):
        return False
    joined = _JOINED.search(before)
    if not joined or SENTENCE_START.search(before[: joined.start()]):
        return True
    earlier = CAPITALISED.match(text, joined.start())
    return earlier is None or earlier.group() in no_persons() or may_be_person(text, earlier)


def may_open_with_person(text: str, match: re.Match[str]) -> bool:
    """Whether the first word of a sentence is likely a name: what follows is said of a person."""
    word = match.group()
    lower = word.lower()
    if word in no_persons() or lower in _GENERAL or lower in word_set("names: sentence starters"):
        return False
    if re.search(r"['’]s$", word):
        return False
    following = _NEXT.match(text, match.end())
    if not following or lower.endswith(("s", "ing", "ed", "ly")):
        return False
    verb = following[1].lower()
    return verb in word_set("names: person verbs") or (verb.endswith("ed") and lower not in _ordinary_words())


def tells_gender(text: str) -> bool:
    """Whether the text says who is meant by what mostly women or mostly men have, such as a beard."""
    return _signs().search(text) is not None


def names_in_lower_case(text: str) -> list[str]:
    """First names of a text that is written without capitals, where a word can be nothing else."""
    if text != text.lower():
        return []
    plain = _plain_names()
    return [word for word in re.findall(r"[a-zß-ÿ]{3,}", text) if word in plain]


@cache
def _plain_names() -> frozenset[str]:
    """First names that are no words of another meaning."""
    return frozenset(entry.name for entry in load_names().census if entry.kind == "plain")


@cache
def _signs() -> re.Pattern[str]:
    with SIGNS.open(encoding="utf-8", newline="") as file:
        phrases = [row["phrase"] for row in csv.DictReader(file)]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b", re.IGNORECASE)


@cache
def _ordinary_words() -> frozenset[str]:
    """English words that are no names, by the classes that tell forms of *her* apart."""
    with CLASSES.open(encoding="utf-8", newline="") as file:
        return frozenset(word for row in csv.reader(file) for cell in row[1:] for word in cell.split())


def _is_titled(text: str, end: int) -> bool:
    """Whether a second capitalised word follows, as in "in Maria Kovac's house"."""
    following = _NEXT.match(text, end)
    return bool(following and following[1][:1].isupper() and following[1].lower() in load_names().names)


def _is_institution(text: str, end: int) -> bool:
    """Whether the run of capitalised words ends in a word for a place or a body."""
    following = _NEXT.match(text, end)
    if not following:
        return False
    word = following[1].removesuffix("'s").lower()
    if word in word_set("names: institutions") or word in word_set("names: streets"):
        return True
    return following[1][:1].isupper() and _is_institution(text, following.end())
