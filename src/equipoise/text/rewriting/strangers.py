"""Sentences about somebody whose first name no table has: they stay whole, for only half would turn."""

import re
from functools import lru_cache

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.account import Skip
from equipoise.text.rewriting.drafts import Draft
from equipoise.text.rewriting.find.document import Document
from equipoise.text.rewriting.find.first_names import listed_surnames, load_names
from equipoise.text.rewriting.find.lexicon import load_lexicon
from equipoise.text.rewriting.find.ordinary import is_ordinary
from equipoise.text.rewriting.names.surnames import NO_SURNAMES, TITLES

UNKNOWN = "name of unknown gender"
_OPENING = re.compile(
    r"(?:^|[.!?…:;][\"”’')\]]*\s|[\n\"“‘(])\s*(?:" + any_of("before a subject") + r",? )?"
    r"(?P<word>[A-ZÀ-Þ][^\W\d_A-Z]{2,})(?:['’]s)?(?: [A-ZÀ-Þ][^\W\d_A-Z]+)?,? (?P<next>[a-z]+)",
)
"""The word with which a sentence opens, and what follows it: Xanfro lost, When Xanfro Brown left."""
_NO_PREDICATES = word_set("names: not after a person")


def leave_strangers(draft: Draft) -> None:
    """Leave the sentences whose pronouns stand for a first name that no table has, and say so."""
    document = draft.document
    strangers: dict[int, re.Match[str]] = {}
    for match in _OPENING.finditer(document.plain):
        if _is_unknown(match["word"]) and match["next"] not in _NO_PREDICATES:
            strangers[document.sentence(match.start("word"))[0]] = match
    if not strangers:
        return
    left: set[int] = set()
    followed, seen = "", -1
    for change in draft.changes:
        begin, _ = document.sentence(change.start)
        if begin == seen:
            continue
        feminine = change.old.lower().startswith(("she", "her"))
        side = ("female" if feminine else "male") if change.rule.startswith("pronoun") else ""
        named = strangers.get(begin)
        # somebody named before may bear the word as a surname
        is_first = bool(side) and not left and seen < 0 and named and named.start("word") < change.start
        seen = begin
        if named and is_first and not _is_surname(document, named["word"]):
            followed = side
            draft.skipped.append(Skip(*named.span("word"), named["word"], UNKNOWN))
        elif not left or side != followed:
            break
        left.add(begin)
    draft.keep(lambda change: document.sentence(change.start)[0] in left, UNKNOWN)


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


def _is_surname(document: Document, word: str) -> bool:
    """Whether the word follows a title, an initial or another name somewhere in the document."""
    for match in re.finditer(rf"([A-ZÀ-Þ][\w'’-]*)\.? {word}\b", document.plain):
        before = match[1].lower()
        if before in TITLES or before in load_names().names or len(before) == 1 or _is_unknown(match[1]):
            return True
    return False
