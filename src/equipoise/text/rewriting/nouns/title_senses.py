"""Titles whose sense decides: lady and lord, sir and dame, Mr and Miss, count, master, mistress, prior."""

import re
from collections.abc import Callable

from equipoise.text.languages.word_sets import any_of, word_set
from equipoise.text.rewriting.find.first_names import load_names
from equipoise.text.rewriting.find.sentences import begins_sentence
from equipoise.text.rewriting.nouns.decisions import Decision, Leave, Place, Replace

_OF_NAME = re.compile(r" of (?:the )?[A-ZÀ-Þ]")
_OF_MANOR = re.compile(r" of the (?:[Mm]anor|[Hh]ouse|[Cc]astle|[Ee]state|[Ii]sles|[Ll]ands?|place)\b")
_OFFICE = re.compile(r"\.? " + any_of("offices of Mr and Madam") + r"\b")
_BESIDE_MRS_RIGHT = re.compile(r"\.?,? (?:and|&|or) Mrs\b")
_BESIDE_MRS_LEFT = re.compile(r"\bMrs\.?,? (?:and|&|or) $")
_ADDRESS_RIGHT = re.compile(r"(?:[,.!?;:…—”\"'’]|$)")
_ADDRESS_LEFT = re.compile(r"(?:[,—“\"‘] ?|\b(?:[Yy]es|[Nn]o|[Pp]lease|[Mm]y|[Dd]ear|[Oo]h),? )$")
_EARLDOMS = word_set("earldoms")
_DETERMINER = re.compile(
    r"\b" + any_of("before a count") + "(?: (?:old|young|late|poor|wicked|noble|elderly|good))? $",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    r"(?:['’]?s?['’]?)? (?:degrees?|thesis|theses|programmes?|programs?|of \w+|in|students?|courses?)\b"
)
_OWN = re.compile(r"\b(?:his|her|their|my|your|our|its|slave['’]s|servant['’]s|old|young) $", re.IGNORECASE)
_HOUSEHOLD = re.compile(
    r" of (?:the (?:house|manor|household|robes|castle|estate)|ceremonies)\b", re.IGNORECASE
)
_CRAFT = re.compile(
    r"\b(?:ballet|wardrobe|danc(?:e|ing)|choir|riding|fencing|singing|music) $", re.IGNORECASE
)


_TEAM = re.compile(r" [A-Z][a-z]+s\b(?!['’])")


_SHIP = re.compile(
    r" [A-Z][a-z]+ (?:sank|sailed|foundered|docked|capsized|collided|ran aground"
    r"|was (?:sunk|wrecked|launched|built))\b"
)


def _lady(place: Place) -> Decision | None:
    """Lady is Lord as a title and in "my lady"; a lady is a gentleman."""
    plural = place.word.text == "ladies"
    lord = Replace("lords" if plural else "lord", "title")
    if re.search(r"\bFirst $", place.left) or place.surface.isupper():
        return None
    if re.search(r"\b[Oo]ur $", place.left) and place.surface[:1].isupper():
        return Leave("religious")
    if plural and place.titled:
        return Leave("institution")
    if place.titled and re.search(r"\b[Tt]he $", place.left) and _TEAM.match(place.right):
        return Leave("team")
    if place.titled and re.search(r"\b[Tt]he $", place.left) and _SHIP.match(place.right):
        return Leave("name of a ship")
    if place.titled or _OF_NAME.match(place.right):
        return lord
    if re.search(r"\b(?:feudal|liege|rebel|press|elder) $", place.left):
        return lord
    if _OF_MANOR.match(place.right) or re.search(r"\blords? (?:and|or) $", place.left, re.IGNORECASE):
        return lord
    if re.match(r" (?:and|or) lords?\b", place.right, re.IGNORECASE):
        return lord
    spoken_of = not re.match(r" (?:friends?|love|parts)\b", place.right)
    return lord if re.search(r"\b[Mm]y $", place.left) and spoken_of else None


def _lord(place: Place) -> Decision | None:
    """Lord is Lady as a title; the Lord of prayers stays."""
    if place.surface.islower():
        exclaimed = re.search(r"\b(?:[Gg]ood|[Oo]h|[Tt]hank the|[Pp]raise the),? $", place.left)
        return Leave("exclamation") if exclaimed or place.right.startswith(" it over") else None
    if re.match(
        r"(?:['’]s)? (?:of the (?:Rings|Flies|Dance)|Jesus|God|Almighty|Krishna|Shiva|Vishnu|Rama|Buddha)",
        place.right,
    ):
        return Leave("name or religious")
    if re.search(r"\b(?:[Gg]ood|[Oo]h|[Dd]ear|O),? $", place.left) and not place.titled:
        return Leave("exclamation")
    if place.titled or _OF_NAME.match(place.right) or _OF_MANOR.match(place.right):
        return None
    if re.match(r" (?:and|&) Lady [A-ZÀ-Þ]", place.right):
        return None
    owned = place.word.text == "lords" and re.search(
        r"\b(?:[Hh]is|[Hh]er|[Tt]heir|[Kk]ing['’]s|[Qq]ueen['’]s) $", place.left
    )
    if (
        owned
        or re.search(r"\b[Mm]y $", place.left)
        or (place.word.text == "lords" and " and Ladies" in place.right)
    ):
        return None
    return Leave("religious or institution")


def _sir(place: Place) -> Decision | None:
    if place.titled and not re.search(r"\b[Dd]ear $", place.left):
        return Replace("dame", "title")
    if re.match(r"(?:/| or )(?:[Mm]adam|[Mm]a['’]am)", place.right):
        return Leave("coordinated")
    article = re.search(r"\b(?:an?|the|as|become|became|title of) $", place.left, re.IGNORECASE)
    return Replace("dame", "title") if article and place.word.text == "sir" else None


def _madam(place: Place) -> Decision | None:
    if re.search(r"\b[Ss]irs?(?:/| or )$", place.left):
        return Leave("coordinated")
    return Replace("mr", "title") if place.surface[:1].isupper() and _OFFICE.match(place.right) else None


_ORDER = re.compile(
    r" (?:Grand (?:Cross|Commander)|Commander|of (?:Justice|Grace)"
    r"|of the (?:\w+ )?(?:Order|Garter|Thistle))\b"
)


def _knight(place: Place) -> Decision | None:
    """In an order of knighthood a knight is a dame."""
    in_order = place.surface[:1].isupper() and _ORDER.match(place.right)
    return Replace("dame", "title") if in_order else Leave("no title here")


def _dame(place: Place) -> Decision | None:
    if place.surface[:1].isupper() and _ORDER.match(place.right):
        return Replace("knight", "title")
    if re.search(
        r"(?:\b[Nn]otre[ -]|\b[Gg]rande |\b[Pp]antomime |\b[Ll]es |\b[Ll]a |\b[Uu]ne )$", place.left
    ):
        return Leave("name or set phrase")
    return Replace("sir", "title") if place.titled else None


def _mister(place: Place) -> Decision | None:
    if place.surface == "mr":
        return None
    if place.surface[:1].isupper() and _OFFICE.match(place.right):
        return Replace("madam", "title")
    beside = "Mrs" in place.right or "Mrs" in place.left
    if beside and (_BESIDE_MRS_RIGHT.match(place.right) or _BESIDE_MRS_LEFT.search(place.left)):
        return Replace("mrs", "title")
    return None


def _miss(place: Place) -> Decision | None:
    """A title before a name; in an address without a name "sir"; else the verb."""
    if place.surface.isupper() and not re.match(r"\.? (?:[A-Z]{2}|Ma?c[A-Z]|[A-Z]['’][A-Z])", place.right):
        return Leave("abbreviation")
    if place.titled:
        return None
    if place.word.text == "miss" and _ADDRESS_LEFT.search(place.left) and _ADDRESS_RIGHT.match(place.right):
        return Replace("sir", "title")
    if place.word.text == "ms" or place.word.text == "miss":
        return Leave("no title here")
    return None


_NUMBERED = re.compile(
    r"\b(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) $", re.I
)


def _countess(place: Place) -> Decision | None:
    """Of a British county, or numbered as its peers are, a countess is an earl, elsewhere a count."""
    county = re.match(r" of (\w+)", place.right)
    numbered = _NUMBERED.search(place.left) is not None and not re.match(r" (?:of|de|du|von)\b", place.right)
    return Replace("earl", "noble rank") if numbered or (county and county[1] in _EARLDOMS) else None


_WED = re.compile(
    r"\b(?:marr(?:y|ies|ied|ying)|wed|seduced|(?:engaged|married|betrothed|born) to|affair with"
    r"|(?:wife|husband|widow|widower|daughter|son|sister|brother|mistress|lover) of)"
    r" (?:an?|the)(?: [A-Z][a-z]+| young| old| wealthy| rich| poor)* $"
)
"""Before a count who is a spouse, a parent or a lover: she married a Danish count."""


def _count(place: Place) -> Decision | None:
    """A count is a nobleman before a name, or with a determiner and nothing counted."""
    if place.surface[:1].isupper() and (place.titled or _OF_NAME.match(place.right)):
        return None
    if place.surface[:1].isupper() and re.search(r"\b(?:[Tt]he|[Aa]|[Oo]ld|[Yy]oung|[Mm]y) $", place.left):
        return None
    nobles = (
        r"\b(?:dukes?|barons?|earls?|countess(?:es)?|counts?|princes?|kings?|queens?|marquess(?:es)?),?"
        r" (?:and|or) (?:the )?$"
    )
    if re.search(nobles, place.left, re.I) or re.match(
        r",? (?:and|or) (?:the )?(?:countess|baron|duke|prince|king|queen)", place.right
    ):
        return None
    if re.search(r"\b(?:said|asked|replied|cried|answered|told|married|loved) the $", place.left):
        return None
    if place.word.text == "count" and _WED.search(place.left):
        return None
    if place.word.text == "count" and _DETERMINER.search(place.left) and _NOBLE_RIGHT.match(place.right):
        return None
    return Leave("number or verb")


_NOBLE_RIGHT = re.compile(r"(?:['’]s\b| of [A-Z]|,? (?:" + any_of("after a noble") + r"|and (?:his|her))\b)")


def _master(place: Place) -> Decision | None:
    if _HOUSEHOLD.match(place.right):
        return Replace("mistresses" if place.word.text == "masters" else "mistress", place.word.kind)
    return _served(place)


def _served(place: Place) -> Decision | None:
    """Master and mistress alike: before a first name, of a craft, or whoever has servants."""
    if _CRAFT.search(place.left):
        return None
    following = re.match(r" (\w+)", place.right)
    if place.titled and following:
        return None if load_names().is_known(following[1]) else Leave("sense unclear")
    own = _OWN.search(place.left) and not _DEGREE.match(place.right)
    single = place.word.text in ("master", "mistress")
    if own and single and re.match(r"(?:['’]s [a-z]|[,.;!?]|$| (?![A-Z]))", place.right):
        return None
    return Leave("sense unclear")


def _mistress(place: Place) -> Decision | None:
    """His mistress is a lover; her mistress, or the mistress of a house, is the counterpart of a master."""
    if _HOUSEHOLD.match(place.right):
        return None
    lover = re.search(r"(?:\b(?:[Hh]is|whose|longtime|former|secret|royal)|['’]s)(?: \w+)? $", place.left)
    return Leave("sense unclear") if lover else _served(place)


def _prior(place: Place) -> Decision | None:
    noble = place.titled or _OF_NAME.match(place.right)
    article = re.search(r"\b(?:[Tt]he|[Aa]s|[Aa]|[Nn]ew|[Ff]ormer|[Aa]nd) $", place.left)
    if place.surface[:1].isupper() and place.left.endswith("the ") and not place.titled:
        return None
    if place.surface[:1].isupper() and noble and not begins_sentence(place.left, len(place.left)):
        return None
    return None if noble and article else Leave("adjective or surname")


TITLE_RULES: dict[str, Callable[[Place], Decision | None]] = {
    "lady": _lady,
    "ladies": _lady,
    "lord": _lord,
    "lords": _lord,
    "sir": _sir,
    "madam": _madam,
    "dame": _dame,
    "knight": _knight,
    "dames": _dame,
    "mr": _mister,
    "mrs": _miss,
    "ms": _miss,
    "miss": _miss,
    "count": _count,
    "counts": _count,
    "countess": _countess,
    "master": _master,
    "masters": _master,
    "mistress": _mistress,
    "prior": _prior,
    "priors": _prior,
}
