"""First names that no table has: sentences about them stay whole, for only half would turn.

A capitalised word that is in no table may be a first name. Where the pronouns of a sentence likely stand for
it, the sentence stays and the account says why. Where they may as well stand for somebody else, or the word
ends as surnames do, the sentence turns; the account lists the word all the same. So it is with double
names (Jean-Pierre), with names that have no partner (Jesus), and first names taken for surnames (Martin).
"""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from typing import NamedTuple

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.account import Change, Skip
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import folded, gender_of, listed_surnames, load_names
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.ordinary import is_ordinary
from equipoise.text.rewriting.names.neighbourhood import (
    DETERMINERS,
    INSTITUTIONS,
    PARTICLES,
    PLACE_PREFIXES,
    SENTENCE_STARTERS,
)
from equipoise.text.rewriting.names.surnames import LOCATED, NO_SURNAMES, TITLES, WHERE

UNKNOWN = "name of unknown gender"
MAYBE = "surname or name"
LEAST = 1 / 3
"""From this share of first names among the names that end alike, a word that stands alone may be one."""
_CAPITALISED = re.compile(r"(?<![\w@#/.&'’-])[A-ZÀ-Þ][^\W\d_A-Z]{2,}(?![\w@/&]|[.-]\w)")
_DOUBLE = re.compile(r"(?<![\w@#/.&'’-])([A-ZÀ-Þ][^\W\d_A-Z]+)-([^\W\d_]{2,})(?![\w@/&-])")
"""A first name of two parts: Jean-Pierre, Sun-hee."""
_VERB = re.compile(r" ([a-z]+)")
_NAMED = "name without a partner"
"""Why a first name of a known gender stays."""
_BORNE = frozenset(["plain", "given", "surname"])
"""Classes of first names that are not words or places as well."""
_PAIR = re.compile(r"\b([A-ZÀ-Þ][\w'’-]*)\.? (?=([A-ZÀ-Þ][^\W\d_A-Z]{2,}))")
_OPENING = re.compile(
    r"(?:^|[.!?…:;][\"”’')\]]*\s|[\n\"“‘(])\s*(?:" + any_of("before a subject") + r",? )?$",
)
_PREDICATE = re.compile(r"(?:['’]s)?(?: [A-ZÀ-Þ][^\W\d_A-Z]+)?,? ([a-z]+)")
_NO_PREDICATES = word_set("names: not after a person")
"""What follows the word with which a sentence opens: Xanfro lost, but not Xanfro in May."""
_BEFORE = re.compile(r"([\w'’-]+)\.? $")
_RUN = re.compile(r"(?: [A-ZÀ-Þ][\w'’-]*)*")
_IN_LIST = re.compile(r"[A-ZÀ-Þ]\w+, $")
"""What stands before a county: Weedon, Northamptonshire."""
_QUOTES = re.compile(r"[\"“”]|``|''")
_NAMING = re.compile(
    r"(?:\b[Hh](?:is|er) (?:first )?name (?:is|was)|\b(?:named|called|christened) (?:him|her)) $"
)
_FIRST = re.compile(r"[\W_]*(\w+)")
_DOUBTFUL = frozenset(["of", "from"])
"""Before a single word these name a place as often as a person."""
_REACH = 40
MOST, FARTHEST = 8, 200
"""Unknown words of a sentence that are weighed, and characters before each where a surname is looked for."""


class _Stranger(NamedTuple):
    """A word that may be a name; it is `likely` a first name where nothing says that it is a surname.

    Its side is known for a word that stays although it tells one; the account has that already.
    """

    start: int
    word: str
    likely: bool
    side: str = ""

    @property
    def end(self) -> int:
        """Where the word ends."""
        return self.start + len(self.word)


def leave_strangers(draft: Draft) -> None:
    """Leave the sentences whose pronouns stand for a first name that no table has, and say so."""
    document = draft.document
    if not any(change.rule.startswith("pronoun") for change in draft.changes):
        return
    strangers: defaultdict[int, list[_Stranger]] = defaultdict(list)
    for one in (*_unknown(draft), *_kept(draft)):
        strangers[document.sentence(one.start)[0]].append(one)
    for skip in draft.skipped:
        if skip.reason == "other language":
            strangers.pop(document.sentence(skip.start)[0], None)
    if not strangers:
        return
    sides = dict(draft.gendered)
    names = Counter(change.old for change in draft.changes if change.rule == "name")
    left: set[int] = set()
    seen: set[str | None] = set()
    followed = ""
    for begin, group in groupby(draft.changes, key=lambda change: document.sentence(change.start)[0]):
        changes = list(group)
        pronouns = [change for change in changes if change.rule.startswith("pronoun")]
        here = strangers.get(begin, [])
        if not here and begin and pronouns and pronouns[0].start == begin:  # I know Xanfro. She left.
            before = strangers.get(document.sentence(begin - 1)[0], [])
            here = [one for one in before if not document.left(one.start).endswith(", ")]
        told = {sides.get(change.start) for change in changes}
        meant, side = None, ""
        if here and pronouns and not told & seen and all(names[change.old] <= 1 for change in changes):
            meant, side = _antecedent(draft, begin, here, pronouns)
        if meant:
            followed = side
            left.add(begin)
        elif followed and not here and sides.get(changes[0].start) == followed and changes[0] in pronouns:
            left.add(begin)
        else:
            followed = ""
            seen |= told
        if pronouns:
            draft.skipped += [
                Skip(one.start, one.end, one.word, UNKNOWN if one == meant else MAYBE)
                for one in here
                if not one.side
            ]
    draft.keep(lambda change: document.sentence(change.start)[0] in left, UNKNOWN)


def _antecedent(
    draft: Draft, begin: int, strangers: Sequence[_Stranger], pronouns: Sequence[Change]
) -> tuple[_Stranger | None, str]:
    """The unknown name that a pronoun likely stands for, if any, and the side that the pronoun tells."""
    tried: set[str] = set()
    places = {one.start for one in strangers}
    by_start = {change.start: change for change in reversed(pronouns)}
    for start, side in draft.gendered[bisect_left(draft.gendered, (begin, "")) :]:
        if start > pronouns[-1].start:
            break
        pronoun = by_start.get(start)
        if pronoun and side not in tried:  # nobody of that gender stands before it
            for one in strangers[:MOST]:
                if (
                    one.likely
                    and one.side in ("", side)
                    and _binds(draft.document.plain, begin, one, pronoun)
                ):
                    return one, side
        if start not in places:
            tried.add(side)
    return None, ""


def _binds(plain: str, begin: int, one: _Stranger, pronoun: Change) -> bool:
    """Whether a pronoun stands where it takes up an unknown name, or tells of one that follows."""
    if one.start < pronoun.start:
        is_quoted = _QUOTES.search(plain, one.end, pronoun.start) is not None
        return not is_quoted and not _names_another(plain, begin, one.start)
    if _NAMING.search(plain, begin, one.start):  # her name is Xanfro
        return True
    opens = _FIRST.match(plain, begin)  # In her novel, Xanfro says
    is_phrase = opens is not None and opens[1].lower() in NO_SURNAMES and opens.start(1) < pronoun.start
    return (
        is_phrase and plain.count(",", pronoun.end, one.start) == 1 and plain.endswith(", ", begin, one.start)
    )


def _names_another(plain: str, begin: int, end: int) -> bool:
    """Whether a surname stands somewhere in a part of a sentence, and not in the name of a place."""
    for match in _CAPITALISED.finditer(plain, max(begin, end - FARTHEST), end):
        before = _BEFORE.search(plain, max(begin, match.start() - _REACH), match.start())
        is_surname = match[0].lower() in listed_surnames(0) and not is_ordinary(match[0])
        if is_surname and match[0].lower() not in NO_SURNAMES and not (before and before[1].lower() in WHERE):
            return True
    return False


def _kept(draft: Draft) -> Iterator[_Stranger]:
    """First names that stay although their gender is known, before what they do: Jesus told."""
    for skip in draft.skipped:
        side = gender_of(skip.word) if skip.reason == _NAMED else None
        verb = _VERB.match(draft.document.plain, skip.end)
        if side and verb and verb[1] not in _NO_PREDICATES:
            yield _Stranger(skip.start, skip.word, True, side)


def _unknown(draft: Draft) -> Iterator[_Stranger]:
    """Words that may be names and stay, in the order in which they stand but for double names."""
    document = draft.document
    capitalised = set(_CAPITALISED.findall(document.plain))
    turned = {change.old for change in draft.changes if change.rule == "name"}
    classes = load_names().classes
    borne = {word for word in capitalised - turned if _is_borne(word)}
    if borne:  # Martin in Stanley Martin is no first name anywhere in the text
        known = load_names().names
        borne -= {pair[2] for pair in _PAIR.finditer(document.plain) if pair[1].lower() in known}
    words = {word for word in capitalised if _is_unknown(word)}
    if not words and not borne and "-" not in document.plain:
        return
    done = {change.start for change in draft.changes} | {skip.start for skip in draft.skipped}
    if words or borne:
        for one in _strangers(document, words | borne):
            if one.start not in done:
                yield one._replace(likely=one.likely and one.word in words)
    for match in _DOUBLE.finditer(document.plain) if "-" in document.plain else ():
        before = _BEFORE.search(document.left(match.start()))
        is_led = before is not None and (
            before[1][:1].isupper() or _names_thing(before[1].lower(), alone=True)
        )
        is_name = any(classes.get(part.title()) in _BORNE for part in match.groups())
        is_word = match[2].islower() and is_ordinary(match[2])
        if match.start() not in done and not is_led and is_name and not is_word:
            yield _Stranger(match.start(), match[0], not turned)


@lru_cache(maxsize=20_000)
def _is_borne(word: str) -> bool:
    """Whether a word is a first name of one gender, and not a word or a place as well."""
    return load_names().classes.get(word) in _BORNE and gender_of(word) is not None


def _strangers(document: Document, words: set[str]) -> Iterator[_Stranger]:
    """The places of unknown words where they may name a person."""
    plain = document.plain
    surnames = {pair[2] for pair in _PAIR.finditer(plain) if pair[2] in words and _has_surname(pair[1])}
    reached = 0
    for match in _CAPITALISED.finditer(plain):
        word, start, end = match[0], match.start(), match.end()
        if word not in words or start < reached:
            continue
        run = _RUN.match(plain, end)
        reached = run.end() if run else end
        rest = plain[end:reached].split()
        near = max(0, start - _REACH)
        before = _BEFORE.search(plain, near, start)
        place = before[1] if before else ""
        opens = document.begins_sentence(start)
        if any(part.lower() in INSTITUTIONS for part in rest) or (
            not opens and _names_thing(place.lower(), alone=not rest)
        ):
            continue
        following = _PREDICATE.match(plain, end)
        starts = opens or _OPENING.search(plain, near, start)
        if starts and not (following and following[1] not in _NO_PREDICATES):
            continue
        opened = place.lower() in SENTENCE_STARTERS and document.begins_sentence(start - len(place) - 1)
        is_part = word in surnames or (place[:1].isupper() and not starts and not opened)
        is_part = is_part or place in PARTICLES or _IN_LIST.search(plain, near, start) is not None
        is_alone = rest or (place not in _DOUBTFUL and _likeness(word) >= LEAST)
        yield _Stranger(start, word, bool(is_alone) and not is_part)


def _names_thing(before: str, *, alone: bool) -> bool:
    """Whether the word before says that no person follows: the, Lake, in."""
    return before in DETERMINERS or before in PLACE_PREFIXES or (alone and before in LOCATED)


def _has_surname(word: str) -> bool:
    """Whether a surname stands after a word: a title, an initial or another name."""
    low = word.lower()
    return low in TITLES or low in load_names().names or len(low) == 1 or _is_unknown(word)


@lru_cache(maxsize=20_000)
def _is_unknown(word: str) -> bool:
    """Whether a capitalised word is in no table: neither a name, a surname, a word, a place nor a firm."""
    lower = word.lower()
    return not (
        lower.endswith(("s", "ing", "ed", "ly"))
        or lower in load_names().names
        or lower in NO_SURNAMES
        or is_ordinary(word)
        or lower in load_lexicon().words
        or lower in listed_surnames(0)
    )


_SMOOTHING = 2e-4


@lru_cache(maxsize=20_000)
def _likeness(word: str) -> float:
    """The share of first names among the names that end alike, in their last three letters and last two."""
    (first, first_of), (last, last_of) = _endings()
    low, share = folded(word), 0.5
    for length in (2, 3):
        men, all_of = first[low[-length:]] / first_of, last[low[-length:]] / last_of
        share = (men + _SMOOTHING * share) / (men + all_of + _SMOOTHING)
    return share


@cache
def _endings() -> list[tuple[Counter[str], int]]:
    """How often first names, and surnames, end in each two and three letters, and how many there are."""
    tables = load_names().names, listed_surnames(0)
    return [(Counter(name[-n:] for name in table for n in (2, 3)), len(table)) for table in tables]
