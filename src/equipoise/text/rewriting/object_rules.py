"""When "her" is an object, by the words around it: brought her flowers, saw her last night."""

import re
from collections.abc import Sequence

from equipoise.text.rewriting.word_sets import word_set

NO_NOUNS_OF_HERS = word_set("never a noun of hers")
"""Words after "her" that no noun of hers can begin with."""
_SHOWING = re.compile(
    r"(?:show|film|captur|photograph|pictur|imagin|depict)(?:e?[ds]?|ing|n)|caught|catch(?:es|ing)?"
)
_PICTURES = re.compile(
    r"(?:video|tape|photo|photograph|clip|picture|image|recording|portrait|film)s?|footage", re.IGNORECASE
)
_ING_NOUNS = re.compile(
    r"\w?(?:ring|king|wing)|(?:paint|wedd|build|draw|writ|cloth|train|feel|(?:up)?bring|understand|open)ing"
    r"|(?:mean|offer|engrav|record|long|cunn|str|lov|charm|amaz|stunn|(?:out)?stand|grow|remain|surviv)ing"
    r"|(?:earr|sibl|darl|even|morn|someth|everyth|noth)ing"
)
_TAKING = re.compile(
    r"(?:follow|walk|escort|accompan|call|invit|order|help)(?:ie|y|e)?(?:d|s|ing)?|(?:tak|driv|rid|bring)(?:es?|ing)?"
    r"|sen(?:t|ds?|ding)|took|taken|drove|driven|brought|sees?|saw|seen|seeing|led|leads?|carr(?:y|ied|ies)"
)
CALLING = re.compile(r"call(?:s|ed|ing)?")
_KEEPING = re.compile(r"keep(?:s|ing)?|kept")
_NAMING = re.compile(r"(?:(?:re-?)?elect|appoint|crown|nam|vot|nominat)(?:e?[ds]|ing|e)?")
NAMED_SO = frozenset(("named", "elected", "appointed", "crowned", "dubbed", "declared", "voted"))
EARNING = frozenset(("earned", "earning", "garnered", "won", "brought", "netted", "gave", "granted"))
_AMOUNTS = frozenset(("several", "numerous", "some", "much", "more", "further", "another", "enough"))
_PRAISE = word_set("earned by fame")
GIVING = word_set("giving so much")
_ASKING = re.compile(r"ask(?:s|ed|ing)?")
_SEIZING = re.compile(r"h[eo]ld(?:s|ing)?|t[ao]k(?:es?|en|ing)|took|kept|keep(?:s|ing)?")
_LEAVING = frozenset(("leave", "leaves", "leaving", "left", "keep", "keeps", "keeping", "kept"))
_LEFT_DOING = word_set("left doing")
_WISHING = re.compile(r"wish(?:es|ed|ing)?|bid(?:s|ding)?|bade")
_OWING = re.compile(r"ow(?:e|es|ed|ing)|lend(?:s|ing)?|lent")
_DATES, _SPANS = word_set("days and months"), word_set("spans of time")
_BUYING = re.compile(
    r"b(?:ought|uys?|uying)|g[ai]v(?:e|es|en|ing)|(?:hand|offer|serv)(?:e|s|es|ed|ing)?|fe(?:d|eds?|eding)"
)
_PRESENTING = re.compile(rf"{_BUYING.pattern}|brought|bring(?:s|ing)?|sen(?:t|ds?|ding)")
TIMED = {
    **dict.fromkeys(("next", "early", "late"), _DATES),
    **dict.fromkeys(("earlier", "this", "each"), _DATES | _SPANS),
    "last": _DATES | {"night", "weekend"},
}
"""Times that nobody owns: her last week, but: saw her last night."""
_LASTING = re.compile(r"takes?|took|taken|taking|costs?|costing")
# The next word, the rule, and what must stand before "her" for it to be an object.
OBJECT_BEFORE = {
    "home": ("taken home", _TAKING),
    "names": ("called names", CALLING),
    "company": ("kept company", _KEEPING),
    "questions": ("asked questions", _ASKING),
    "luck": ("wished", _WISHING),
    "money": ("owed", _OWING),
    **dict.fromkeys(word_set("presents"), ("presented", _PRESENTING)),
    **dict.fromkeys(("breakfast", "lunch", "dinner", "supper", "tea", "coffee", "food"), ("bought", _BUYING)),
    **dict.fromkeys(word_set("said of an object"), ("so", re.compile(r".*"))),
    **dict.fromkeys(("hostage", "captive", "prisoner"), ("held", _SEIZING)),
    **dict.fromkeys(("years", "months", "weeks", "days", "hours", "minutes", "ages"), ("lasting", _LASTING)),
    **dict.fromkeys(("president", "chair", "chairman", "governor", "captain", "editor"), ("named", _NAMING)),
    **dict.fromkeys(("king", "queen", "mayor", "minister", "director", "secretary"), ("named", _NAMING)),
}
LINKS = word_set("no noun follows")


def _is_seen_doing(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether someone is shown at something: "a video of her dancing", "filmed her leaving"."""
    if _ING_NOUNS.fullmatch(after[0]):
        return False
    pictured = before[-1] == "of" and _PICTURES.fullmatch(before[-2])
    return bool(pictured or _SHOWING.fullmatch(before[-1]))


def object_rule(before: Sequence[str], after: Sequence[str]) -> str:
    """Why "her" is likely to be an object here, or nothing."""
    if after[0].endswith("ing"):
        if before[-1].lower() in _LEAVING and after[0] in _LEFT_DOING:
            return "left doing"
        return "seen doing" if _is_seen_doing(before, after) else ""
    if after[0] in NO_NOUNS_OF_HERS or _goes_on_without_noun(before, after):
        return "no noun follows"
    if before[-1] in NAMED_SO and after[0][:1].isupper():
        return "named"
    if before[-1] in EARNING and (after[0] in _AMOUNTS or not _PRAISE.isdisjoint(after[:2])):
        return "earned"
    if before[-1] in GIVING and after[0][:1].isdigit():
        return "given so much"
    if (after[0], after[1]) == ("good", "luck") and _WISHING.fullmatch(before[-1]):
        return "wished"
    rule, pattern = OBJECT_BEFORE.get(after[0], ("", None))
    no_noun_follows = not after[1][:1].isalpha() or after[1].lower() in LINKS
    return rule if pattern and no_noun_follows and pattern.fullmatch(before[-1]) else ""


def _goes_on_without_noun(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the sentence goes on without a noun of hers: her last night, her such as, her never again."""
    first, second = after[0], after[1]
    if first == "such":
        return second in ("as", "a", "an")
    if first == "while":
        return before[-1] != "worth"
    if first == "never":
        return not second.endswith("ing")
    return second in TIMED.get(first, ())
