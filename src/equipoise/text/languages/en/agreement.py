"""Verbs that agree with "they": he is, they are; she goes, they go; has he gone, have they gone."""

import re

from equipoise.text.languages.word_sets import word_set

_IRREGULAR = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "wasn't": "weren't",
    "hasn't": "haven't",
    "doesn't": "don't",
    "ain't": "ain't",
    "goes": "go",
    "says": "say",
}
INVERTED = frozenset(["is", "was", "has", "does", "isn't", "wasn't", "hasn't", "doesn't"])
"""Verbs that may stand before their subject."""

ADVERBS = word_set("adverbs")
_NO_VERB = word_set("no verbs in -s")
_PARTICIPLES = word_set("participles")


def plural_verb(verb: str) -> str | None:
    """The form that agrees with "they", or None where the word is not a verb in the third person."""
    lowered = verb.lower().replace("’", "'")
    if lowered in _IRREGULAR:
        return _IRREGULAR[lowered].replace("'", "’" if "’" in verb else "'")
    if (
        lowered in _NO_VERB
        or not lowered.endswith("s")
        or lowered.endswith(("ss", "us", "'s"))
        or len(lowered) < 4
    ):
        return None
    return _base(lowered)


def _base(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if re.search(r"(?:ss|sh|ch|x|zz|o)es$", verb):
        return verb[:-2]
    return verb[:-1]


def contraction(suffix: str, following: str) -> str:
    """'s after he or she: 've before a participle (he's been), else 're (she's late)."""
    if suffix[1:].lower() != "s":
        return suffix
    return suffix[0] + ("ve" if following.lower() in _PARTICIPLES else "re")
