"""Statements about women or men as a kind: *women always complain*, *no man succeeds without a good woman*.

Rules on the words of one sentence. The subject is a bare plural (women, most men) or a singular that
means anyone (a woman, no man, every wife), at the start of its clause; its verb is in the present or a modal.
"The women left", "two women in hats" and "a woman came in" tell of particular people. Words near the
statement say whether it disparages (hostile) or flatters and protects (benevolent). Most statements openly
do neither and are marked as a generalisation only. What is insinuated about one person is not found.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from equipoise.data.reading import own_table

TABLE = "corpora/kind-words.csv"
HOSTILE, BENEVOLENT, NEITHER = "hostile", "benevolent", "generalisation"
SIDES = (HOSTILE, BENEVOLENT)
REACH = 8
"""Words on either side of a statement that tell whether it disparages or flatters."""

STARTS = frozenset(
    (".", ",", ";", ":", "—", "(", '"', "“", "that", "because", "since", "and", "but", "as", "so")
)
"""What stands before a clause of its own."""

SOME = frozenset(("most", "all", "many", "few", "no", "only", "modern", "young"))
ANY = frozenset(("a", "an", "any", "every", "each", "no", "only"))
THIRD_PERSON = 2
"""A verb in the third person has an s and at least so many letters before it."""

NO_VERBS = frozenset(("'s", "his", "as", "this", "us", "yes", "was", "always", "perhaps", "besides", "whose"))
OUTSIDE = (
    (",", "for", "a", "girl"), (",", "for", "a", "woman"), ("smart", "for", "a", "girl"),
    ("smart", "for", "a", "woman"), ("strong", "for", "a", "girl"), ("clever", "for", "a", "woman"),
    ("only", "a", "woman", "would"), ("only", "a", "man", "would"), ("as", "any", "good", "mother"),
    ("like", "every", "other", "man"), ("like", "every", "other", "woman"), ("as", "with", "all", "women"),
    ("what", "sort", "of", "wife"), ("what", "kind", "of", "father"), ("what", "kind", "of", "mother"),
    ("what", "sort", "of", "mother"), ("gift", "women", "have"), ("never", "trust", "a", "woman"),
    ("never", "believe", "a", "man"), ("no", "place", "for", "women"), ("no", "life", "for", "a", "woman"),
    ("place", "for", "women"), ("run", "by", "women"),
)  # fmt: skip
"""Phrases that speak of a kind without being the subject of a clause."""


class Statement(NamedTuple):
    """Which kind of statement, and the words that gave the reason."""

    kind: str
    evidence: str


def statement_of(words: Sequence[str]) -> Statement | None:
    """The first statement about women or men as a kind among the words of a sentence."""
    for place in range(len(words)):
        end = _subject(words, place) or _phrase(words, place)
        if end:
            near = words[max(place - REACH, 0) : end + REACH]
            listed = {kind: [word for word in near if word in _words_of(kind)] for kind in SIDES}
            kind = next((kind for kind in SIDES if listed[kind]), NEITHER)
            reason = listed.get(kind, [])[:1]
            return Statement(kind, " ... ".join([" ".join(words[place:end]), *reason]))
    return None


def _phrase(words: Sequence[str], place: int) -> int:
    """The place after a phrase that begins here, or 0."""
    for phrase in OUTSIDE:
        if tuple(words[place : place + len(phrase)]) == phrase:
            return place + len(phrase)
    return 0


def _subject(words: Sequence[str], place: int) -> int:
    """The place after a kind and its verb that begin here, or 0."""
    if place and words[place - 1] not in STARTS | _words_of("opening"):
        return 0
    noun = place
    after = words[place + 1] if place + 1 < len(words) else ""
    singular = words[place] in ANY and after in _words_of("one")
    if words[place] in ("a", "an") and after in _words_of("anyone"):
        return 0
    if singular or (words[place] in SOME and after in _words_of("kind")):
        noun = place + 1
    elif words[place] not in _words_of("kind"):
        return 0
    verb = noun + 1
    while verb < len(words) and words[verb] in _words_of("adverb") - NO_VERBS:
        verb += 1
    if verb >= len(words):
        return 0
    is_told = words[verb] in _words_of("modal") or (
        _is_third_person(words[verb]) if singular else words[verb] in _words_of("verb")
    )
    return verb + 1 if is_told else 0


def _is_third_person(word: str) -> bool:
    return word not in NO_VERBS and word.endswith("s") and len(word) > THIRD_PERSON + 1 and word.isalpha()


@cache
def _words_of(kind: str) -> frozenset[str]:
    table = own_table(TABLE)
    return frozenset(table.loc[table["kind"] == kind, "word"])
