"""Verbs that agree with "they": he is, they are; she goes, they go; has he gone, have they gone."""

import re

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

ADVERBS = frozenset(
    "also always never often sometimes still now then only just even ever once usually soon first later again already "
    "almost nearly hardly rarely seldom perhaps maybe thus therefore however instead too both all "
    "merely simply suddenly not himself herself".split()
)
_NO_VERB = frozenset(
    "as this his hers its us yes thus always sometimes perhaps besides towards afterwards unless whereas across "
    "plus versus less ours yours theirs series news species politics others thanks lots themselves ourselves "
    "himself herself this's was's minus does's alas".split()
)
_PARTICIPLES = frozenset(
    "been got gotten had done gone become come made taken seen known given found left lost put set run begun "
    "written won grown fallen broken chosen spoken held kept met paid read said sent told thought brought bought "
    "caught heard shown slept spent stood understood worn already never always just ever".split()
)


def plural_verb(verb: str) -> str | None:
    """The form that agrees with "they", or None where the word is no verb in the third person."""
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
