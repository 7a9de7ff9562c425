"""Words whose sense decides: lady and lord, sir and dame, count, host, master, prior, ma and pa, verbs."""

import re
from collections.abc import Callable
from typing import NamedTuple

from equipoise.text.rewriting.decisions import Decision, Leave, Replace
from equipoise.text.rewriting.document import Document
from equipoise.text.rewriting.lexicon import Word
from equipoise.text.rewriting.names import load_names
from equipoise.text.rewriting.word_sets import any_of, word_set

_DOTTED = frozenset(["mr", "mrs", "ms", "messrs", "mmes"])


class Place(NamedTuple):
    """A word where it stands: as written, with the text on both sides."""

    word: Word
    surface: str
    left: str
    right: str
    document: Document

    @property
    def titled(self) -> bool:
        """Written with a capital and before a capitalised word."""
        dotted = self.word.text in _DOTTED and self.right[:1] == "."
        right = " " + self.right[1:].lstrip(" ") if dotted else self.right
        return self.surface[:1].isupper() and _NAME_NEXT.match(right) is not None


_NAME_NEXT = re.compile(r" (?:[A-ZÀ-Þ]|(?:de|du|von|van|d['’]) ?[A-ZÀ-Þ])")
_OF_NAME = re.compile(r" of (?:the )?[A-ZÀ-Þ]")
_OF_MANOR = re.compile(r" of the (?:[Mm]anor|[Hh]ouse|[Cc]astle|[Ee]state|[Ii]sles|[Ll]ands?)\b")
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
_STRONG_VERB = re.compile(r"(?:\b" + any_of("before a verb") + r"|n['’]t|['’]ll|['’]d) $", re.IGNORECASE)
_WEAK_VERB = re.compile(r"(?:\b" + any_of("perhaps before a verb") + r"|ly) $", re.IGNORECASE)
_OBJECT = re.compile(" (?:" + any_of("objects") + r"|\d+)\b")
_DEGREE = re.compile(
    r"(?:['’]?s?['’]?)? (?:degrees?|thesis|theses|programmes?|programs?|of \w+|in|students?|courses?)\b"
)
_OWN = re.compile(r"\b(?:his|her|their|my|your|our|its|slave['’]s|servant['’]s|old|young) $", re.IGNORECASE)
_HOUSEHOLD = re.compile(
    r" of (?:the (?:house|manor|household|robes|castle|estate)|ceremonies)\b", re.IGNORECASE
)
_KIN_LEFT = re.compile(r"\b(?:my|your|his|her|our|their|dear|old|and) $", re.IGNORECASE)
_KIN_RIGHT = re.compile(
    r"(?:['’]s\b|[,!?]| (?:said|says|was|is|had|has|and|would|will|did|looked|told|asked|came|went)\b)"
)
_NUMBER_LEFT = re.compile(r"(?:\d|%|[A-Z]\.?|,|\b[A-Z][a-z]+) ?$")


def sense(place: Place) -> Decision | None:
    """What the sense of the word in its place decides; None where nothing special holds."""
    rule = _RULES.get(place.word.text)
    decision = rule(place) if rule else None
    if decision is None and place.word.text in _VERBS and _is_verb(place):
        return Leave("verb")
    return decision


def has_sense(word: str) -> bool:
    """Whether a word has a rule of its own here."""
    return word in _RULES or word in _VERBS


def only_a_verb(word: str) -> bool:
    """Whether the only rule for a word is that it is a verb before an object (to man a boat)."""
    return word in _VERBS and word not in _RULES and word not in ("host", "groom")


def has_object(text: str, end: int) -> bool:
    """Whether what follows could be the object of a verb."""
    return _OBJECT.match(text, end) is not None


def names_office(right: str) -> bool:
    """Whether an office follows: Mr President, Madam Speaker."""
    return _OFFICE.match(right) is not None


def _is_verb(place: Place) -> bool:
    if not place.surface.islower() or place.right[:1] in ("'", "’", "-"):
        return False
    with_object = _OBJECT.match(place.right) is not None
    if place.word.text.endswith("s"):
        return with_object
    if _STRONG_VERB.search(place.left):
        return with_object or place.word.text in ("host", "groom")
    return with_object and (_WEAK_VERB.search(place.left) is not None or place.word.text in ("host", "groom"))


def _lady(place: Place) -> Decision | None:
    """Lady is Lord as a title and in "my lady"; a lady is a gentleman."""
    plural = place.word.text == "ladies"
    lord = Replace("lords" if plural else "lord", "title")
    if re.search(r"\bFirst $", place.left) or place.surface.isupper():
        return None
    if re.search(r"\b[Oo]ur $", place.left) and place.surface[:1].isupper():
        return Leave("religious")
    if place.titled or (place.surface[:1].isupper() and _OF_NAME.match(place.right)):
        return lord
    if _OF_MANOR.match(place.right) or re.search(r"\blords? (?:and|or) $", place.left, re.IGNORECASE):
        return lord
    if re.match(r" (?:and|or) lords?\b", place.right, re.IGNORECASE):
        return lord
    return lord if re.search(r"\b[Mm]y $", place.left) and _ADDRESS_RIGHT.match(place.right) else None


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
    if re.search(r"\b[Mm]y $", place.left) or (place.word.text == "lords" and " and Ladies" in place.right):
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


def _dame(place: Place) -> Decision | None:
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
    if _BESIDE_MRS_RIGHT.match(place.right) or _BESIDE_MRS_LEFT.search(place.left):
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


def _countess(place: Place) -> Decision | None:
    """Of a British county a countess is the wife of an earl, elsewhere of a count."""
    county = re.match(r" of (\w+)", place.right)
    return Replace("earl", "noble rank") if county and county[1] in _EARLDOMS else None


def _count(place: Place) -> Decision | None:
    """A count is a nobleman before a name, or with a determiner and nothing counted."""
    if place.surface[:1].isupper() and (place.titled or _OF_NAME.match(place.right)):
        return None
    if place.surface[:1].isupper() and re.search(r"\b(?:[Tt]he|[Aa]|[Oo]ld|[Yy]oung|[Mm]y) $", place.left):
        return None
    nobles = (
        r"\b(?:dukes?|barons?|earls?|countess(?:es)?|counts?|princes?|kings?|marquess(?:es)?),? (?:and|or) $"
    )
    if re.search(nobles, place.left, re.I) or re.match(
        r",? (?:and|or) (?:the )?(?:countess|baron|duke|prince)", place.right
    ):
        return None
    if place.word.text == "count" and _DETERMINER.search(place.left) and _NOBLE_RIGHT.match(place.right):
        return None
    return Leave("number or verb")


_NOBLE_RIGHT = re.compile(r"(?:['’]s\b| of [A-Z]|,? (?:" + any_of("after a noble") + r"|and (?:his|her))\b)")


def _master(place: Place) -> Decision | None:
    if _HOUSEHOLD.match(place.right):
        return None
    if place.titled and re.match(r" (\w+)", place.right):
        following = re.match(r" (\w+)", place.right)
        return None if following and load_names().is_known(following[1]) else Leave("sense unclear")
    own = _OWN.search(place.left) and not _DEGREE.match(place.right)
    if own and place.word.text == "master" and re.match(r"(?:['’]s [a-z]|[,.;!?]|$| (?![A-Z]))", place.right):
        return None
    return Leave("sense unclear")


def _mistress(place: Place) -> Decision | None:
    """His mistress is a lover; her mistress, or the mistress of a house, is the counterpart of a master."""
    lover = re.search(r"(?:\b(?:[Hh]is|whose|longtime|former|secret|royal)|['’]s)(?: \w+)? $", place.left)
    return Leave("sense unclear") if lover and not _HOUSEHOLD.match(place.right) else None


def _prior(place: Place) -> Decision | None:
    noble = place.titled or _OF_NAME.match(place.right)
    article = re.search(r"\b(?:[Tt]he|[Aa]s|[Aa]|[Nn]ew|[Ff]ormer|[Aa]nd) $", place.left)
    if place.surface[:1].isupper() and noble and not place.document.begins_sentence(len(place.left)):
        return None
    return None if noble and article else Leave("adjective or surname")


def _god(place: Place) -> Decision | None:
    if place.surface in ("God", "GOD") and not place.titled:
        return Leave("religious")
    return None


def _ma(place: Place) -> Decision | None:
    if place.surface.isupper() or place.titled:
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
    free = re.search(
        r"\b(?:the|[Tt]wo|[Tt]hree|all|both|these|[Tt]he \w+|former|of|many|some|other) $", place.left
    )
    return (
        None
        if free and not re.match(r",? (?:New York|NY|College|Boulevard)", place.right)
        else Leave("place")
    )


def _herr(place: Place) -> Decision | None:
    return None if place.titled else Leave("other language")


_VERBS = frozenset(
    ["man", "host", "hosts", "groom", "grooms", "father", "mother", "fathers", "mothers", "husband"]
)
_RULES: dict[str, Callable[[Place], Decision | None]] = {
    "lady": _lady,
    "ladies": _lady,
    "lord": _lord,
    "lords": _lord,
    "sir": _sir,
    "madam": _madam,
    "dame": _dame,
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
    "god": _god,
    "ma": _ma,
    "pa": _ma,
    "guy": _guy,
    "gal": _guy,
    "queens": _borough,
    "kings": _borough,
    "herr": _herr,
    "frau": _herr,
}
