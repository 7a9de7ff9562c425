"""Words whose sense decides: verbs, ma and pa, guys, God, Queens; titles have a module of their own."""

import re
from collections.abc import Callable

from equipoise.text.languages.word_sets import any_of
from equipoise.text.rewriting.find.sentences import begins_sentence
from equipoise.text.rewriting.nouns.decisions import Decision, Leave, Place, Replace

_STRONG_VERB = re.compile(r"(?:\b" + any_of("before a verb") + r"|n['’]t|['’]ll|['’]d) $", re.IGNORECASE)
_WEAK_VERB = re.compile(r"(?:\b" + any_of("perhaps before a verb") + r"|ly) $", re.IGNORECASE)
_OBJECT = re.compile(" (?:" + any_of("objects") + r"|\d+)\b")
_PLURAL_LEFT = re.compile(
    r"(?:\b(?:crew|people|staff|police|children|troops)|\b(?!this |his )\w{2,}[^s'’]s) $"
)
_KIN_LEFT = re.compile(r"\b(?:my|your|his|her|our|their|dear|old|and) $", re.IGNORECASE)
_KIN_RIGHT = re.compile(
    r"(?:['’]s\b|[,!?]| (?:said|says|was|is|had|has|and|would|will|did|looked|told|asked|came|went)\b)"
)
_NUMBER_LEFT = re.compile(r"(?:\d|%|[A-Z]\.?|,|\b[A-Z][a-z]+) ?$")


def is_verb(place: Place) -> bool:
    """Whether a word that may be a verb is one here: to man the pumps, she mothers him."""
    if not place.surface.islower() or place.right[:1] in ("'", "’", "-"):
        return False
    with_object = _OBJECT.match(place.right) is not None
    if place.word.text.endswith("s"):
        return with_object
    if place.word.text == "man" and with_object and _PLURAL_LEFT.search(place.left):
        return True
    plays_host = place.word.text in ("host", "groom")
    if not with_object and not plays_host:
        return False
    if _STRONG_VERB.search(place.left):
        return True
    return with_object and (plays_host or _WEAK_VERB.search(place.left) is not None)


def _god(place: Place) -> Decision | None:
    if place.surface in ("God", "GOD") and not place.titled:
        return Leave("religious")
    return None


_BOTH_PARENTS = re.compile(r"\b(?:Ma|Pa) (?:and|&) $")


def _ma(place: Place) -> Decision | None:
    if place.surface.isupper() or (place.titled and not _BOTH_PARENTS.search(place.left)):
        return Leave("abbreviation, name or place")
    kin = _KIN_LEFT.search(place.left)
    if not kin and (_NUMBER_LEFT.search(place.left) or place.right[:1] == "."):
        return Leave("abbreviation, name or place")
    kin = kin or (_KIN_RIGHT.match(place.right) if place.surface[:1].isupper() else None)
    joined = re.match(r" (?:and|or) (?:[Mm]a|[Pp]a)\b", place.right)
    return None if kin or joined else Leave("abbreviation, name or place")


def _guy(place: Place) -> Decision | None:
    return Leave("name") if place.surface[:1].isupper() and not place.surface.isupper() else None


def _borough(place: Place) -> Decision | None:
    """Queens without an article is a place, Kings a county."""
    if not place.surface.istitle() or place.right[:1] in ("'", "’"):
        return None
    if (
        place.word.text == "kings"
        and re.search(r"[a-z,] the $", place.left)
        and not _RULED.match(place.right)
    ):
        return Leave("team")
    free = re.search(
        r"\b(?:the|[Tt]wo|[Tt]hree|all|both|these|[Tt]he \w+|former|of|many|some|other) $", place.left
    )
    return (
        None
        if free and not re.match(r",? (?:New York|NY|College|Boulevard)", place.right)
        else Leave("place")
    )


_RULED = re.compile(r" (?:of|who|and|had|themselves|before|from)\b")


def _manly(place: Place) -> Decision | None:
    """Manly inside a sentence is a place."""
    inside = not begins_sentence(place.left, len(place.left))
    return Leave("place") if place.surface.istitle() and inside else None


def _herr(place: Place) -> Decision | None:
    return None if place.titled else Leave("other language")


def _dad(place: Place) -> Decision | None:
    """Beside a mum, dad becomes one as well, and not a mom."""
    return Replace(_BRITISH[place.word.text], place.word.kind) if place.document.says_mum else None


_SOMEONES = re.compile(
    r"(?:\b(?:my|your|ur|his|her|their|our|an?|the|and|or|no|new|old|first|ex)|['’]s)[ -]$", re.IGNORECASE
)


def _sweetheart(place: Place) -> Decision | None:
    """A bf, gf, bro or sis is somebody's; elsewhere they mean something else (gf pasta, thanks bro)."""
    return None if _SOMEONES.search(place.left) else Leave("abbreviation")


_BRITISH = {"dad": "mum", "dads": "mums", "daddy": "mummy", "stepdad": "stepmum"}
VERBS = frozenset(
    ["man", "host", "hosts", "groom", "grooms", "father", "mother", "fathers", "mothers", "husband"]
)
SENSE_RULES: dict[str, Callable[[Place], Decision | None]] = {
    **dict.fromkeys(_BRITISH, _dad),
    "god": _god,
    "ma": _ma,
    "pa": _ma,
    "guy": _guy,
    "playboy": _guy,
    "gal": _guy,
    "queens": _borough,
    "kings": _borough,
    "manly": _manly,
    **dict.fromkeys(["bf", "gf", "bfs", "gfs", "bro", "sis"], _sweetheart),
    "herr": _herr,
    "frau": _herr,
    "mme": _herr,
    "mlle": _herr,
    "doña": _herr,
}
