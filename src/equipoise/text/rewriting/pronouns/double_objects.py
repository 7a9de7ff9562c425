"""Verbs with two objects, "her" and a bare noun: taught her French, cost her votes, poured her wine.

The table `double_objects.csv` says which nouns stand so after which verbs; two words are joined by "_".
"""

import csv
from collections.abc import Sequence
from pathlib import Path

from equipoise.text.languages.word_sets import word_set

TABLE = Path(__file__).parents[1] / "tables" / "double_objects.csv"
LINKS = word_set("no noun follows")
"""Words that never are, and never stand before, the noun that a word before them describes."""


def _verbs_by_object() -> dict[tuple[str, ...], frozenset[str]]:
    """The verbs that each object, of one word or of two, stands after."""
    verbs: dict[tuple[str, ...], set[str]] = {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for given in row["objects"].split():
                verbs.setdefault(tuple(given.split("_")), set()).update(row["verbs"].split())
    return {given: frozenset(some) for given, some in verbs.items()}


_VERBS = _verbs_by_object()
_FOUND_FOR = frozenset(("work", "employment", "shelter"))
FIRST_WORDS = frozenset(given[0] for given in _VERBS) | _FOUND_FOR
"""The words after "her" with which such an object begins."""


_PASSED_ON = word_set("passed on")
_FELT = frozenset(("respect", "compassion", "recognition"))
"""What may be shown to her or be her own: show her respect, but: showed her respect for the dead."""
_FINDING = frozenset(("found", "find", "finds", "finding", "get", "got", "getting"))
_WORKING = frozenset(("within", "as", "at", "through", "nearby", "again"))
"""What follows work that was found for her: found her work within days, but: found her work in print."""
_AWAY = frozenset(("away", "up", "back", "freely"))


def no_noun_follows(token: str) -> bool:
    """Whether a token closes what goes before it: a mark, a function word or an adverb."""
    return not token[:1].isalpha() or token.lower() in LINKS or token.endswith("ly")


def _is_kept(after: Sequence[str]) -> bool:
    """Whether the thing given is not passed to "her": gave her money away, sent her letters to him."""
    if after[0] in _FELT:
        return not after[1][:1].isalpha()
    return after[1] not in _AWAY and (after[1] != "to" or after[0] not in _PASSED_ON)


def is_given(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether "her" gets what follows: a verb of giving before, and a bare noun with nothing to describe."""
    verb = before[-1].lower().rpartition("-")[2]
    if after[0] in _FOUND_FOR and verb in _FINDING and after[1] in _WORKING:
        return True
    if verb in _VERBS.get((after[0], after[1]), ()):
        return after[1] == "to" or no_noun_follows(after[2])
    return verb in _VERBS.get((after[0],), ()) and _is_kept(after) and no_noun_follows(after[1])
