"""Who may be a person: capitalised words that cannot name anybody, by table, shape and context.

Averaging over both genders must leave a text alone that names a person whose gender it cannot turn. Most
capitalised words inside a sentence name something else: a language, a nation, a place, a firm, a month. A
surname alone (Morrison) names a person and tells no gender, unless everybody knows who is meant (Merkel).
"""

import csv
import re
from collections.abc import Mapping
from functools import cache

from equipoise.text.languages.word_sets import word_set
from equipoise.text.rewriting.find.first_names import TABLES, gender_of, listed_surnames, load_names
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.ordinary import NATION, no_persons, ordinary_words

FAMOUS = TABLES / "famous.csv"
SIGNS = TABLES / "signs_of_gender.csv"
CAPITALISED = re.compile(r"(?<!\w)(?:[A-ZÀ-Þ][a-zß-ÿ]+)+(?:[-'’][A-Za-zÀ-ÿ][a-zß-ÿ]+)*(?!\w)")
SENTENCE_START = re.compile(r"(?:^|[.!?:;][\"”’')\]]*\s+|[\"“‘`(\[]\s*|[”’]|\d\)\s+)$")
WITHIN_NAME = re.compile(
    r"\W{0,2}|[\s-]+(?:(?:[A-Z]\.|d[aeiou]|de la|v[ao]n|van de[nr]|al|bin|ibn|[ly]e?)[\s-]+)+"
)
"""What may stand between the parts of one name: Christopher T. Strzalka, Staffan de Mistura."""

_THING = re.compile(
    r"[A-Z][a-z]{2,}(?:tion|ment|ness|ship|hood|gate|storm|ism|ity|ings?|sters?|logy|phone|bank|land|ville)s?$"
)
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
_TITLE = re.compile(r"(?<!\w)['‘\"“](?:(?:[A-ZÀ-Þ]|(?:a|and|in|of|the) )[\w'’-]*\s?){1,6}['’\"”](?!\w)")
"""Capitalised words in quotation marks: the title of a work, a term."""

COMMON_SURNAME = 3
"""Bearers in 100,000 people from which a surname is taken for one; a rarer word may be a first name."""

_GENERAL = {
    *("anybody", "anyone", "everybody", "everyone", "nobody", "people", "police", "somebody", "someone"),
    *("staff", "today", "tomorrow", "tonight", "yesterday", "whoever"),
}
"""What opens a sentence about a person without naming one."""


def may_be_person(text: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word inside a sentence may be the name of somebody whose gender it tells."""
    word, before = re.sub(r"['’]s$", "", match.group()), text[: match.start()]
    if (
        _tells_nothing(word)
        or _is_ordinary(text, match)
        or (NATION.match(word) and word.lower() not in load_names().names)
    ):
        return False
    if (_PLACE_BEFORE.search(before) or _DETERMINED.search(before)) and not _is_titled(text, match.end()):
        return False
    if _is_institution(text, match.end()):
        return False
    if any(title.start() < match.start() < title.end() for title in _TITLE.finditer(text)):
        return is_first_name(word)
    joined = _JOINED.search(before)
    if not joined or SENTENCE_START.search(before[: joined.start()]):
        return True
    earlier = CAPITALISED.match(text, joined.start())
    return earlier is None or _tells_nothing(earlier.group()) or may_be_person(text, earlier)


def tells_by_itself(word: str) -> bool:
    """Whether a word is a first name that mostly women or mostly men bear."""
    return gender_of(word) is not None


def partner_of(text: str, match: re.Match[str]) -> str | None:
    """Whom a name becomes in the mirror; None where it, or the word before it, may be an unknown name."""
    joined = _JOINED.search(text[: match.start()])
    earlier = CAPITALISED.match(text, joined.start()) if joined else None
    if earlier and not _tells_nothing(earlier.group()):
        return None
    name = match.group().removesuffix("'s").removesuffix("’s")
    return famous()[name] if name in famous() else _mutual_partner(name)


def _mutual_partner(name: str) -> str | None:
    """The first name of the other gender that is exchanged for this one in both directions."""
    names = load_names()
    partner = names.partner(name)
    return partner if partner and names.partner(partner) == name else None


@cache
def famous() -> Mapping[str, str | None]:
    """Names whose bearer everybody knows, and a name of the other gender.

    Surnames of famous women will not do: BERT expects *his* behind Merkel, Thatcher and Curie.
    """
    with FAMOUS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: row["partner"] or None for row in rows for name in row["names"].split()}


def is_first_name(word: str) -> bool:
    """Whether a word is a first name of ours."""
    return word.lower() in load_names().names


def _tells_nothing(word: str) -> bool:
    """Whether a word tells no gender: that of a place, a title, a common surname."""
    lower = word.lower()
    if word in no_persons() or lower in word_set("names: surname titles"):
        return True
    is_known = word in famous() or is_first_name(word)
    if lower in word_set("names: sentence starters") and not is_known:
        return True
    return lower in listed_surnames(COMMON_SURNAME) and not is_known


def _is_ordinary(text: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word is one of the language (a title, an emphasis) and nobody who acts."""
    word, ordinary = match.group().lower(), ordinary_words()
    if match.group() in famous() or is_first_name(word):
        return False
    following = _NEXT.match(text, match.end())
    acts = following is not None and following[1].lower() in word_set("names: person verbs")
    is_word = word in ordinary or word.removesuffix("s") in ordinary or bool(_THING.match(match.group()))
    return is_word and not acts


def may_open_with_person(text: str, match: re.Match[str]) -> bool:
    """Whether the first word of a sentence is likely a name: what follows is said of a person."""
    word = match.group()
    lower = word.lower()
    if _tells_nothing(word) or lower in _GENERAL or lower in word_set("names: sentence starters"):
        return False
    is_word = lower in ordinary_words() or _THING.match(word)
    if is_word and not is_first_name(word) and word not in famous():
        return False
    if re.search(r"['’]s$", word):
        return False
    following = _NEXT.match(text, match.end())
    if not following or lower.endswith(("s", "ing", "ed", "ly")):
        return False
    verb = following[1].lower()
    return verb in word_set("names: person verbs") or (verb.endswith("ed") and lower not in ordinary_words())


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
    """First names that are not words with another meaning; those of the world from four letters on."""
    census = {entry.name for entry in load_names().census if entry.kind == "plain"}
    names = load_names().names
    world = {name for name, entry in names.items() if entry.kind == "plain" and len(name) > 3}
    return frozenset(census | (world - ordinary_words() - load_lexicon().words.keys()))


@cache
def _signs() -> re.Pattern[str]:
    with SIGNS.open(encoding="utf-8", newline="") as file:
        phrases = [row["phrase"] for row in csv.DictReader(file)]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})\b", re.IGNORECASE)


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
